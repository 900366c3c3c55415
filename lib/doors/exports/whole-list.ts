import * as v from 'valibot'
import { invalid } from '../../base/errors.ts'
import { didYouMean } from '../../engines/matching/index.ts'
import { cellText } from '../../platform/cells/csv.ts'
import type { Declared } from '../../platform/http/endpoint.ts'
import { pageOf } from '../../platform/http/page.ts'
import { Reply } from '../../platform/http/reply.ts'
import type { Request } from '../../platform/http/request.ts'
import { listColumns } from './list-columns.ts'
import type { ListRoute } from './list-routes.ts'
import { labelsCell, MOST_ROWS, type TableFormat, tableReply } from './table.ts'

/** The whole list as a table, whichever page is asked for. It calls the list's handler page by page, as the caller would. */
export async function tableOf(key: ListRoute, spec: Declared, format: TableFormat, given: object): Promise<Reply> {
  const { request } = given as { request: Request }
  const columns = chooseColumns(listColumns[key], request.query.columns)
  const rows: unknown[][] = [columns]
  // The header is no row. One row above the limit tells that some are left out.
  for (let query: Request['query'] | undefined = first(request.query); query && rows.length <= MOST_ROWS + 1; ) {
    const body = await pageAt(spec, given, { ...request, query })
    for (const row of body.results)
      rows.push(columns.map((name) => (name === 'labels' ? labelsCell(row) : cellOf(row, name))))
    query = nextQuery(query, body)
  }
  return tableReply(format, nameOf(key), rows)
}

/** All columns, or those that were asked for, in that order. */
function chooseColumns(all: readonly string[], asked: string | undefined): string[] {
  if (asked === undefined) return [...all]
  const names = asked
    .split(',')
    .map((it) => it.trim())
    .filter(Boolean)
  const unknown = names.find((it) => !all.includes(it))
  if (unknown !== undefined) throw invalid({ columns: [`There is no column ${unknown}.${didYouMean(unknown, all)}`] })
  return names
}

const places = ['offset', 'page', 'page_size', 'hint']
const PAGE = '100'

const first = (query: Request['query']): Request['query'] => ({
  ...Object.fromEntries(Object.entries(query).filter(([name]) => !places.includes(name))),
  limit: PAGE,
  page_size: PAGE,
})

const Page = v.object({
  results: v.array(v.unknown()),
  count: v.optional(v.number(), 0),
  next: v.optional(v.nullable(v.string())),
  page: v.optional(v.number()),
  page_size: v.optional(v.number()),
})
type Page = v.InferOutput<typeof Page>

/** One page of the list, from its handler. */
async function pageAt(spec: Declared, given: object, request: Request): Promise<Page> {
  const sent = new URLSearchParams(request.rawQuery)
  const repeated = Object.fromEntries((spec.repeated ?? []).map((name) => [name, sent.getAll(name)]))
  const query = spec.query && v.parse(spec.query, { ...request.query, ...repeated })
  const answer = await spec.handle({ ...given, request, query, page: pageOf(request) })
  return v.parse(Page, answer instanceof Reply ? answer.body : answer)
}

/** The query of the next page: from `next`, or the next number for lists without `next`. */
function nextQuery(
  query: Request['query'],
  { next, page, page_size, count, results }: Page,
): Request['query'] | undefined {
  if (results.length === 0) return undefined
  if (next) return { ...query, ...placeIn(next) }
  const goesOn = next === undefined && page !== undefined && page_size !== undefined && page * page_size < count
  return goesOn ? { ...query, page: String(page + 1) } : undefined
}

const placeIn = (next: string) =>
  Object.fromEntries([...new URL(next).searchParams].filter(([name]) => name === 'limit' || places.includes(name)))

/** The cell of a row: numbers and booleans as they are, all else as text. */
function cellOf(row: unknown, name: string): unknown {
  const value = name.split('.').reduce<unknown>((it, member) => Object(it)[member], row)
  return typeof value === 'number' || typeof value === 'boolean' ? value : cellText(value ?? '')
}

/** The name of the file: the last part of the path that is no parameter. */
const nameOf = (key: string): string =>
  key
    .split('/')
    .filter((it) => it !== '' && !it.startsWith('{'))
    .at(-1) ?? 'table'
