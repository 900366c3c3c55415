import { lru } from '../../base/lru.ts'
import { once } from '../../base/once.ts'
import { cut } from './cut.ts'
import { fillerWords, fold, genericWords, isGeneric, sortWords, townWords } from './fold.ts'
import { lexicon } from './lexicon.ts'
import { meaningWords, tellsApart } from './meanings.ts'
import { isSortWord, joinSortPhrases, sortOf } from './sorts.ts'

/**
 * The parts of a name, for comparing it with others.
 *
 * - `outside`: the name without remarks in parentheses.
 * - `bare`: also without a town after a comma.
 * - `own`: the words of `bare` that are not generic, joined.
 * - `joined`: the words of `bare` without sorts and honours, joined: "Pashupati Nath" and "Pashupatinath" are one.
 * - `core`: the words of `bare` without sorts and titles, joined. '' if the rest does not distinguish names.
 * - `stem`: the words of `bare` before the sort at its end, joined. '' if these do not distinguish names.
 * - `meaning`: the `meaningWords` of `bare`, joined by spaces.
 * - `apart`: the numbers of `bare`, and its words such as old and new, each by its meaning.
 * - `sorts`: the sorts of things in the name.
 * - `isRemark`: this name was a remark in another name.
 */
export type NameReading = {
  name: string
  outside: string
  bare: string
  own: string
  joined: string
  core: string
  stem: string
  meaning: string
  apart: string
  sorts: ReadonlySet<string>
  deities: readonly string[]
  generic: boolean
  remark: string
  town: string
  isRemark: boolean
}

/**
 * Takes a name apart. Returns a reading of the name and one of each remark in it, since a remark is often another name:
 * "Indra Jatra (Yenya)".
 */
export function readName(name: string): readonly NameReading[] {
  const cached = readingCache.get(name)
  if (cached) return cached
  const readings = makeReadings(name)
  if (name.length <= LONGEST_CACHED) readingCache.set(name, readings)
  return readings
}

/** Readings of recent names: one name is compared with many. */
const readingCache = lru<string, readonly NameReading[]>(1500)
/** Longer names are read each time, so the cache stays below 8 MB. */
const LONGEST_CACHED = 200
/** A remark in parentheses. The bound keeps a name of many opening parentheses cheap: each is looked at for 300 letters at most. */
const REMARK = /\(([^)]{0,300})\)/g

function makeReadings(name: string): NameReading[] {
  const remarks = [...name.matchAll(REMARK)].flatMap((match) => (match[1] ? [match[1]] : []))
  return [readingOf(name, false), ...remarks.map((remark) => readingOf(remark, true))]
}

/**
 * Returns the keys by which a record is found under another spelling of its names. A key is the skeleton of the core or
 * of the whole name, so most misspellings have the same key. Most names that are alike for `looksAlike` share a key.
 */
export function likenessKeys(names: readonly string[]): string[] {
  const readings = names.flatMap(readName)
  const wholes = readings.flatMap(({ bare, outside }) => [fold(bare), fold(outside)])
  const texts = [...readings.map(({ core }) => core), ...wholes.filter((whole) => !isGeneric(whole)).map(withoutSpaces)]
  return [...new Set(texts.filter(Boolean).map(skeleton))].slice(0, MOST_KEYS)
}

/** The most keys of one record. Few records have more names. */
const MOST_KEYS = 8

/**
 * The part that all spellings of a folded text share: the first letter, the consonants and digits, and a final i, which
 * marks a feminine.
 */
export function skeleton(folded: string): string {
  const singular = folded.replace(/(?<=...[^aeiou\d])s$/, '')
  const consonants = singular.slice(1).replace(/[aeiou]/g, '')
  return cut(`${singular.slice(0, 1)}${consonants}${/[^i]i$/.test(singular) ? 'i' : ''}`, 100)
}

function readingOf(name: string, isRemark: boolean): NameReading {
  const remark = fold([...name.matchAll(REMARK)].map((match) => match[1]).join(' '))
  const outside = name.replace(REMARK, ' ')
  const bare = outside.replace(/,.*$/s, ' ')
  const words = joinSortPhrases(fold(bare).split(' ').filter(Boolean))
  const meaning = meaningWords(bare)
  const own = words.filter((word) => !genericWords().has(word)).map(withoutEnding)
  return {
    name,
    outside,
    bare,
    own: own.join(''),
    joined: words.filter((word) => !sortOf().has(word) && !honours().has(word)).join(''),
    core: coreOf(words),
    stem: coreOf(words, true),
    meaning: meaning.join(' '),
    apart: meaning.filter(tellsApart).sort().join(' '),
    remark,
    isRemark,
    town: fold(/,(.*)$/s.exec(outside)?.[1] ?? ''),
    sorts: new Set(words.flatMap((word) => sortOf().get(word) ?? [])),
    deities: words
      .filter((word) => genericWords().has(word) && !sortWords().has(word))
      .map((word) => sameBeing().get(word) ?? word),
    generic: isGeneric(fold(name)) || isGeneric(fold(bare)),
  }
}

/** Filler words: they join, ask or honour. */
const honours = once((): ReadonlySet<string> => new Set(fold(fillerWords).split(' ')))

/** The first name of a being, by each of its names. All are folded. */
const sameBeing = once(
  (): ReadonlyMap<string, string> =>
    new Map(
      lexicon().sameBeings.flatMap((names) => names.map((name) => [fold(name), fold(names[0] ?? name)] as const)),
    ),
)

/** Titles, and words for parts and classes of things, which are not in `sortWords`. */
const titleWords = once((): ReadonlySet<string> => new Set(fold(lexicon().titles).split(' ')))

/**
 * The words of a name without sorts and titles, joined. With `atEnd`, only a sort or title at the end is left out, and endings stay. '' if
 * only deities, towns or numbers are left, or fewer than three letters.
 */
function coreOf(words: readonly string[], atEnd = false): string {
  const isLeftOut = (word: string) => isSortWord(word) || titleWords().has(word)
  const endsWithSort = atEnd && isLeftOut(words.at(-1) ?? '')
  const coreWords = atEnd ? words.slice(0, endsWithSort ? -1 : undefined) : words.filter((word) => !isLeftOut(word))
  const core = withoutSpaces((atEnd ? coreWords : coreWords.map(withoutEnding)).join(' '))
  return coreWords.some((word) => isDistinctive(word)) && core.length > 2 ? core : ''
}

const isDistinctive = (word: string) => !genericWords().has(word) && !townWords().has(word) && !/^\d*$/.test(word)
const withoutSpaces = (folded: string) => folded.replaceAll(' ', '')

/** A word without a sort or an honour that is written as its ending: Mayadevi, Chandannath, Ramghatdham. */
function withoutEnding(word: string): string {
  const stem = word.replace(/(?<=....)(?:nat|debi|dam|mai|mandir|dyo|dya|deo|boda)$/, '')
  return stem === word || genericWords().has(fold(stem)) ? word : fold(stem)
}
