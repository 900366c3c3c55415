import { booleanIn } from '../booleans.ts'
import type { Field } from '../kinds/index.ts'
import { optionOf, spellingsOf, type Vocabulary } from '../kinds/schema/enums.ts'
import { nearest } from '../matching/nearest.ts'
import type { Script } from './mapping.ts'
import { optionLabelled } from './option-labels.ts'

/** What people write into cells, as the fields of kinds take it. */

const digits = (text: string) => text.replace(/[०-९]/g, (it) => String(it.charCodeAt(0) - 0x966))

const NUMBER = '[+-]?\\d{1,3}(?:\\.\\d+)?'
const DMS = `(\\d{1,3})\\s*[°º:]\\s*(?:(\\d{1,2}(?:\\.\\d+)?)\\s*['′’:]?\\s*)?(?:(\\d{1,2}(?:\\.\\d+)?)\\s*(?:["″”]|''|′′)?\\s*)?`
const oneAngle = new RegExp(`^\\s*([NSEW])?\\s*(?:${DMS}|(${NUMBER})\\s*°?)\\s*([NSEW])?\\s*$`, 'i')

/** An angle in degrees, from decimal degrees or degrees, minutes and seconds, with N, S, E or W; undefined for anything else. */
export function asDegrees(text: string): number | undefined {
  const found = oneAngle.exec(digits(text).trim())
  if (!found) return undefined
  const [, before, deg, min, sec, plain, after] = found
  const whole = plain === undefined ? Number(deg) + Number(min ?? 0) / 60 + Number(sec ?? 0) / 3600 : Number(plain)
  if ((before && after) || Number(min ?? 0) >= 60 || Number(sec ?? 0) >= 60 || Math.abs(whole) > 180) return undefined
  return /[SW]/i.test(before ?? after ?? '') ? -whole : whole
}

/** Two angles as "latitude, longitude"; undefined for anything else. What says N or S is the latitude, else the first. */
export function asCoordinates(text: string): string | undefined {
  const plain = digits(text).trim()
  const wkt = /^point\s*\(\s*([+-]?[\d.]+)\s+([+-]?[\d.]+)\s*\)$/i.exec(plain)
  if (wkt) return `${wkt[2]}, ${wkt[1]}`
  for (const cut of [/\s*[,;/]\s*/, /(?<=[NSEW])\s+/i, /\s+(?=[NSEW])/i, /\s+/]) {
    const parts = plain.split(cut).filter(Boolean)
    if (parts.length !== 2) continue
    const [a, b] = parts.map(asDegrees)
    if (a === undefined || b === undefined) continue
    const [lat, lng] = /[EW]/i.test(parts[0] ?? '') ? [b, a] : [a, b]
    if (Math.abs(lat) <= 90) return `${decimal(lat)}, ${decimal(lng)}`
  }
  return undefined
}

const decimal = (angle: number) => String(Number(angle.toFixed(8)))

const [DEVANAGARI, LATIN] = [/\p{Script=Devanagari}/u, /\p{Script=Latin}/u]

/** The words of a text in a script, without the marks that held others apart from them. */
export function inScript(text: string, script: Script): string {
  const [own, other] =
    script === 'devanagari' ? [DEVANAGARI, /\p{Script=Latin}+/gu] : [LATIN, /\p{Script=Devanagari}+/gu]
  // A name in another script mostly stands in brackets behind the name, with its numbers.
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

/** A value of a controlled list as people write it; undefined for one that is not in it. */
export function optionFor(field: Field, text: string): string | undefined {
  const vocabulary = field.vocabulary
  if (!vocabulary) return undefined
  const exact = optionOf(vocabulary, text)
  if (exact !== undefined) return exact
  const { loose, bare } = looselyIn(vocabulary)
  const found = loose.get(plain(text)) ?? only(bare.get(withoutSort(text)) ?? [])
  return found === undefined ? optionLabelled(field, text) : optionOf(vocabulary, found)
}

/** The first spelling of each that is the same by letters and digits, and the values without the word for their sort. */
type Loose = { loose: Map<string, string>; bare: Map<string, string[]> }
const known = new WeakMap<Vocabulary, Loose>()

function looselyIn(vocabulary: Vocabulary): Loose {
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

/** "Pagoda" is written for "PagodaStyle": the last word says only what sort of list it is. */
const withoutSort = (text: string) => plain(text.replace(/[\s_-]?(style|type|building|structure)$/i, ''))
const only = (found: readonly string[]) => (found.length === 1 ? found[0] : undefined)

/** The value of a controlled list that was meant, as far as letters and words tell. */
export function optionNear(field: Field, text: string): string | undefined {
  const values = Object.keys(field.vocabulary?.values ?? {})
  const words = text.toLowerCase().match(/\p{L}{3,}/gu) ?? []
  return nearest(text, values) ?? values.find((value) => words.some((word) => plain(value).includes(word)))
}

const plain = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]/gu, '')

const DECIMAL = /^-?\d{1,2}(\.\d+)?, ?-?\d{1,3}(\.\d+)?$/

/** `#12 Name` names a record by its id, as tables that were written here do; all else is a name or an id already. */
const referenceIn = (text: string): string => /^#(\d+|[0-9a-f-]{36})(?:\s|$)/i.exec(text)?.[1] ?? text

/** One text of a cell as a field takes it. What it does not understand it leaves as it is: the field's own rule refuses it. */
export function valueFor(field: Field, text: string): unknown {
  const trimmed = text.normalize('NFC').trim()
  switch (field.type) {
    case 'select':
      return optionFor(field, trimmed) ?? trimmed
    case 'number':
    case 'float':
      return digits(trimmed).replace(/(?<=\d),(?=\d{3}\b)/g, '')
    case 'boolean':
      return booleanIn(trimmed) ?? trimmed
    case 'coordinates':
      // What is written as the field takes it stays as it is written.
      return DECIMAL.test(trimmed) ? trimmed : (asCoordinates(trimmed) ?? trimmed)
    case 'relation':
      return referenceIn(trimmed)
    case 'media':
      return listIn(trimmed)
    default:
      return trimmed
  }
}

/** A list that a table written here holds as JSON; any other text stays, and is refused as what it is. */
function listIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
