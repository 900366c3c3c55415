import * as v from 'valibot'
import { plainWords } from '../../matching/fold.ts'
import { Document } from '../document.ts'
import { type Word, wordOf } from './words.ts'

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
  'name_ne',
  'values',
  'years',
] as const satisfies readonly (keyof Document)[]

export type DocumentHeader = Omit<Document, 'text'>
const DocumentHeader = v.omit(Document, ['text'])

export const packHeader = (it: Document): string => JSON.stringify(members.map((name) => it[name] ?? null))

export function unpackHeader(packed: string): DocumentHeader {
  const values = v.parse(v.array(v.unknown()), JSON.parse(packed))
  // These members are not there where a document has none; no other may be missing.
  const there = members
    .map((name, i): [string, unknown] => [name, values[i]])
    .filter(([name, value]) => !optional.has(name) || (value !== null && value !== undefined))
  return v.parse(DocumentHeader, Object.fromEntries(there))
}

const optional: ReadonlySet<string> = new Set(['category', 'name_ne', 'values', 'years'])

const TITLE = members.indexOf('title')
const NAMES = members.indexOf('names')
/** The names alone as they were written, the title first. Checking all of a document costs ten times as much. */
export function namesIn(packed: string): string[] {
  const values: unknown = JSON.parse(packed)
  return Array.isArray(values) ? [values[TITLE], ...values[NAMES]].map(String) : []
}

/** What titles are ordered by. */
export const nameKey = (title: string): string => plainWords(title).join(' ') || title.toLowerCase()

/** A name in plain words, each of them once as in a question, as one text and one by one, and whether it is written in Devanagari. */
export type PlainName = { plain: string; words: readonly Word[]; devanagari: boolean }
export const isDevanagari = (text: string): boolean => /[\u0900-\u097f]/.test(text)

/** The names of a document as they are compared, its title first: one line each, those in Devanagari marked. */
export const packNames = (names: readonly string[]): string =>
  names.map((name) => `${isDevanagari(name) ? MARK : ''}${plainWords(name).join(' ')}`).join('\n')

export const unpackNames = (packed: string): PlainName[] =>
  packed.split('\n').map((line) => {
    const devanagari = line.startsWith(MARK)
    const plain = devanagari ? line.slice(MARK.length) : line
    const words = [...new Set(plain.split(' '))]
    return { plain: words.join(' '), words: words.map(wordOf), devanagari }
  })

/** No plain word begins with it. */
const MARK = '~'
