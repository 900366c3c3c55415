import { sayIn } from '../../base/language/say.ts'
import { parseBoolean } from '../../base/text.ts'
import { nearestName, readAngle } from '../../engines/matching/index.ts'
import { type Field, whenKindsChange } from '../kinds/index.ts'
import { optionOf, optionsOf, spellingsOf, type Vocabulary } from '../kinds/schema/enums.ts'
import { type DateOrder, rewriteDate } from './dates.ts'
import type { Script } from './mapping.ts'

/** Turns what people write in cells into values that fields accept. */

const digits = (text: string) => text.replace(/[०-९]/g, (it) => String(it.charCodeAt(0) - 0x966))

const NUMBER = '[+-]?\\d{1,3}(?:\\.\\d+)?'
const DMS = `(\\d{1,3})\\s*[°º:]\\s*(?:(\\d{1,2}(?:\\.\\d+)?)\\s*['′’:]?\\s*)?(?:(\\d{1,2}(?:\\.\\d+)?)\\s*(?:["″”]|''|′′)?\\s*)?`
/**
 * Degrees and minutes with blanks between them, as GPS receivers write. Example: `N27 40.404`. Without a letter such a text is not one
 * angle.
 */
const SPACED = /^\s*([NSEW])?\s*(\d{1,3})\s+(\d{1,2}(?:\.\d+)?)(?:\s+(\d{1,2}(?:\.\d+)?))?\s*([NSEW])?\s*$/i
const oneAngle = new RegExp(`^\\s*([NSEW])?\\s*(?:${DMS}|(${NUMBER})\\s*°?)\\s*([NSEW])?\\s*$`, 'i')

/**
 * An angle in degrees. Reads `27.7`, `27,7`, `27°42'`, `27°42'10"N` and `N27 40.404`. Undefined if the text is no angle.
 */
export function parseDegrees(text: string): number | undefined {
  const angle = decimalPoint(digits(text).trim())
  const [, before, deg, min, sec, plain, after] = oneAngle.exec(angle) ?? spacedAngle(angle)
  if (deg === undefined && plain === undefined) return undefined
  const whole = readAngle(plain ?? deg, min, sec, before ?? after)
  return (before && after) || !(Math.abs(whole) <= 180) ? undefined : whole
}

function spacedAngle(text: string): (string | undefined)[] {
  const [all, before, deg, min, sec, after] = SPACED.exec(text) ?? []
  return before || after ? [all, before, deg, min, sec, undefined, after] : []
}

/** Replaces the decimal comma of a number by a point. */
const decimalPoint = (text: string) => (text.includes('.') ? text : text.replace(/(?<=\d),(?=\d)/, '.'))

/**
 * Two angles as "latitude, longitude". The latitude is the angle with N or S, else the first. Reads WKT, too: `POINT(85.3 27.7)`.
 * Undefined for any other text.
 */
