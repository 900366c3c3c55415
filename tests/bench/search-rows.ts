import { existsSync, readFileSync } from 'node:fs'
import { recordId } from '../../lib/ids/address.ts'
import { kindOfScope } from '../../lib/kinds/index.ts'
import type { Document } from '../../lib/search/document.ts'

const folder = new URL('../../../shared/data/', import.meta.url)
/** Whether the real rows are there; they are no part of this project. */
export const hasRows = existsSync(new URL('structures.jsonl', folder))

export type Row = { id: string; kind: string; name: string } & Record<string, unknown>
export type Query = { query: string; perturbation: string; expected_ids: string[] }

const files = [
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
  const rows = files.flatMap((name) => lines<Row>(name)).filter(({ name }) => typeof name === 'string')
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

/** The questions with the rows that answer them. */
export const readQueries = (): Query[] => [...lines<Query>('search-queries'), ...lines<Query>('search-queries.osm')]

/** The `number`-th document, with the texts of a row. */
export function documentOf(row: Row, number: number, also: Partial<Document> = {}): Document {
  const text = (name: string) => (typeof row[name] === 'string' ? row[name] : '')
  const list = (name: string) => (Array.isArray(row[name]) ? row[name].map(String) : text(name) ? [text(name)] : [])
  const description = text('description') || text('biography') || text('note')
  return {
    id: recordId(8, number),
    resource: `${row.kind}s`,
    object_pk: row.id,
    title: row.name,
    names: [...list('name_ne'), ...list('alternate_names')],
    summary: description.slice(0, 280),
    text: (kindOfScope(row.kind)?.search ?? []).map((name) => list(name).join(' ')).join('\n'),
    location_hint: text('location_name'),
    point: null,
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
