import { parseBoolean } from '../../base/text.ts'
import { readBounds, readMonths } from '../calendars/index.ts'
import { countEdits } from './edits.ts'
import { fold, foldAlike } from './fold.ts'
import { distanceInMetres, type Point } from './geo.ts'
import { similarity } from './likeness.ts'
import { meaningWords, readQuantity } from './meanings.ts'
import { skeleton } from './reading.ts'
import { isSortWord } from './sorts.ts'

/**
 * How two values of a property are compared. Two values of a `reference` contradict if each names one record and the records differ. A
 * `set` may have any number of values.
 */
export type Comparator =
  | 'text'
  | 'prose'
  | 'date'
  | 'point'
  | 'option'
  | 'reference'
  | 'number'
  | 'set'
  | 'url'
  | 'flag'

/** A value that names a record: by id, by its current name, or by a free text. */
export type ComparedReference = {
  id?: string | number | undefined
  name?: string | undefined
  text?: string | undefined
}

/** A claimed value. A point is the text "lat, lng" as it was sent: the number of digits shows its precision. */
export type Value = string | number | boolean | readonly string[] | readonly ComparedReference[]

/** `refines`: the second value is a more exact form of the first. `compatible`: both can be true. */
export type Comparison = 'same' | 'refines' | 'compatible' | 'contradicts'

/**
 * Compares two claimed values of one property, the standing one first. `same` and `contradicts` do not depend on the
 * order. A value that the comparator cannot read never contradicts, since its meaning is unknown.
 */
export function compareClaims(comparator: Comparator, a: Value, b: Value): Comparison {
  return comparators[comparator](a, b)
}

const comparators: Readonly<Record<Comparator, (a: Value, b: Value) => Comparison>> = {
  text: (a, b) => compareTexts(plain(a), plain(b)),
  prose: (a, b) => (fold(plain(a)) === fold(plain(b)) ? 'same' : 'compatible'),
  date: (a, b) => compareDates(plain(a), plain(b)),
  point: (a, b) => comparePoints(plain(a), plain(b)),
  option: (a, b) => compareOptions(plain(a), plain(b)),
  reference: (a, b) => compareReferences(items(a), items(b)),
  number: (a, b) => compareNumbers(plain(a), plain(b)),
  set: (a, b) => compareSets(items(a), items(b)),
  url: (a, b) => (pageAddress(plain(a)) === pageAddress(plain(b)) ? 'same' : 'compatible'),
  flag: (a, b) => compareFlags(plain(a), plain(b)),
}

function plain(value: Value): string {
  return typeof value === 'object'
    ? value.map((item) => (typeof item === 'string' ? item : label(item))).join(', ')
    : `${value}`.trim()
}

function items(value: Value): ComparedReference[] {
  if (typeof value === 'number') return [{ id: value }]
  if (typeof value !== 'object') return plain(value) === '' ? [] : [{ name: plain(value) }]
  return value.map((item) => (typeof item === 'string' ? { name: item } : item))
}

const label = (item: ComparedReference) => item.name ?? item.text ?? (item.id === undefined ? '' : `${item.id}`)

/**
 * Compares names and short texts. Ignores spelling and synonyms. A different word for the sort of thing is no contradiction. Amounts in
 * units are compared as numbers, months as parts of the year.
 */
function compareTexts(a: string, b: string): Comparison {
  if (foldAlike(a, b)) return 'same'
  const byMeasure = compareQuantities(a, b) ?? compareMonths(a, b)
  if (byMeasure) return byMeasure
  const [x, y] = [meaningWords(a), meaningWords(b)]
  if (containsAll(x, y) && containsAll(y, x)) return 'same'
  if (x.length === 0 || y.length === 0) return x.length === 0 ? 'refines' : 'compatible'
  if (containsAll(x, y)) return 'refines'
  if (containsAll(y, x)) return 'compatible'
  return areSpeltAlike(ownWords(a), ownWords(b)) ? 'compatible' : 'contradicts'
}

/**
 * Whether two texts are spelt nearly alike. Texts with the same number of words are compared word by word, since names of two kings of one
 * house share most letters. Two words may differ more if their consonants agree, because writers vary vowels above all.
 */
function areSpeltAlike(x: readonly string[], y: readonly string[]): boolean {
  if (x.length !== y.length) return similarity(x.join(''), y.join('')) >= 0.8
  return x.every((word, i) => {
    const other = y[i] ?? ''
    const likeness = similarity(word, other)
    return likeness >= 0.85 || (likeness >= 0.65 && isLeftOut(skeleton(word), skeleton(other)))
  })
}

