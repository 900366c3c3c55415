import { edits } from './edits.ts'
import { fold, foldAlike, genericWords, isGeneric, sortWords } from './fold.ts'
import { metres, type Point } from './geo.ts'

/** What is known of a thing when it is compared with others: every name it goes by, as written, and where it stands. */
export type Thing = { names: readonly string[]; point?: Point | undefined }

/**
 * Whether two things of one kind look like the same one. `same_name`: a folded name in common that is not generic, and no more than
 * 1 km between them where both have coordinates. `close`: at most 150 m apart, with names whose own words are spelt nearly alike or
 * with one and the same shrine name ("Krishna Mandir"); or at most 25 m apart, one with a generic name, and a deity in common.
 */
export function looksAlike(a: Thing, b: Thing): 'same_name' | 'close' | undefined {
  const apart = a.point && b.point ? metres(a.point, b.point) : undefined
  const [left, right] = [a.names.map(reading), b.names.map(reading)]
  const some = (rule: (x: Reading, y: Reading) => boolean) => left.some((x) => right.some((y) => rule(x, y)))
  if ((apart === undefined || apart <= 1000) && some(sameName)) return 'same_name'
  if (apart === undefined || apart > 150) return undefined
  return some((x, y) => closeNames(x, y, apart)) ? 'close' : undefined
}

/** How alike two folded texts are, from 0 to 1: one minus the edits (a swap of neighbours is one) per letter of the longer. */
export function similarity(a: string, b: string): number {
  const longer = Math.max(a.length, b.length)
  return longer === 0 ? 1 : 1 - edits(a, b) / longer
}

type Reading = { name: string; bare: string; own: string; deities: string[]; generic: boolean }

/** `bare` is the name without a remark or a town after a comma; `own` what is left of that without the words that many names share. */
function reading(name: string): Reading {
  const bare = name.replace(/\([^)]*\)/g, ' ').replace(/,.*$/s, ' ')
  const words = fold(bare).split(' ')
  const own = words.filter((word) => !genericWords.has(word)).map(withoutEnding)
  const deities = words.filter((word) => genericWords.has(word) && !sortWords.has(word))
  return { name, bare, own: own.join(''), deities, generic: isGeneric(fold(name)) || isGeneric(fold(bare)) }
}

/** A sort or an honour is often written onto the name: Mayadevi, Chandannath, Ramghatdham. */
function withoutEnding(word: string): string {
  const stem = word.replace(/(?<=....)(?:nat|debi|dam|mai|mandir)$/, '')
  return stem === word || genericWords.has(fold(stem)) ? word : fold(stem)
}

/** Two names with a town each must agree on it; a name without one agrees with any. */
function sameName(a: Reading, b: Reading): boolean {
  if (foldAlike(a.name, b.name)) return !isGeneric(fold(a.name)) && !isGeneric(fold(b.name))
  return (foldAlike(a.name, b.bare) || foldAlike(a.bare, b.name)) && !a.generic && !b.generic
}

function closeNames(a: Reading, b: Reading, apart: number): boolean {
  if (a.own && b.own) return similarity(a.own, b.own) >= 0.77
  if (foldAlike(a.bare, b.bare)) return a.deities.length > 0
  return apart <= 25 && a.deities.some((deity) => b.deities.includes(deity))
}