export function parseCoordinates(text: string): string | undefined {
  const plain = digits(text).trim()
  const wkt = /^point\s*\(\s*([+-]?[\d.]+)\s+([+-]?[\d.]+)\s*\)$/i.exec(plain)
  if (wkt) return `${wkt[2]}, ${wkt[1]}`
  for (const cut of [/\s*[,;/]\s*/, /\s*[;/]\s*/, /,\s+/, /(?<=[NSEW])\s+/i, /\s+(?=[NSEW])/i, /\s+/]) {
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
  // A name in another script usually follows in brackets, which may also hold its numbers.
  const pieces = text.split(/[([{]([^()[\]{}]*)[)\]}]/u)
  const inOwnScript = pieces.filter((piece) => own.test(piece))
  const chosen =
    inOwnScript.length < pieces.filter((piece) => /\p{L}/u.test(piece)).length ? inOwnScript.join(' ') : text
  return chosen
    .replace(other, ' ')
    .replace(/\(\s*[^\p{L}\p{N}]*\)/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[\s/|,;()–-]+|[\s/|,;(–-]+$/gu, '')
    .trim()
}

/** The option of a controlled list that a person wrote: in English or Nepali, with or without marks. Undefined if none fits. */
export function findOption(field: Field, text: string): string | undefined {
  const vocabulary = field.vocabulary
  if (!vocabulary) return undefined
  const exact = optionOf(vocabulary, text)
  if (exact !== undefined) return exact
  const { loose, bare } = looseSpellings(vocabulary)
  const spelling = loose.get(plain(text)) ?? onlyOne(bare.get(withoutSort(text)) ?? [])
  return spelling === undefined ? optionLabelled(vocabulary, text) : optionOf(vocabulary, spelling)
}

/** `loose`: spellings by their text without marks and case. `bare`: options by their text without the generic last word. */
type LooseSpellings = { loose: Map<string, string>; bare: Map<string, string[]> }
const looseByVocabulary = new Map<Vocabulary, LooseSpellings>()

function looseSpellings(vocabulary: Vocabulary): LooseSpellings {
  const cached = looseByVocabulary.get(vocabulary)
  if (cached) return cached
  const loose = new Map(
    spellingsOf(vocabulary)
      .toReversed()
      .map((spelling) => [plain(spelling), spelling]),
  )
  const spellings = { loose, bare: Map.groupBy(Object.keys(vocabulary.values), withoutSort) }
  looseByVocabulary.set(vocabulary, spellings)
  return spellings
}

const sayInNepali = await sayIn('ne')
const optionsByLabel = new Map<Vocabulary, ReadonlyMap<string, string>>()
whenKindsChange(() => {
  looseByVocabulary.clear()
  optionsByLabel.clear()
})

/** The option with this Nepali label. Undefined if no option has it. */
function optionLabelled(vocabulary: Vocabulary, text: string): string | undefined {
  if (!DEVANAGARI.test(text)) return undefined
  const options =
    optionsByLabel.get(vocabulary) ??
    new Map(optionsOf(vocabulary).map(({ value, label }) => [sayInNepali(label).normalize('NFC'), value]))
  optionsByLabel.set(vocabulary, options)
  return options.get(text.normalize('NFC').trim())
}

/** The option without its generic last word. People write "Pagoda" for "PagodaStyle". */
const withoutSort = (text: string) => plain(text.replace(/[\s_-]?(style|type|building|structure)$/i, ''))
const onlyOne = (options: readonly string[]) => (options.length === 1 ? options[0] : undefined)

/** The option that comes closest to a text, by letters and words. Undefined if none is close. */
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

/** `#12 Name` names a record by its id, as exported tables do. Any other text is a name or an id already. */
const referenceIn = (text: string): string => /^#(\d+|[0-9a-f-]{36})(?:\s|$)/i.exec(text)?.[1] ?? text

/** Turns a cell's text into a field's value. A text that cannot be read stays, and the field's schema refuses it. */
export function parseCell(field: Field, text: string, order?: DateOrder): unknown {
  const trimmed = text.normalize('NFC').trim()
  switch (field.type) {
    case 'select':
      return findOption(field, trimmed) ?? trimmed
    case 'number':
    case 'float':
      return parseNumber(trimmed)
    case 'date':
    case 'edtf_date':
      return rewriteDate(trimmed, order).text
    case 'boolean':
      return parseBoolean(trimmed) ?? trimmed
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

/** A number in ASCII digits. A comma before three digits parts thousands; any other comma is a decimal point. */
const parseNumber = (text: string) => decimalPoint(digits(text).replace(/(?<=\d),(?=\d{3}\b)/g, ''))

/** The doubt about a number whose comma may part thousands or be a decimal point. Undefined if there is none. */
export function doubtOfNumber(text: string): string | undefined {
  const plain = digits(text.trim())
  return /^[+-]?\d{1,3},\d{3}$/.test(plain)
    ? `${text} was read as ${parseNumber(plain)}, with a comma for thousands.`
    : undefined
}

/** A list that an exported table holds as JSON. Any other text stays, and the schema refuses it. */
function listIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Whether a cell only says that nothing is known. Examples: "-", "?", "n/a". */
export const saysNothing = (text: string): boolean => /^(?:[-–—_.?]+|NA|NULL|#?[nN]\/[aA]|[nN]\.[aA]\.?)$/u.test(text)
