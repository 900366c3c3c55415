import { deflateRawSync, inflateRawSync } from 'node:zlib'
import * as v from 'valibot'
import { cut } from '../../matching/cut.ts'
import { plainWords } from '../../matching/fold.ts'
import { Document } from '../document.ts'
import { type Word, wordOf } from './words.ts'

/** A document as a snapshot keeps it: the values alone, in this order, compressed. */
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
] as const satisfies readonly (keyof Document)[]

/** What most documents hold, the commonest last: a short text is compressed by what it shares with this one. */
const shared = Buffer.from(
  `temple in the valley of Nepal, built by, of stone and brick, is worshipped during the festival, ward, Durbar Square,
  {"type":["Temple"],"place":["Kathmandu, Bhaktapur, Lalitpur"],"style":["Pagoda"],"period":["Malla"],"deity":["Shiva"]}
  {"from":1600,"to":1699,"approximate":true} मन्दिर users persons cultural_entities locations review_queue "pending_review",false,
  ["00000000-0000-8000-8000-000000000000","structures","1"," Temple",[],"",{"lat":27.67,"lng":85.32},"accepted",true,"public",null,"2025-01-01T10:00:00.000Z","2025-01-01T10:00:00.000Z",0,1,null,null,{},null,""]`,
)
/** Small windows and buffers: setting up larger ones costs more than a short text itself. */
const compression = { dictionary: shared, windowBits: 12, memLevel: 4, chunkSize: 2048 }

export const packDocument = (it: Document): Uint8Array =>
  deflateRawSync(JSON.stringify(members.map((name) => it[name] ?? null)), compression)

export function unpackDocument(packed: Uint8Array): Document {
  const values = v.parse(v.array(v.unknown()), JSON.parse(inflateRawSync(packed, compression).toString()))
  // These members are not there where a document has none; no other may be missing.
  const there = members
    .map((name, i): [string, unknown] => [name, values[i]])
    .filter(([name, value]) => !optional.has(name) || (value !== null && value !== undefined))
  return v.parse(Document, Object.fromEntries(there))
}

const optional: ReadonlySet<string> = new Set(['category', 'name_ne', 'values', 'years', 'links', 'picture'])

/** What titles are ordered by. */
export const nameKey = (title: string): string => plainWords(title).join(' ') || title.toLowerCase()

/**
 * A name in plain words, each of them once as in a question, as one text and one by one; whether it is written in
 * Devanagari; and as it was written, in lower case.
 */
export type PlainName = { plain: string; words: readonly Word[]; devanagari: boolean; written: string }
export const isDevanagari = (text: string): boolean => /[\u0900-\u097f]/.test(text)

/** Names are compared by so many letters. */
const LONGEST = 200
/** A text as those who type it may have written it. */
export const asTyped = (text: string): string => cut(text.trim().normalize('NFC').toLowerCase(), LONGEST)

/** The names of a document as they are compared, its title first: of each a line, and as it was written where that differs. */
export const packNames = (names: readonly string[]): string =>
  names
    .map((name) => {
      const [plain, written] = [plainWords(name).join(' '), asTyped(name).replace(/\s+/g, ' ')]
      return written === plain ? plain : `${plain}${MARK}${written}`
    })
    .join('\n')

export const unpackNames = (packed: string): PlainName[] =>
  packed.split('\n').map((line) => {
    const [plain = '', written = plain] = line.split(MARK)
    const words = [...new Set(plain.split(' '))]
    return { plain: words.join(' '), words: words.map(wordOf), devanagari: isDevanagari(written), written }
  })

/** No name holds it. */
const MARK = '\t'
