import { deflateRawSync, inflateRawSync } from 'node:zlib'
import * as v from 'valibot'
import { once } from '../../../base/once.ts'
import { cut, plainWords } from '../../matching/index.ts'
import { SearchDocument } from '../document.ts'
import { loadedVocabulary } from '../vocabulary.ts'
import { toWord, type Word } from './words.ts'

/** The order in which a snapshot stores the members of a document. */
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
  'headings',
  'name_ne',
  'values',
  'years',
  'links',
  'text',
  'picture',
  'payload',
  'identifiers',
] as const satisfies readonly (keyof SearchDocument)[]

/** Small windows and buffers, because setting up larger ones takes longer than compressing a short text. */
const compression = once(() => ({
  dictionary: Buffer.from(loadedVocabulary().sample),
  windowBits: 12,
  memLevel: 4,
  chunkSize: 2048,
}))

/** Compresses a document for a snapshot. */
export const packDocument = (document: SearchDocument): Uint8Array =>
  deflateRawSync(JSON.stringify(members.map((name) => document[name] ?? null)), compression())

export function unpackDocument(packed: Uint8Array): SearchDocument {
  const values = v.parse(v.array(v.unknown()), JSON.parse(inflateRawSync(packed, compression()).toString()))
  const present = members
    .map((name, i): [string, unknown] => [name, values[i]])
    .filter(([name, value]) => !optional.has(name) || (value !== null && value !== undefined))
  return v.parse(SearchDocument, Object.fromEntries(present))
}

/** Members that are left out of a document if they are stored as null. */
const optional: ReadonlySet<string> = new Set([
  'headings',
  'name_ne',
  'values',
  'years',
  'links',
  'picture',
  'payload',
  'identifiers',
])

/** The text by which titles are sorted. */
export const nameKey = (title: string): string => plainWords(title).join(' ') || title.toLowerCase()

/**
 * A name in the forms in which it is compared. `plain`: its words in plain letters, without repetitions. `words`: the
 * same words, analysed. `written`: the name as written, in lower case.
 */
export type PlainName = { plain: string; words: readonly Word[]; devanagari: boolean; written: string }
/** Whether a text has any Devanagari letter. */
export const isDevanagari = (text: string): boolean => /[\u0900-\u097f]/.test(text)

/** The most characters of a name that are compared. */
const LONGEST_NAME = 200
/** Brings a typed text into the form of `written`: trimmed, composed (NFC), in lower case, at most 200 characters. */
export const normaliseTyped = (text: string): string => cut(text.trim().normalize('NFC').toLowerCase(), LONGEST_NAME)

/**
 * Packs the names of a document, the title first: a line for each, with its plain words and, if it differs, the name as
 * written.
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

/** Separates the two parts of a line. No name contains it. */
const MARK = '\t'
