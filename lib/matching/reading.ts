import { lru } from '../lru.ts'
import { once } from '../once.ts'
import { cut } from './cut.ts'
import { fold, genericWords, isGeneric, sortWords, townWords } from './fold.ts'
import { sortOf } from './sorts.ts'

/**
 * What a name says, for comparing it with others. `outside` is the name without a remark, `bare` also without a town after a comma; `own` what is
 * left of that without the words that many names share; `core` what is left without the words for the sort of thing and titles,
 * '' if that tells nothing apart; `sorts` what sorts of thing it names; `aside` whether it was a remark in another name.
 */
export type Reading = {
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

/** The readings of a name: its own, and one of each remark in it, since that is often another name: "Indra Jatra (Yenya)". */
export function readingsOf(name: string): readonly Reading[] {
  const known = read.get(name)
  if (known) return known
  const made = madeReadings(name)
  read.set(name, made)
  return made
}

/** Names that are compared come again: the readings of so many stay. */
const read = lru<string, readonly Reading[]>(2000)

function madeReadings(name: string): Reading[] {
  const remarks = [...name.matchAll(/\(([^)]*)\)/g)].flatMap((match) => (match[1] ? [match[1]] : []))
  return [readingOf(name, false), ...remarks.map((remark) => readingOf(remark, true))]
}

/**
 * The keys under which a name can be found by another spelling of it: all names that `sameName` takes for one share one. They are the
 * consonants of its core and of the whole, so that most misspellings lead to one key.
 */
export function likenessKeys(names: readonly string[]): string[] {
  const readings = names.flatMap(readingsOf)
  const wholes = readings.flatMap((it) => [fold(it.bare), fold(it.outside)])
  const texts = [...readings.map((it) => it.core), ...wholes.filter((it) => !isGeneric(it)).map(joined)]
  return [...new Set(texts.filter(Boolean).map(skeleton))].slice(0, MOST_KEYS)
}

/** So many keys of one record are kept; more names than these are rarely given. */
const MOST_KEYS = 8

/** The letters of a folded text that its spellings have in common: the first, all consonants and digits, and the ending of a feminine. */
export function skeleton(folded: string): string {
  const singular = folded.replace(/(?<=...[^aeiou\d])s$/, '')
  const consonants = singular.slice(1).replace(/[aeiou]/g, '')
  return cut(`${singular.slice(0, 1)}${consonants}${/[^i]i$/.test(singular) ? 'i' : ''}`, 100)
}

function readingOf(name: string, aside: boolean): Reading {
  const remark = fold([...name.matchAll(/\(([^)]*)\)/g)].map((match) => match[1]).join(' '))
  const outside = name.replace(/\([^)]*\)/g, ' ')
  const bare = outside.replace(/,.*$/s, ' ')
  const words = fold(bare).split(' ').filter(Boolean)
  const own = words.filter((word) => !genericWords().has(word)).map(withoutEnding)
  return {
    ...{ name, outside, bare, own: own.join(''), core: coreOf(words), remark, aside },
    town: fold(/,(.*)$/s.exec(outside)?.[1] ?? ''),
    sorts: new Set(words.flatMap((word) => sortOf().get(word) ?? [])),
    deities: words.filter((word) => genericWords().has(word) && !sortWords().has(word)),
    generic: isGeneric(fold(name)) || isGeneric(fold(bare)),
  }
}

/** Words that go with a name or say what part or class of a thing is meant, besides those for sorts. */
const beside = once(
  () =>
    new Set(
      fold(
        `king queen prince princess emperor maharaja maharani raja president prime minister general sardar dr prof pandit
    square tole museum guthi raj niji trust festival jatra yatra punhi purnima parva mela caste community era sambat`,
      ).split(' '),
    ),
)

/** A title stands before a name; a sort anywhere. What says only a deity, a town or a number is no core. */
function coreOf(words: readonly string[]): string {
  const kept = words.filter((word) => !sortWords().has(word) && !beside().has(word))
  const core = joined(kept.map(withoutEnding).join(' '))
  return kept.some((word) => tellsApart(word)) && core.length > 2 ? core : ''
}

const tellsApart = (word: string) => !genericWords().has(word) && !townWords().has(word) && !/^\d*$/.test(word)
const joined = (folded: string) => folded.replaceAll(' ', '')

/** A sort or an honour is often written onto the name: Mayadevi, Chandannath, Ramghatdham. */
function withoutEnding(word: string): string {
  const stem = word.replace(/(?<=....)(?:nat|debi|dam|mai|mandir|dyo|dya|deo|boda)$/, '')
  return stem === word || genericWords().has(fold(stem)) ? word : fold(stem)
}
