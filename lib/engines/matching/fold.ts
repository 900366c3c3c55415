import { lru } from '../../base/lru.ts'
import { once } from '../../base/once.ts'
import { romanise } from './devanagari.ts'
import { lexicon } from './lexicon.ts'

/**
 * Folds a name to the form by which it is indexed, looked up and compared. The form has lower-case words of plain letters and digits, with
 * one space between. Devanagari is romanised. Different spellings of Nepali and Newar names become equal. A text without letters or digits
 * folds to ''. Folding twice changes nothing.
 */
export function fold(name: string): string {
  const cached = foldCache.get(name)
  if (cached !== undefined) return cached
  const folded = plainWords(name).map(respell).join(' ')
  if (name.length <= LONGEST_CACHED) foldCache.set(name, folded)
  return folded
}

/** Folded forms of recent names. If many names are compared with many, each name is folded often. */
const foldCache = lru<string, string>(10_000)
/** Texts that are longer than names are not cached. */
const LONGEST_CACHED = 100

/**
 * Splits a text into words of plain lower-case letters. Devanagari and its sister scripts are romanised. Spellings stay as they are, and so
 * do the vowels that other scripts write as marks.
 */
export function plainWords(text: string): string[] {
  // Most texts are ASCII. They need only lower case, no quotes, and the split into words.
  if (isAscii.test(text))
    return (
      text
        .toLowerCase()
        .replace(/['`]/g, '')
        .match(/[a-z0-9]+/g) ?? []
    )
  const plain = romanise(decompose(text).replace(invisible, ''))
    .replace(/(?<![aeiou]\p{M}*)r\u0323/gu, 'ri')
    .replace(/j\u0303|jn\u0303/g, 'gy')
    .replace(accents, '')
    .replace(silencers, '')
    .replace(/[ßæœøđðþłıŋ]/g, (letter) => undecomposed[letter] ?? letter)
  return plain
    .replace(/['’ʼ`´]/g, '')
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
}

const isAscii = /^[\x00-\x7f]*$/

/** Marks that can be left out: accents, points of Hebrew and Arabic, and what romanising has left. In scripts such as Thai a mark is a vowel. */
const accents = /(?=\p{M})[\p{Script=Inherited}\p{Script=Devanagari}\u0483-\u08ff\u0980-\u0d7f]/gu
/**
 * Signs for a missing vowel at the end of a word (Sinhala, Myanmar, Khmer, Balinese, Javanese). They are dropped, since the vowel returns
 * when the word gets an ending.
 */
const silencers = /[\u0dca\u103a\u17d2\u1b44\ua9c0](?![\p{L}\p{M}])/gu

/**
 * Whether two names fold alike, with words written together or apart (Mayadevi, Maya Devi). False if a name folds to
 * ''.
 */
export function foldAlike(a: string, b: string): boolean {
  const [x, y] = [fold(a), fold(b)]
  return x !== '' && y !== '' && (x === y || fold(a.replace(/[\s-]/g, '')) === fold(b.replace(/[\s-]/g, '')))
}

/**
 * Whether a folded name consists only of words for sorts of things and of common deities ("shiva mandir", "stone
 * stupa"). Two equal generic names are no sign of one thing. The name of a deity alone is not generic: it is the
 * deity's own name.
 */
export function isGeneric(folded: string): boolean {
  const words = folded.split(' ')
  return (
    words.every((word) => genericWords().has(word) || /^\d*$/.test(word)) && words.some((word) => !deities().has(word))
  )
}

/** Zero-width marks such as joiners. They come from typing and are not part of a name. */
const invisible = /[\u00ad\u200b-\u200f\u2060\ufeff]/g

/** Splits letters from their marks, in lower case. It splits twice, because lower case can add marks (İ). */
function decompose(text: string): string {
  return text.normalize('NFKD').toLowerCase().normalize('NFKD')
}

const undecomposed: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'e',
  œ: 'e',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ŋ: 'n',
}

/**
 * Rules of spelling. They are repeated until nothing changes, so that folding twice changes nothing. This ends, because
 * each rule shortens the word, removes a sort of letter, or turns an o into an a.
 */
const spellings: readonly (readonly [RegExp, string])[] = [
  [/x/g, 'ks'], // Laxmi, Lakshmi
  [/q/g, 'k'],
  [/z/g, 'j'], // Bazaar, Bajar
  [/ee/g, 'i'], // Shree, Shri
  [/oo/g, 'u'],
  [/o[uw](?![aeiou])/g, 'o'], // Bouddha, Bodha; Chowk, Chok
  [/au/g, 'o'], // Bauddha
  [/f/g, 'ph'], // Fulbari, Phulbari
  [/(?<=[bcdgjkpst])h/g, ''], // Machhindra, Machindra; Shashwat, Shashwath; IAST c and s with a mark
  [/[vw]/g, 'b'], // Bhairav, Bhairab; Vinayak, Binayak; Swayambhu, Svayambhu
  [/([a-z])\1+/g, '$1'], // Akkala, Akala; Kaalika, Kalika
  [/sbo/g, 'sba'], // Kapileshwor, Kapileshwar; Saraswoti, Saraswati
  [/(?<=^[a-z]+[aeiou][bcdghjklmnprstyz])a$/, ''], // Shiva, Shiv; the silent vowel of Devanagari; kept after two consonants (Durga)
]

/** The rules for the beginning of a word. The last rule is left out, since the final vowel is not typed yet. */
const beginningSpellings = spellings.slice(0, -1)

/** Turns a plain word into the one spelling that represents all its spellings. */
export const respell = (word: string): string => applySpellings(spellings, word)

/** Does the same as `respell` with the beginning of a word. */
export const respellBeginning = (letters: string): string => applySpellings(beginningSpellings, letters)

function applySpellings(rules: typeof spellings, word: string): string {
  if (!respellable().test(word)) return word
  const next = rules.reduce((text, [pattern, spelling]) => text.replace(pattern, spelling), word)
  return next === word ? word : applySpellings(rules, next)
}

/**
 * Matches words that some rule may change. Most words match nothing, and one test is cheaper than running every rule.
 * The last rule applies only to words that end with "a".
 */
const respellable = once(() => new RegExp([...beginningSpellings.map(([pattern]) => pattern.source), 'a$'].join('|')))

/** Filler words: English and Nepali words that join, ask or honour. They hardly distinguish names. */
export const fillerWords = `a an the of and or in on at to for from by with near is are was were do does did has it its
  what where who which when why how tell show find give me about shri sri shree lord ko ka ki ke cha chan ho ra kaha kahan kun kati nepal`

/** Stop words: English and Nepali words of questions. No name consists of them. */
export const stopWords = `i me my we our you your he she it its they them their this that these those there here am be been being
  do does did has have had can could may might must shall should will would any all some many much most more than then as if so
  into onto over under through between about against during before after above below up down out off again once not nor
  own same too very just also both each other another which whom whose while because until upon within without among
  they went go goes come came made make please want know see list wanted called named known
  haru haruko harule ma lai bata le sanga samma dekhi pani ra tatha ani yo tyo ke kun kasko kasle kasari kahile kina
  photo photos picture pictures video map information info facts
  hun hoo thiyo garne bhayeko garieko`

/**
 * Filler and stop words that only follow another word. At the beginning of a question they have another meaning: Than
 * is a shrine.
 */
export const trailingWords =
  'than haru haruko harule ma lai bata le sanga samma pani ra cha chan ho hun hoo thiyo nepal'

/** Folded words for sorts of things, parts of places and honours. */
export const sortWords = once((): ReadonlySet<string> => new Set(fold(lexicon().sorts).split(' ')))

/** Folded names of towns and of the country. */
export const townWords = once((): ReadonlySet<string> => new Set(fold(lexicon().towns).split(' ')))

/** Folded words that many names share: `sortWords` and the common deities. */
export const genericWords = once(
  (): ReadonlySet<string> => new Set(fold(`${lexicon().sorts} ${lexicon().beings}`).split(' ')),
)

const deities = once((): ReadonlySet<string> => new Set(fold(lexicon().beings).split(' ')))