/** Whether two skeletons are equal, or one lacks a single letter of the other. A replaced consonant makes another name. */
function isLeftOut(a: string, b: string): boolean {
  const [few, many] = a.length < b.length ? [a, b] : [b, a]
  return few === many || (few.length + 1 === many.length && countEdits(few, many, 1) === 1)
}

/** Compares months. Those of two calendars overlap: "Bhadra" and "Aug-Sep" can both be true. Undefined for other texts. */
function compareMonths(a: string, b: string): Comparison | undefined {
  const [x, y] = [readMonths(a), readMonths(b)]
  if (!x || !y) return undefined
  const shared = [...x].filter((half) => y.has(half)).length
  if (shared === 0) return 'contradicts'
  if (shared === x.size && shared === y.size) return 'same'
  return shared === y.size ? 'refines' : 'compatible'
}

/** Compares two amounts of one sort of unit. Undefined for other texts. */
function compareQuantities(a: string, b: string): Comparison | undefined {
  const [x, y] = [readQuantity(a), readQuantity(b)]
  if (!x || !y || x.of !== y.of) return undefined
  const apart = Math.abs(x.amount - y.amount)
  if (apart <= 1e-9 * Math.max(x.amount, y.amount)) return 'same'
  if (apart > Math.max(x.doubt, y.doubt) * (1 + 1e-9) || x.doubt === y.doubt) return 'contradicts'
  return x.doubt > y.doubt ? 'refines' : 'compatible'
}

const foldedWords = (text: string) =>
  fold(text)
    .split(' ')
    .filter((word) => word !== '')
const containsAll = (few: readonly string[], many: readonly string[]) => few.every((word) => many.includes(word))

/** The words of a name without the words for sorts of things. All words if it has no others. */
function ownWords(text: string): string[] {
  const folded = foldedWords(text)
  const own = folded.filter((word) => !isSortWord(word))
  return own.length > 0 ? own : folded
}

function compareDates(a: string, b: string): Comparison {
  const [x, y] = [readBounds(a, undefined), readBounds(b, undefined)]
  if (!x || !y) return fold(a) === fold(b) ? 'same' : 'compatible'
  const [wideX, wideY] = [widenDoubt(x), widenDoubt(y)]
  if (wideX.to < wideY.from || wideY.to < wideX.from) return 'contradicts'
  const equal = x.from === y.from && x.to === y.to
  if (equal && x.approximate === y.approximate) return 'same'
  const inside = x.from <= y.from && y.to <= x.to
  return inside && (x.approximate || !y.approximate) ? 'refines' : 'compatible'
}

/**
 * Widens an approximate date by its doubt: by ten years in both directions, or by its own length if that is longer. So
 * "about the 17th century" is widened by a century.
 */
export function widenDoubt(date: { from: number; to: number; approximate: boolean }): { from: number; to: number } {
  if (!date.approximate) return date
  const length = date.to - date.from
  const doubt = Number.isFinite(length) ? Math.max(TEN_YEARS, length) : TEN_YEARS
  return { from: date.from - doubt, to: date.to + doubt }
}

/** Ten years in days. */
const TEN_YEARS = 3653

/** `digits`: decimals of the coordinate that has more of them. */
type Located = Point & { digits: number }

/**
 * Compares points by their distance. Good measurements of one building differ by up to 25 m. Sources that mean
 * different corners or gates of one site differ by up to 150 m. A rounded value does not contradict a point within its
 * rounding.
 */
function comparePoints(a: string, b: string): Comparison {
  const [x, y] = [parsePoint(a), parsePoint(b)]
  if (!x || !y) return fold(a) === fold(b) ? 'same' : 'compatible'
  const apart = distanceInMetres(x, y)
  if (apart <= Math.max(25, roundingInMetres(x)) && y.digits > x.digits) return 'refines'
  if (apart <= 25 && x.digits === y.digits) return 'same'
  return apart <= Math.max(150, roundingInMetres(x), roundingInMetres(y)) ? 'compatible' : 'contradicts'
}

