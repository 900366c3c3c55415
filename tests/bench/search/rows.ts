import { existsSync, readFileSync } from 'node:fs'
import { recordId } from '../../../lib/base/ids/address.ts'
import '../../../lib/domain/composition.ts'
import { documentOfValues } from '../../../lib/domain/records/search-document.ts'
import type { SearchDocument } from '../../../lib/engines/search/document.ts'
import { draftOf, isRowId } from '../../../local/commands/import/draft.ts'

const folder = new URL('../../../../shared/data/', import.meta.url)
/** Whether the real rows are there; they are no part of this project. */
export const hasRows = existsSync(new URL('structures.jsonl', folder))

export type Row = { id: string; kind: string; name: string } & Record<string, unknown>
export type Query = { query: string; perturbation: string; expected_ids: string[] }

/** The files of records, without their ending. */
export const recordFiles = [
  'structures',
  'structures.osm',
  'monuments',
  'locations',
  'persons',
  'deities',
  'guthis',
  'festivals',
  'rituals',
  'events',
  'periods',
  'traditions',
  'sources',
  'iconography',
  'caste_groups',
  'calendar_systems',
  'syncretic_relationships',
  'kumari',
  'heritage_events',
]

const lines = <T>(name: string): T[] =>
  readFileSync(new URL(`${name}.jsonl`, folder), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** The real rows, each id once. */
export function readRows(): Row[] {
  const rows = recordFiles.flatMap((name) => lines<Row>(name)).filter(({ name }) => typeof name === 'string')
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

/** The questions with the rows that answer them. */
export const readQueries = (): Query[] => [...lines<Query>('search-queries'), ...lines<Query>('search-queries.osm')]

/** The `number`-th document: what search learns of the record that a row is imported as. */
export function documentOf(row: Row, number: number, also: Partial<SearchDocument> = {}): SearchDocument {
  const draft = draftOf(row, { lenient: true })
  if (Array.isArray(draft)) throw new Error(`${row.id}: ${draft.map(({ reason }) => reason).join(' ')}`)
  const { kind, values, references } = draft
  const links = references.map(({ as, many, given }) => {
    const named = given.filter((it) => !isRowId(it)).map((name) => ({ id: '', name }))
    return [as, many ? named : named[0]]
  })
  return {
    ...documentOfValues(kind, row.name, { ...values, ...Object.fromEntries(links) }),
    id: recordId(8, number),
    object_pk: row.id,
    point: pointIn(values.coordinates),
    status: 'accepted',
    is_published: true,
    access_tier: 'public',
    contributor_id: null,
    created_at: '2025-01-15T10:00:00.000Z',
    updated_at: '2025-01-15T10:00:00.000Z',
    popularity_score: 0,
    version: 1,
    ...also,
  }
}

function pointIn(written: unknown): SearchDocument['point'] {
  const [lat = Number.NaN, lng = Number.NaN] = typeof written === 'string' ? written.split(',').map(Number) : []
  return Number.isFinite(lat) && Number.isFinite(lng) ? { lat, lng } : null
}
