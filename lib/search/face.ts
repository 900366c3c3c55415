import * as v from 'valibot'
import { plainWords } from '../domain/fold.ts'
import { Document } from './document.ts'

/** A document without its long text, as a snapshot keeps it: the values alone, in this order. */
const members = [
  'id',
  'resource',
  'object_pk',
  'title',
  'names',
  'summary',
  'location_hint',
  'point',
  'status',
  'is_published',
  'access_tier',
  'contributor_id',
  'created_at',
  'updated_at',
  'popularity_score',
  'version',
  'category',
] as const satisfies readonly (keyof Document)[]

export type Face = Omit<Document, 'text'>
const Face = v.omit(Document, ['text'])

export const packFace = (it: Document): string => JSON.stringify(members.map((name) => it[name] ?? null))

export function unpackFace(packed: string): Face {
  const values = v.parse(v.array(v.unknown()), JSON.parse(packed))
  // A document without a category has no such member; no other may be missing.
  const there = members
    .map((name, i) => [name, values[i]])
    .filter(([name, value]) => name !== 'category' || value !== null)
  return v.parse(Face, Object.fromEntries(there))
}

/** What titles are ordered by. */
export const nameKey = (title: string): string => plainWords(title).join(' ') || title.toLowerCase()

const TITLE = members.indexOf('title')
const NAMES = members.indexOf('names')
/** The names in a packed document alone, its title first: what most of them are read for. */
export function namesIn(packed: string): string[] {
  const values: unknown = JSON.parse(packed)
  if (!Array.isArray(values)) return []
  return [values[TITLE], ...values[NAMES]].map(String)
}
