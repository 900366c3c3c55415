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
] as const satisfies readonly (keyof Document)[]

export type Face = Omit<Document, 'text'>
const Face = v.omit(Document, ['text'])

export const packFace = (it: Document): string => JSON.stringify(members.map((name) => it[name]))

export function unpackFace(packed: string): Face {
  const values = v.parse(v.array(v.unknown()), JSON.parse(packed))
  return v.parse(Face, Object.fromEntries(members.map((name, i) => [name, values[i]])))
}

/** What titles are ordered by. */
export const nameKey = (title: string): string => plainWords(title).join(' ') || title.toLowerCase()

/** The names of a document in plain words, its title first: what they are compared by. One line each. */
export const plainNames = (names: readonly string[]): string =>
  names.map((name) => plainWords(name).join(' ')).join('\n')
