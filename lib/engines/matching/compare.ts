import { booleanIn } from '../../base/booleans.ts'
import { readBounds } from '../calendars/index.ts'
import { fold, foldAlike, sortWords } from './fold.ts'
import { distanceInMetres, type Point } from './geo.ts'
import { similarity } from './likeness.ts'

/**
 * How the values of a property are compared. Two different values of a `reference` contradict if each names one thing.
 * A `set` holds any number.
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

export type Reference = { id?: string | number | undefined; name?: string | undefined; text?: string | undefined }

/** A value as claimed. A point is the text "lat, lng" as it was sent: its digits say how exact it is. */
export type Value = string | number | boolean | readonly string[] | readonly Reference[]

/** `refines`: the second says what the first says, more exactly. `compatible`: both can be true. */
export type Comparison = 'same' | 'refines' | 'compatible' | 'contradicts'

/**
 * Compares two claimed values of one property, the standing one first. `same` and `contradicts` do not depend on the order. A value
 * that its comparator cannot read is never a contradiction, since nobody can say what it denies.
 */
export function compare(comparator: Comparator, a: Value, b: Value): Comparison {
  return comparators[comparator](a, b)
}

const comparators: Readonly<Record<Comparator, (a: Value, b: Value) => Comparison>> = {
  text: (a, b) => texts(plain(a), plain(b)),
  prose: (a, b) => (fold(plain(a)) === fold(plain(b)) ? 'same' : 'compatible'),
  date: (a, b) => dates(plain(a), plain(b)),
  point: (a, b) => points(plain(a), plain(b)),
  option: (a, b) => options(plain(a), plain(b)),
  reference: (a, b) => references(items(a), items(b)),
  number: (a, b) => numbers(plain(a), plain(b)),
  set: (a, b) => sets(items(a), items(b)),
  url: (a, b) => (address(plain(a)) === address(plain(b)) ? 'same' : 'compatible'),
  flag: (a, b) => flags(plain(a), plain(b)),
}

function plain(value: Value): string {
  return typeof value === 'object'
    ? value.map((item) => (typeof item === 'string' ? item : label(item))).join(', ')
    : `${value}`.trim()
}

function items(value: Value): Reference[] {
  if (typeof value === 'number') return [{ id: value }]
  if (typeof value !== 'object') return plain(value) === '' ? [] : [{ name: plain(value) }]
  return value.map((item) => (typeof item === 'string' ? { name: item } : item))
}

const label = (item: Reference) => item.name ?? item.text ?? (item.id === undefined ? '' : `${item.id}`)

/** Two names are no rivals if they differ only in spelling, or in the word for the sort of thing. */
function texts(a: string, b: string): Comparison {
  const [x, y] = [words(a), words(b)]
  if (foldAlike(a, b) || (within(x, y) && within(y, x))) return 'same'
  if (x.length === 0 || y.length === 0) return x.length === 0 ? 'refines' : 'compatible'
  if (within(x, y)) return 'refines'
  if (within(y, x)) return 'compatible'
  return similarity(own(x), own(y)) >= 0.8 ? 'compatible' : 'contradicts'
}

const words = (text: string) =>
  fold(text)
    .split(' ')
    .filter((word) => word !== '')
const within = (few: string[], many: string[]) => few.every((word) => many.includes(word))

function own(folded: string[]): string {
  const kept = folded.filter((word) => !sortWords().has(word))
  return (kept.length > 0 ? kept : folded).join('')
}

function dates(a: string, b: string): Comparison {
  const [x, y] = [readBounds(a, undefined), readBounds(b, undefined)]
  if (!x || !y) return fold(a) === fold(b) ? 'same' : 'compatible'
  const [wideX, wideY] = [widenDoubt(x), widenDoubt(y)]
  if (wideX.to < wideY.from || wideY.to < wideX.from) return 'contradicts'
  const equal = x.from === y.from && x.to === y.to
  if (equal && x.approximate === y.approximate) return 'same'
  const inside = x.from <= y.from && y.to <= x.to
  return inside && (x.approximate || !y.approximate) ? 'refines' : 'compatible'
}

/** "About" a year means ten years either way, about a century a century either way. */
export function widenDoubt(found: { from: number; to: number; approximate: boolean }): { from: number; to: number } {
  if (!found.approximate) return found
  const span = found.to - found.from
  const room = Number.isFinite(span) ? Math.max(3653, span) : 3653
  return { from: found.from - room, to: found.to + room }
}

type Located = Point & { digits: number }

