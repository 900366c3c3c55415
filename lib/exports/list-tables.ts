import * as v from 'valibot'
import { invalid } from '../errors.ts'
import { type Declared, declarationOf } from '../http/endpoint.ts'
import { CSV, XLSX } from '../http/media.ts'
import { pageOf } from '../http/page.ts'
import { oneOrNone } from '../http/params.ts'
import { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import type { Route, Routes } from '../http/route.ts'
import { meantBy } from '../matching/nearest.ts'
import { plain } from './csv.ts'
import { listColumns } from './list-columns.ts'
import { MOST_ROWS, type TableFormat, tableReply } from './table.ts'

/** What a list as a table asks for beside what the list takes. */
const asTable = {
  format: oneOrNone(['json', 'csv', 'xlsx']),
  columns: v.optional(v.pipe(v.string(), v.maxLength(3000))),
}

/** These routes, of which each list with columns (list-columns.ts) is also a table, for those who ask for one by `Accept` or `format`. */
export function withTables<R extends Routes>(routes: R): R {
  const entries = Object.entries(routes).map(([key, route]) => [key, listColumns[key] ? tabled(key, route) : route])
  return Object.fromEntries(entries)
}

function tabled(key: string, route: Route): Route {
  const spec = declarationOf(route)
  const made: Declared = {
    ...spec,
    query: withEntries(spec.query),
    representations: {
      ...spec.representations,
      [CSV]: (given) => tableOf(key, spec, 'csv', given),
      [XLSX]: (given) => tableOf(key, spec, 'xlsx', given),
    },
  }
  // The declaration is erased again, as the makers of routes do.
  return made as unknown as Route
}

/** A schema of a query that knows the members of tables too; what it makes of its own stays. */
function withEntries(query: v.GenericSchema = v.object({})): v.GenericSchema {
  const add = (it: object) => ({ ...it, entries: { ...Object(it).entries, ...asTable } })
  const [first, ...rest]: object[] = Object(query).pipe ?? []
  return Object.assign({ ...query }, add(query), first && { pipe: [add(first), ...rest] })
}

/** The whole list as a table, whichever page is asked for: its pages one after the other, as whoever asks would follow them. */
async function tableOf(key: string, spec: Declared, format: TableFormat, given: object): Promise<Reply> {
  const { request } = given as { request: Request }
  const columns = chosen(listColumns[key] ?? [], request.query.columns)
  const rows: unknown[][] = [columns]
  for (let query: Request['query'] | undefined = first(request.query); query && rows.length <= MOST_ROWS; ) {
    const body = await pageAt(spec, given, { ...request, query })
    for (const row of body.results) rows.push(columns.map((name) => cellOf(row, name)))
    query = followed(query, body)
  }
  return tableReply(format, nameOf(key), rows)
}

/** All columns, or those that are asked for, in that order. */
function chosen(all: readonly string[], asked: string | undefined): string[] {
  if (asked === undefined) return [...all]
  const names = asked
    .split(',')
    .map((it) => it.trim())
    .filter(Boolean)
  const unknown = names.find((it) => !all.includes(it))
  if (unknown !== undefined) throw invalid({ columns: [`There is no column ${unknown}.${meantBy(unknown, all)}`] })
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

/** One page of the list, as its handler answers it. */
async function pageAt(spec: Declared, given: object, request: Request): Promise<Page> {
  const sent = new URLSearchParams(request.rawQuery)
  const repeated = Object.fromEntries((spec.repeated ?? []).map((name) => [name, sent.getAll(name)]))
  const query = spec.query && v.parse(spec.query, { ...request.query, ...repeated })
  const answer = await spec.handle({ ...given, request, query, page: pageOf(request) })
  return v.parse(Page, answer instanceof Reply ? answer.body : answer)
}

/** The query of the next page; lists that tell no address go by number. */
function followed(
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

/** What a row says under a column: numbers and truths as such, all else in words. */
function cellOf(row: unknown, name: string): unknown {
  const value = name.split('.').reduce<unknown>((it, member) => Object(it)[member], row)
  return typeof value === 'number' || typeof value === 'boolean' ? value : plain(value ?? '')
}

/** The name of the file: the last word of the address that is no parameter. */
const nameOf = (key: string): string =>
  key
    .split('/')
    .filter((it) => it !== '' && !it.startsWith('{'))
    .at(-1) ?? 'table'