function parsePoint(text: string): Located | undefined {
  const match = /^\s*(-?\d{1,2}(?:\.\d+)?)\s*[,; ]\s*(-?\d{1,3}(?:\.\d+)?)\s*$/.exec(text)
  const [lat, lng] = [Number(match?.[1]), Number(match?.[2])]
  if (!match || Math.abs(lat) > 90 || Math.abs(lng) > 180) return undefined
  return { lat, lng, digits: Math.max(decimals(match[1]), decimals(match[2])) }
}

/** Decimals of a coordinate, at most 5: the fifth is a metre, and further ones come from calculation. */
const decimals = (text: string | undefined) => Math.min(5, text?.split('.')[1]?.length ?? 0)

/**
 * The largest distance of a point from its rounded value, in metres: half a unit of the last digit, along the diagonal.
 */
const roundingInMetres = (point: Located) => (111_200 / 10 ** point.digits / 2) * Math.SQRT2

/** Options that state nothing. */
const emptyOptions = new Set(['', 'unknown', 'unspecified', 'notknown', 'na', 'none'])

function compareOptions(a: string, b: string): Comparison {
  const [x, y] = [a, b].map((text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ''))
  if (x === y) return 'same'
  if (emptyOptions.has(x ?? '')) return emptyOptions.has(y ?? '') ? 'same' : 'refines'
  return emptyOptions.has(y ?? '') ? 'compatible' : 'contradicts'
}

function compareNumbers(a: string, b: string): Comparison {
  const byAmount = compareQuantities(a, b)
  if (byAmount) return byAmount
  const [x, y] = [numeral(a), numeral(b)]
  if (x === undefined || y === undefined) return fold(a) === fold(b) ? 'same' : 'compatible'
  if (Number(x) === Number(y)) return 'same'
  if (isRoundedTo(x, y)) return 'refines'
  return isRoundedTo(y, x) ? 'compatible' : 'contradicts'
}

/** The number at the start of a text. Thousands and lakhs may have commas, and a unit may follow: "1,200 m", "1,20,000". */
const numeral = (text: string) =>
  /^[-+]?\d+(?:\.\d+)?(?![\d.])/.exec(text.replace(/(?<=\d),(?=(?:\d{2},)*\d{3})/g, ''))?.[0]

/** Whether `coarse` is `fine`, rounded to the decimals of `coarse`. */
function isRoundedTo(coarse: string, fine: string): boolean {
  const coarseDecimals = coarse.split('.')[1]?.length ?? 0
  const fineDecimals = fine.split('.')[1]?.length ?? 0
  const isNear = Math.abs(Number(coarse) - Number(fine)) <= 0.5 * 10 ** -coarseDecimals + 1e-9
  return fineDecimals > coarseDecimals && isNear
}

function compareReferences(a: ComparedReference[], b: ComparedReference[]): Comparison {
  const [x, y] = [a[0], b[0]]
  if (a.length === 1 && b.length === 1 && x && y) return matches(x, y) ? 'same' : 'contradicts'
  return compareSets(a, b)
}

/** Compares sets. They never contradict, since a property with many values can have all of them. */
function compareSets(a: ComparedReference[], b: ComparedReference[]): Comparison {
  const covers = (many: ComparedReference[], few: ComparedReference[]) =>
    few.every((item) => many.some((other) => matches(item, other)))
  if (covers(b, a)) return covers(a, b) ? 'same' : 'refines'
  return 'compatible'
}

function matches(a: ComparedReference, b: ComparedReference): boolean {
  if (a.id !== undefined && b.id !== undefined) return `${a.id}` === `${b.id}`
  const [x, y] = [fold(label(a)), fold(label(b))]
  if (x === '' || y === '') return label(a) === label(b)
  return x === y || sameMeaning(label(a), label(b))
}

/** Whether two names have one meaning, word for word: Wood and timber. */
function sameMeaning(a: string, b: string): boolean {
  return meaningWords(a).join(' ') === meaningWords(b).join(' ')
}

/** The part of an address by which pages are compared: without scheme, www, last slash and fragment. */
function pageAddress(text: string): string {
  const [, host = '', path = ''] = /^(?:https?:\/\/)?(?:www\.)?([^/?#]*)([^#]*)/i.exec(text) ?? []
  return host.toLowerCase() + path.replace(/\/(?=\?|$)/, '')
}

function compareFlags(a: string, b: string): Comparison {
  const [x, y] = [parseBoolean(a), parseBoolean(b)]
  if (x === undefined || y === undefined) return a.toLowerCase() === b.toLowerCase() ? 'same' : 'compatible'
  return x === y ? 'same' : 'contradicts'
}
