import { isFault, readDateOrFault } from '../../engines/calendars/index.ts'
import { type KindKey, kinds } from '../kinds/index.ts'
import { findNamedRecords } from '../projects/assets/mentions.ts'
import type { Found, Page } from './items.ts'

/**
 * Finds values in the text of a document, without a language model. It looks for names of public records, dates (CE, Bikram Sambat, Nepal
 * Sambat), and a first line as a name. Each value has its page and box. No value is accepted by itself: a person decides.
 */

type Word = Page['lines'][number][number]
type PlacedWord = Word & { page: number }
type Box = Found['box']

/** By kind of a named record: what sort of thing it is, and the field that its name fills. */
const sorts: Readonly<Partial<Record<KindKey, { entity_type: string; field_name: string }>>> = {
  structure: { entity_type: 'ARTIFACT', field_name: 'name' },
  monument: { entity_type: 'ARTIFACT', field_name: 'name' },
  location: { entity_type: 'LOCATION', field_name: 'location_name' },
  person: { entity_type: 'PERSON', field_name: 'person' },
  deity: { entity_type: 'OTHER', field_name: 'deity' },
  festival: { entity_type: 'EVENT', field_name: 'festival' },
  event: { entity_type: 'EVENT', field_name: 'event' },
  guthi: { entity_type: 'ORGANIZATION', field_name: 'guthi' },
}

/** The most values of one document. */
const MOST_FOUND = 60

/** Finds the values of a document. Costs about 320 small reads for a printed page. */
export async function extractFields(pages: readonly Page[]): Promise<Found[]> {
  const words: PlacedWord[] = pages.flatMap(({ lines }, i) => lines.flat().map((word) => ({ ...word, page: i + 1 })))
  const text = pages.flatMap(({ lines }) => lines.map(textOfLine)).join('\n')
  const named = (await findNamedRecords(text)).flatMap(({ phrase, record }) => {
    const sort = sorts[record.kind]
    const place = placeOf(phrase.words.flatMap((at) => words[at] ?? []))
    if (!sort || !place) return []
    const linked = { resource_key: record.kind, id: record.id, entity_id: record.entity_id, label: record.name }
    return [
      { ...sort, ...place, field_value: phrase.text, match: 1, record: kinds[record.kind].record ? linked : null },
    ]
  })
  const dates = pages.flatMap(({ lines }, i) => lines.flatMap((line) => findDates(line, i + 1)))
  const title = named.some(({ field_name }) => field_name === 'name') ? [] : titleOf(pages)
  return [...named, ...title, ...dates]
    .slice(0, MOST_FOUND)
    .map((found, i) => ({ ...found, id: String(i + 1), confidence: Math.round(found.confidence * 100) / 100 }))
}

/** The text of a line. Words contain no blanks, so splitting the text at blanks gives the words again. */
export const textOfLine = (line: readonly Word[]): string => line.map(({ text }) => text).join(' ')

type NewFound = Omit<Found, 'id'>

/** The page of some words, the box around them, and the mean confidence of their OCR. */
function placeOf(words: readonly PlacedWord[]): Pick<Found, 'page_number' | 'box' | 'confidence'> | undefined {
  const [first] = words
  if (!first) return undefined
  const confidence = words.reduce((sum, word) => sum + word.confidence, 0) / words.length
  return { page_number: first.page, box: boxAround(words), confidence }
}

/** The box around the boxes of some words. */
export const boxAround = (words: readonly Pick<Word, 'box'>[]): Box => {
  const side = (at: 0 | 1 | 2 | 3) => words.map(({ box }) => box[at])
  return [Math.min(...side(0)), Math.min(...side(1)), Math.max(...side(2)), Math.max(...side(3))]
}

/** Dates as scanned texts write them, with Latin or Devanagari digits: an era with a year, or a year alone; month and day may follow. */
const DIGIT = '[0-9०-९]'
const ERA =
  '(?<![\\p{L}\\p{M}])(?:B\\.?\\s?S\\.?|N\\.?\\s?S\\.?|A\\.?D\\.?|C\\.?E\\.?|वि\\.?\\s?सं\\.?|ने\\.?\\s?सं\\.?|विक्रम\\s(?:संवत्|सम्बत्)|नेपाल\\s(?:संवत्|सम्बत्))'
const dated = new RegExp(
  `${ERA}\\s*${DIGIT}{3,4}(?:[-/.]${DIGIT}{1,2}){0,2}|(?<!${DIGIT})[1१2२]${DIGIT}{3}(?:-${DIGIT}{2}(?:-${DIGIT}{2})?)?(?!${DIGIT})`,
  'gu',
)

function findDates(line: readonly Word[], page: number): NewFound[] {
  const text = textOfLine(line)
  return [...text.matchAll(dated)].flatMap(({ 0: value, index }) => {
    const reading = readDateOrFault(value, undefined)
    if (isFault(reading)) return []
    // The words that the date covers.
    let start = 0
    const over = line.filter((word) => {
      const from = start
      start += word.text.length + 1
      return from < index + value.length && from + word.text.length > index
    })
    const place = placeOf(over.map((word) => ({ ...word, page })))
    return place
      ? [
          {
            ...place,
            field_name: 'construction_date',
            field_value: value,
            entity_type: 'DATE',
            match: null,
            record: null,
          },
        ]
      : []
  })
}

/**
 * The first line with three letters in a row, as the name. It is a guess of low confidence, made only if the text names no known structure
 * or monument.
 */
function titleOf(pages: readonly Page[]): NewFound[] {
  for (const [i, { lines }] of pages.entries()) {
    const line = lines.find((words) => /(?:\p{L}\p{M}*){3}/u.test(textOfLine(words)))
    const place = placeOf((line ?? []).map((word) => ({ ...word, page: i + 1 })))
    if (!line || !place) continue
    const field_value = textOfLine(line).slice(0, 200)
    return [
      {
        ...place,
        confidence: Math.min(place.confidence, 0.4),
        field_name: 'name',
        field_value,
        entity_type: 'ARTIFACT',
        match: null,
        record: null,
      },
    ]
  }
  return []
}
