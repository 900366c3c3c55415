import { countEdits } from './edits.ts'
import { fold, foldAlike, isGeneric } from './fold.ts'
import { distanceInMetres, type Point } from './geo.ts'
import { type NameReading, readName, skeleton } from './reading.ts'
import { sortsAgree } from './sorts.ts'

/** A record as it is compared with others: all its names as written, and its point. */
export type NamedPlace = { names: readonly string[]; point?: Point | undefined }

/**
 * Whether two records look like the same thing.
 *
 * - `same_name`: they share a folded name that is not generic, and are at most 1 km apart if both have coordinates. The
 *   names may differ in words for one sort of thing, titles, remarks and vowels.
 * - `close`, at most 150 m apart: their own words are spelt nearly alike, or they have the same shrine name ("Krishna
 *   Mandir"). Or they have one shrine name that is written as one word or as two.
 * - `close`, at most 25 m apart: one name is generic, and they share a deity.
 * - `close`, at most 5 m apart: they are of one sort, both have words of their own, and at most one names a deity.
 *
 * Names with different numbers, or words such as old and new, are not compared. Records of different kinds (`across`)
 * are alike only by `same_name`. Their remarks are ignored, since a remark may name a place.
 */
export function looksAlike(a: NamedPlace, b: NamedPlace, across = false): 'same_name' | 'close' | undefined {
  const apart = a.point && b.point ? distanceInMetres(a.point, b.point) : undefined
  const readNames = ({ names }: NamedPlace) => names.flatMap(readName).filter((name) => !(across && name.isRemark))
  const [left, right] = [readNames(a), readNames(b)]
  const anyPair = (rule: (x: NameReading, y: NameReading) => boolean) =>
    left.some((x) => right.some((y) => !areToldApart(x, y) && rule(x, y)))
  if ((apart === undefined || apart <= 1000) && anyPair(sameName)) return 'same_name'
  if (across || apart === undefined || apart > 150) return undefined
  return anyPair((x, y) => closeNames(x, y, apart)) ? 'close' : undefined
}

/**
 * The similarity of two folded texts, from 0 to 1: one minus the edits (`countEdits`) per letter of the longer text.
 */
export function similarity(a: string, b: string): number {
  const longer = Math.max(a.length, b.length)
  return longer === 0 ? 1 : 1 - countEdits(a, b) / longer
}

/** Whether both names have numbers or words such as old and new, and these differ: "East Gate" and "West Gate", "Stupa 1" and "Stupa 2". */
const areToldApart = (a: NameReading, b: NameReading): boolean =>
  a.apart !== '' && b.apart !== '' && a.apart !== b.apart

/** Whether two names are the same name. If both have a town or a remark, these must agree. */
function sameName(a: NameReading, b: NameReading): boolean {
  if (a.isRemark && b.isRemark) return false
  if (foldAlike(a.name, b.name)) return !isGeneric(fold(a.name)) && !isGeneric(fold(b.name))
  if ((foldAlike(a.name, b.bare) || foldAlike(a.bare, b.name)) && !a.generic && !b.generic) return true
  return (
    agree(a.town, b.town) &&
    agree(a.remark, b.remark) &&
    sortsAgree(a.sorts, b.sorts) &&
    (coresAlike(a.core, b.core) || coresAlike(a.stem, b.stem) || isTranslated(a, b))
  )
}

/** Whether the words of two names have the same meanings in the same order, and neither name is generic. */
const isTranslated = (a: NameReading, b: NameReading): boolean =>
  a.meaning !== '' && a.meaning === b.meaning && !a.generic && !b.generic

const agree = (a: string, b: string) => a === '' || b === '' || foldAlike(a, b)

/**
 * Whether two cores are alike. Writers vary vowels, but rarely consonants or the first letter. Short words must be
 * equal.
 */
function coresAlike(a: string, b: string): boolean {
  if (a === '' || b === '') return false
  if (a === b) return true
  const shared = skeleton(a)
  return shared.length >= 4 && shared === skeleton(b) && similarity(a, b) >= 0.8
}

function closeNames(a: NameReading, b: NameReading, apart: number): boolean {
  if (a.isRemark || b.isRemark || !sortsAgree(a.sorts, b.sorts, true)) return false
  if (apart <= 5 && isOneSpot(a, b)) return true
  if (a.joined === b.joined && haveDeity(a, b) && haveSameSorts(a, b)) return true
  if (a.own && b.own) return similarity(a.own, b.own) >= 0.77
  if (foldAlike(a.bare, b.bare)) return a.deities.length > 0
  return apart <= 25 && a.deities.some((deity) => b.deities.includes(deity))
}

const haveDeity = (a: NameReading, b: NameReading): boolean => a.deities.length + b.deities.length > 0

/**
 * Whether two names have equally many sorts, or one has none. The caller has checked that the sorts agree. A temple and the rest house of a
 * temple differ.
 */
const haveSameSorts = ({ sorts: a }: NameReading, { sorts: b }: NameReading): boolean =>
  a.size === b.size || a.size === 0 || b.size === 0

/** At most 5 m apart, two records of one sort are one thing, unless the names contain a deity each. */
function isOneSpot(a: NameReading, b: NameReading): boolean {
  const isNamed = ({ own, sorts }: NameReading) => own !== '' && sorts.size > 0
  const haveDeities = a.deities.length > 0 && b.deities.length > 0
  return isNamed(a) && isNamed(b) && !haveDeities
}
