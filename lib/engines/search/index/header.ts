import { deflateRawSync, inflateRawSync } from 'node:zlib'
import * as v from 'valibot'
import { once } from '../../../base/once.ts'
import { cut, plainWords } from '../../matching/index.ts'
import { SearchDocument } from '../document.ts'
import { loadedVocabulary } from '../vocabulary.ts'
import { toWord, type Word } from './words.ts'

/** The members of a document in the order in which a snapshot stores their values, compressed. */
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
  'links',
  'text',
  'picture',
] as const satisfies readonly (keyof SearchDocument)[]

/** Small windows and buffers: setting up larger ones costs more than a short text itself. */
const compression = once(() => ({
  dictionary: Buffer.from(loadedVocabulary().sample),
  windowBits: 12,
  memLevel: 4,
  chunkSize: 2048,
}))

export const packDocument = (it: SearchDocument): Uint8Array =>
  deflateRawSync(JSON.stringify(members.map((name) => it[name] ?? null)), compression())

export function unpackDocument(packed: Uint8Array): SearchDocument {
  const values = v.parse(v.array(v.unknown()), JSON.parse(inflateRawSync(packed, compression()).toString()))
  // An optional member is absent where it is null. No other may be missing.
  const there = members
    .map((name, i): [string, unknown] => [name, values[i]])
    .filter(([name, value]) => !optional.has(name) || (value !== null && value !== undefined))
  return v.parse(SearchDocument, Object.fromEntries(there))
}

const optional: ReadonlySet<string> = new Set(['category', 'name_ne', 'values', 'years', 'links', 'picture'])

/** What titles are ordered by. */
export const nameKey = (title: string): string => plainWords(title).join(' ') || title.toLowerCase()

/**
 * A name for comparing. `plain` and `words`: its words in plain letters, each once, as one text and one by one.
 * `devanagari`: it is written so. `written`: as it was written, in lower case.
 */
export type PlainName = { plain: string; words: readonly Word[]; devanagari: boolean; written: string }
export const isDevanagari = (text: string): boolean => /[\u0900-\u097f]/.test(text)

/** The most letters of a name that are compared. */
const LONGEST = 200
/** A typed text in the form in which names are compared: trimmed, composed (NFC), in lower case. */
export const normaliseTyped = (text: string): string => cut(text.trim().normalize('NFC').toLowerCase(), LONGEST)

/**
 * The names of a document for comparing, the title first. One line each: the plain words, then the name as written if
 * it differs.
 */
export const packNames = (names: readonly string[]): string =>
  names
    .map((name) => {
      const [plain, written] = [plainWords(name).join(' '), normaliseTyped(name).replace(/\s+/g, ' ')]
      return written === plain ? plain : `${plain}${MARK}${written}`
    })
    .join('\n')

export const unpackNames = (packed: string): PlainName[] =>
  packed.split('\n').map((line) => {
    const [plain = '', written = plain] = line.split(MARK)
    const words = [...new Set(plain.split(' '))]
    return { plain: words.join(' '), words: words.map(toWord), devanagari: isDevanagari(written), written }
  })

/** Stands between the two; no name contains it. */
const MARK = '\t'