/**
 * Up to 25 m is the error of good fixes of one building. Up to 150 m sources mean different corners or gates of one
 * site. A coarse value cannot deny what lies within its own rounding.
 */
function points(a: string, b: string): Comparison {
  const [x, y] = [located(a), located(b)]
  if (!x || !y) return fold(a) === fold(b) ? 'same' : 'compatible'
  const apart = distanceInMetres(x, y)
  if (apart <= Math.max(25, rounding(x)) && y.digits > x.digits) return 'refines'
  if (apart <= 25 && x.digits === y.digits) return 'same'
  return apart <= Math.max(150, rounding(x), rounding(y)) ? 'compatible' : 'contradicts'
}

function located(text: string): Located | undefined {
  const match = /^\s*(-?\d{1,2}(?:\.\d+)?)\s*[,; ]\s*(-?\d{1,3}(?:\.\d+)?)\s*$/.exec(text)
  const [lat, lng] = [Number(match?.[1]), Number(match?.[2])]
  if (!match || Math.abs(lat) > 90 || Math.abs(lng) > 180) return undefined
  return { lat, lng, digits: Math.max(decimals(match[1]), decimals(match[2])) }
}

/** The fifth decimal is a metre; more is a calculator's noise. */
const decimals = (text: string | undefined) => Math.min(5, text?.split('.')[1]?.length ?? 0)

/** How far a point can be from its rounded value, in metres: half a last digit both ways, along the diagonal. */
const rounding = (point: Located) => (111_200 / 10 ** point.digits / 2) * Math.SQRT2

/** The words with which an option says nothing. */
const undecided = new Set(['', 'unknown', 'unspecified', 'notknown', 'na', 'none'])

function options(a: string, b: string): Comparison {
  const [x, y] = [a, b].map((text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ''))
  if (x === y) return 'same'
  if (undecided.has(x ?? '')) return undecided.has(y ?? '') ? 'same' : 'refines'
  return undecided.has(y ?? '') ? 'compatible' : 'contradicts'
}

function numbers(a: string, b: string): Comparison {
  const [x, y] = [numeral(a), numeral(b)]
  if (x === undefined || y === undefined) return fold(a) === fold(b) ? 'same' : 'compatible'
  if (Number(x) === Number(y)) return 'same'
  if (isRoundedTo(x, y)) return 'refines'
  return isRoundedTo(y, x) ? 'compatible' : 'contradicts'
}

/** The number at the start of a text; thousands may have commas, a unit may follow. */
const numeral = (text: string) => /^[-+]?\d+(?:\.\d+)?(?![\d.])/.exec(text.replace(/(?<=\d),(?=\d{3})/g, ''))?.[0]

/** Whether the coarse number is the fine one, rounded to the decimals it shows. */
function isRoundedTo(coarse: string, fine: string): boolean {
  const shown = coarse.split('.')[1]?.length ?? 0
  const more = fine.split('.')[1]?.length ?? 0
  return more > shown && Math.abs(Number(coarse) - Number(fine)) <= 0.5 * 10 ** -shown + 1e-9
}

function references(a: Reference[], b: Reference[]): Comparison {
  const [x, y] = [a[0], b[0]]
  if (a.length === 1 && b.length === 1 && x && y) return matches(x, y) ? 'same' : 'contradicts'
  return sets(a, b)
}

/** Any number of things can be true of a property that holds many. */
function sets(a: Reference[], b: Reference[]): Comparison {
  const covers = (many: Reference[], few: Reference[]) =>
    few.every((item) => many.some((other) => matches(item, other)))
  if (covers(b, a)) return covers(a, b) ? 'same' : 'refines'
  return 'compatible'
}

function matches(a: Reference, b: Reference): boolean {
  if (a.id !== undefined && b.id !== undefined) return `${a.id}` === `${b.id}`
  const [x, y] = [fold(label(a)), fold(label(b))]
  return x === y && (x !== '' || label(a) === label(b))
}

/** Scheme, www, a last slash and a fragment do not make another page. */
function address(text: string): string {
  const [, host = '', path = ''] = /^(?:https?:\/\/)?(?:www\.)?([^/?#]*)([^#]*)/i.exec(text) ?? []
  return host.toLowerCase() + path.replace(/\/(?=\?|$)/, '')
}

function flags(a: string, b: string): Comparison {
  const [x, y] = [booleanIn(a), booleanIn(b)]
  if (x === undefined || y === undefined) return a.toLowerCase() === b.toLowerCase() ? 'same' : 'compatible'
  return x === y ? 'same' : 'contradicts'
}
