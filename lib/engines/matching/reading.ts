import { lru } from '../../base/lru.ts'
import { once } from '../../base/once.ts'
import { cut } from './cut.ts'
import { fold, genericWords, isGeneric, sortWords, townWords } from './fold.ts'
import { sortOf } from './sorts.ts'

/**
 * A name taken apart, for comparing it with others.
 *
 * - `outside`: without a remark in parentheses.
 * - `bare`: also without a town after a comma.
 * - `own`: the words of `bare` that few names share.
 * - `core`: without the words for sorts and titles; '' if that tells nothing apart.
 * - `sorts`: the sorts of thing that it names.
 * - `aside`: it was a remark in another name.
 */
export type NameReading = {
  name: string
  outside: string
  bare: string
  own: string
  core: string
  sorts: ReadonlySet<string>
  deities: readonly string[]
  generic: boolean
  remark: string
  town: string
  aside: boolean
}

/**
 * The readings of a name: its own, and one of each remark in it. A remark is often another name: "Indra Jatra (Yenya)".
 */
export function readName(name: string): readonly NameReading[] {
  const known = readingCache.get(name)
  if (known) return known
  const made = makeReadings(name)
  readingCache.set(name, made)
  return made
}

/** Readings of recent names: names that are compared come again. */
const readingCache = lru<string, readonly NameReading[]>(2000)

function makeReadings(name: string): NameReading[] {
  const remarks = [...name.matchAll(/\(([^)]*)\)/g)].flatMap((match) => (match[1] ? [match[1]] : []))
  return [readingOf(name, false), ...remarks.map((remark) => readingOf(remark, true))]
}

/**
 * The keys under which a name can be found by another spelling of it. Names that `sameName` takes for one share a key.
 * Keys are skeletons of the core and of the whole name, so most misspellings lead to the same key.
 */
export function likenessKeys(names: readonly string[]): string[] {
  const readings = names.flatMap(readName)
  const wholes = readings.flatMap((it) => [fold(it.bare), fold(it.outside)])
  const texts = [...readings.map((it) => it.core), ...wholes.filter((it) => !isGeneric(it)).map(joined)]
  return [...new Set(texts.filter(Boolean).map(skeleton))].slice(0, MOST_KEYS)
}

/** The most keys of one record. Few records have more names. */
const MOST_KEYS = 8

/**
 * What spellings of a folded text have in common: the first letter, all consonants and digits, and the final i of a
 * feminine.
 */
export function skeleton(folded: string): string {
  const singular = folded.replace(/(?<=...[^aeiou\d])s$/, '')
  const consonants = singular.slice(1).replace(/[aeiou]/g, '')
  return cut(`${singular.slice(0, 1)}${consonants}${/[^i]i$/.test(singular) ? 'i' : ''}`, 100)
}

function readingOf(name: string, aside: boolean): NameReading {
  const remark = fold([...name.matchAll(/\(([^)]*)\)/g)].map((match) => match[1]).join(' '))
  const outside = name.replace(/\([^)]*\)/g, ' ')
  const bare = outside.replace(/,.*$/s, ' ')
  const words = fold(bare).split(' ').filter(Boolean)
  const own = words.filter((word) => !genericWords().has(word)).map(withoutEnding)
  return {
    name,
    outside,
    bare,
    own: own.join(''),
    core: coreOf(words),
    remark,
    aside,
    town: fold(/,(.*)$/s.exec(outside)?.[1] ?? ''),
    sorts: new Set(words.flatMap((word) => sortOf().get(word) ?? [])),
    deities: words.filter((word) => genericWords().has(word) && !sortWords().has(word)),
    generic: isGeneric(fold(name)) || isGeneric(fold(bare)),
  }
}

/** Words besides those for sorts that go with a name, or say what part or class of a thing is meant. */
const beside = once(
  () =>
    new Set(
      fold(
        `king queen prince princess emperor maharaja maharani raja president prime minister general sardar dr prof pandit
    square tole museum guthi raj niji trust festival jatra yatra punhi purnima parva mela caste community era sambat`,
      ).split(' '),
    ),
)

/** The words of a name without sorts, titles and the like. '' if only deities, towns or numbers are left. */
function coreOf(words: readonly string[]): string {
  const kept = words.filter((word) => !sortWords().has(word) && !beside().has(word))
  const core = joined(kept.map(withoutEnding).join(' '))
  return kept.some((word) => tellsApart(word)) && core.length > 2 ? core : ''
}

const tellsApart = (word: string) => !genericWords().has(word) && !townWords().has(word) && !/^\d*$/.test(word)
const joined = (folded: string) => folded.replaceAll(' ', '')

/** A word without a sort or an honour that is written onto it: Mayadevi, Chandannath, Ramghatdham. */
function withoutEnding(word: string): string {
  const stem = word.replace(/(?<=....)(?:nat|debi|dam|mai|mandir|dyo|dya|deo|boda)$/, '')
  return stem === word || genericWords().has(fold(stem)) ? word : fold(stem)
}
