import { booleanIn } from '../../base/booleans.ts'
import { nearestName } from '../../engines/matching/index.ts'
import type { Field } from '../kinds/index.ts'
import { optionOf, spellingsOf, type Vocabulary } from '../kinds/schema/enums.ts'
import type { Script } from './mapping.ts'
import { optionLabelled } from './option-labels.ts'

/** Turns what people write in cells into values that fields accept. */

const digits = (text: string) => text.replace(/[०-९]/g, (it) => String(it.charCodeAt(0) - 0x966))

const NUMBER = '[+-]?\\d{1,3}(?:\\.\\d+)?'
const DMS = `(\\d{1,3})\\s*[°º:]\\s*(?:(\\d{1,2}(?:\\.\\d+)?)\\s*['′’:]?\\s*)?(?:(\\d{1,2}(?:\\.\\d+)?)\\s*(?:["″”]|''|′′)?\\s*)?`
const oneAngle = new RegExp(`^\\s*([NSEW])?\\s*(?:${DMS}|(${NUMBER})\\s*°?)\\s*([NSEW])?\\s*$`, 'i')

/**
 * An angle in degrees; undefined if the text is none. Takes decimal degrees, or degrees with minutes and seconds, with N, S, E or
 * W.
 */
export function parseDegrees(text: string): number | undefined {
  const found = oneAngle.exec(digits(text).trim())
  if (!found) return undefined
  const [, before, deg, min, sec, plain, after] = found
  const whole = plain === undefined ? Number(deg) + Number(min ?? 0) / 60 + Number(sec ?? 0) / 3600 : Number(plain)
  if ((before && after) || Number(min ?? 0) >= 60 || Number(sec ?? 0) >= 60 || Math.abs(whole) > 180) return undefined
  return /[SW]/i.test(before ?? after ?? '') ? -whole : whole
}

/** Two angles as "latitude, longitude"; undefined for anything else. The latitude is the one with N or S, else the first. */
export function parseCoordinates(text: string): string | undefined {
  const plain = digits(text).trim()
  const wkt = /^point\s*\(\s*([+-]?[\d.]+)\s+([+-]?[\d.]+)\s*\)$/i.exec(plain)
  if (wkt) return `${wkt[2]}, ${wkt[1]}`
  for (const cut of [/\s*[,;/]\s*/, /(?<=[NSEW])\s+/i, /\s+(?=[NSEW])/i, /\s+/]) {
    const parts = plain.split(cut).filter(Boolean)
    if (parts.length !== 2) continue
    const [a, b] = parts.map(parseDegrees)
    if (a === undefined || b === undefined) continue
    const [lat, lng] = /[EW]/i.test(parts[0] ?? '') ? [b, a] : [a, b]
    if (Math.abs(lat) <= 90) return `${decimal(lat)}, ${decimal(lng)}`
  }
  return undefined
}

const decimal = (angle: number) => String(Number(angle.toFixed(8)))

const [DEVANAGARI, LATIN] = [/\p{Script=Devanagari}/u, /\p{Script=Latin}/u]

/** The words of a text in one script. Example: "कृष्ण मन्दिर" of "Krishna Mandir (कृष्ण मन्दिर)". */
export function wordsInScript(text: string, script: Script): string {
  const [own, other] =
    script === 'devanagari' ? [DEVANAGARI, /\p{Script=Latin}+/gu] : [LATIN, /\p{Script=Devanagari}+/gu]
  // A name in another script is usually in brackets after the name, with its numbers.
  const pieces = text.split(/[([{]([^()[\]{}]*)[)\]}]/u)
  const written = pieces.filter((it) => own.test(it))
  const taken = written.length < pieces.filter((it) => /\p{L}/u.test(it)).length ? written.join(' ') : text
  return taken
    .replace(other, ' ')
    .replace(/\(\s*[^\p{L}\p{N}]*\)/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[\s/|,;()–-]+|[\s/|,;(–-]+$/gu, '')
    .trim()
}

/** An option of a controlled list as people write it; undefined if it is not in the list. */
export function findOption(field: Field, text: string): string | undefined {
  const vocabulary = field.vocabulary
  if (!vocabulary) return undefined
  const exact = optionOf(vocabulary, text)
  if (exact !== undefined) return exact
  const { loose, bare } = looseSpellings(vocabulary)
  const found = loose.get(plain(text)) ?? onlyOne(bare.get(withoutSort(text)) ?? [])
  return found === undefined ? optionLabelled(field, text) : optionOf(vocabulary, found)
}

/** Spellings without marks and cases, each with the first spelling of that form; and options without their generic last word. */
type Loose = { loose: Map<string, string>; bare: Map<string, string[]> }
const known = new WeakMap<Vocabulary, Loose>()

function looseSpellings(vocabulary: Vocabulary): Loose {
  const before = known.get(vocabulary)
  if (before) return before
  const loose = new Map(
    spellingsOf(vocabulary)
      .toReversed()
      .map((it) => [plain(it), it]),
  )
  const made = { loose, bare: Map.groupBy(Object.keys(vocabulary.values), withoutSort) }
  known.set(vocabulary, made)
  return made
}

/** People write "Pagoda" for "PagodaStyle": the last word names only the sort of list. */
const withoutSort = (text: string) => plain(text.replace(/[\s_-]?(style|type|building|structure)$/i, ''))
const onlyOne = (found: readonly string[]) => (found.length === 1 ? found[0] : undefined)

/** The option that was probably meant, judged by letters and words. */
export function nearestOption(field: Field, text: string): string | undefined {
  const values = Object.keys(field.vocabulary?.values ?? {})
  const words = text.toLowerCase().match(/\p{L}{3,}/gu) ?? []
  return nearestName(text, values) ?? values.find((value) => words.some((word) => plain(value).includes(word)))
}

const plain = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]/gu, '')

const DECIMAL = /^-?\d{1,2}(\.\d+)?, ?-?\d{1,3}(\.\d+)?$/

/** `#12 Name` names a record by its id, as our own exports do. Anything else is a name or an id already. */
const referenceIn = (text: string): string => /^#(\d+|[0-9a-f-]{36})(?:\s|$)/i.exec(text)?.[1] ?? text

/** Turns a cell's text into a field's value. A text that it does not understand stays, and the field's schema refuses it. */
export function parseCell(field: Field, text: string): unknown {
  const trimmed = text.normalize('NFC').trim()
  switch (field.type) {
    case 'select':
      return findOption(field, trimmed) ?? trimmed
    case 'number':
    case 'float':
      return digits(trimmed).replace(/(?<=\d),(?=\d{3}\b)/g, '')
    case 'boolean':
      return booleanIn(trimmed) ?? trimmed
    case 'coordinates':
      // A text that the field accepts already stays as it is.
      return DECIMAL.test(trimmed) ? trimmed : (parseCoordinates(trimmed) ?? trimmed)
    case 'relation':
      return referenceIn(trimmed)
    case 'media':
      return listIn(trimmed)
    default:
      return trimmed
  }
}

/** A list that our own exports write as JSON. Any other text stays, and the schema refuses it. */
function listIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
