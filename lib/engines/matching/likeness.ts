import { countEdits } from './edits.ts'
import { fold, foldAlike, isGeneric } from './fold.ts'
import { distanceInMetres, type Point } from './geo.ts'
import { type NameReading, readName, skeleton } from './reading.ts'
import { sortsAgree } from './sorts.ts'

/** What is known of a thing when it is compared with others: every name it goes by, as written, and where it stands. */
export type Thing = { names: readonly string[]; point?: Point | undefined }

/**
 * Whether two things look like the same one.
 *
 * - `same_name`: they share a folded name that is not generic, and are at most 1 km apart if both have coordinates.
 *   Words for one sort of thing, titles, remarks and other vowels make no other name.
 * - `close`, at most 150 m apart: their own words are spelt nearly alike, or they have the same shrine name ("Krishna
 *   Mandir").
 * - `close`, at most 25 m apart: one name is generic, and they share a deity.
 * - `close`, at most 5 m apart: they are of one sort.
 *
 * Things of different kinds (`across`) need a common name. Remarks do not count for them, since a remark may name a
 * place.
 */
export function looksAlike(a: Thing, b: Thing, across = false): 'same_name' | 'close' | undefined {
  const apart = a.point && b.point ? distanceInMetres(a.point, b.point) : undefined
  const read = (it: Thing) => it.names.flatMap(readName).filter((reading) => !(across && reading.aside))
  const [left, right] = [read(a), read(b)]
  const some = (rule: (x: NameReading, y: NameReading) => boolean) => left.some((x) => right.some((y) => rule(x, y)))
  if ((apart === undefined || apart <= 1000) && some(sameName)) return 'same_name'
  if (across || apart === undefined || apart > 150) return undefined
  return some((x, y) => closeNames(x, y, apart)) ? 'close' : undefined
}

/**
 * How alike two folded texts are, from 0 to 1: one minus the edits per letter of the longer one. A swap of neighbours
 * is one edit.
 */
export function similarity(a: string, b: string): number {
  const longer = Math.max(a.length, b.length)
  return longer === 0 ? 1 : 1 - countEdits(a, b) / longer
}

/** Two names that each have a town or a remark must agree on it. A name without one agrees with any. */
function sameName(a: NameReading, b: NameReading): boolean {
  if (a.aside && b.aside) return false
  if (foldAlike(a.name, b.name)) return !isGeneric(fold(a.name)) && !isGeneric(fold(b.name))
  if ((foldAlike(a.name, b.bare) || foldAlike(a.bare, b.name)) && !a.generic && !b.generic) return true
  return (
    agree(a.town, b.town) && agree(a.remark, b.remark) && sortsAgree(a.sorts, b.sorts) && coresAlike(a.core, b.core)
  )
}

const agree = (a: string, b: string) => a === '' || b === '' || foldAlike(a, b)

/** Vowels vary between writers of Nepali, consonants and the first letter seldom; in a short word each letter tells. */
function coresAlike(a: string, b: string): boolean {
  if (a === '' || b === '') return false
  if (a === b) return true
  const shared = skeleton(a)
  return shared.length >= 4 && shared === skeleton(b) && similarity(a, b) >= 0.8
}

function closeNames(a: NameReading, b: NameReading, apart: number): boolean {
  if (a.aside || b.aside || !sortsAgree(a.sorts, b.sorts, true)) return false
  if (apart <= 5 && onOneSpot(a, b)) return true
  if (a.own && b.own) return similarity(a.own, b.own) >= 0.77
  if (foldAlike(a.bare, b.bare)) return a.deities.length > 0
  return apart <= 25 && a.deities.some((deity) => b.deities.includes(deity))
}

/** Within the error of a good fix stands one thing of a sort, by whatever name, unless both names say whose it is. */
function onOneSpot(a: NameReading, b: NameReading): boolean {
  const named = (it: NameReading) => it.own !== '' && it.sorts.size > 0
  const owned = a.deities.length > 0 && b.deities.length > 0
  return named(a) && named(b) && !owned
}
