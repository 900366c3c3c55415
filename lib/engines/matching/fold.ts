import { lru } from '../../base/lru.ts'
import { once } from '../../base/once.ts'
import { romanise } from './devanagari.ts'

/**
 * The form in which a name is indexed, looked up and compared: lower-case words of plain letters and digits, with one
 * space between. Devanagari is romanised. Spellings that writers of Nepali and Newar names use for one another become
 * equal. Never fails; a text without letters or digits gives ''. Folding twice changes nothing.
 */
export function fold(name: string): string {
  const known = foldCache.get(name)
  if (known !== undefined) return known
  const made = plainWords(name).map(respell).join(' ')
  if (name.length <= LONGEST_KEPT) foldCache.set(name, made)
  return made
}

/**
 * Where many are compared with many, the same names come again. So many of them stay folded, none longer than names
 * are.
 */
const foldCache = lru<string, string>(10_000)
const LONGEST_KEPT = 100

/** The words of a text in plain lower-case letters, Devanagari romanised, spelt as they were written. */
export function plainWords(text: string): string[] {
  const plain = romanise(decompose(text).replace(invisible, ''))
    .replace(/(?<![aeiou]\p{M}*)r\u0323/gu, 'ri')
    .replace(/j\u0303|jn\u0303/g, 'gy')
    .replace(/\p{M}/gu, '')
    .replace(/[ßæœøđðþłıŋ]/g, (letter) => undecomposed[letter] ?? letter)
  return plain
    .replace(/['’ʼ`´]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/**
 * Whether two names fold alike, with words written together or apart (Mayadevi, Maya Devi). A name that folds to
 * nothing never does.
 */
export function foldAlike(a: string, b: string): boolean {
  const [x, y] = [fold(a), fold(b)]
  return x !== '' && y !== '' && (x === y || fold(a.replace(/[\s-]/g, '')) === fold(b.replace(/[\s-]/g, '')))
}

/**
 * Whether a folded name says only what sort of thing it is and whose ("shiva mandir", "stone stupa"). Equal generic
 * names are no likeness. A deity's name alone is not generic: deities are told apart by it.
 */
export function isGeneric(folded: string): boolean {
  const words = folded.split(' ')
  return (
    words.every((word) => genericWords().has(word) || /^\d*$/.test(word)) && words.some((word) => !deities().has(word))
  )
}

/** Zero-width marks, joiners among them, are typing habits and not part of a name. */
const invisible = /[\u00ad\u200b-\u200f\u2060\ufeff]/g

/** Lower-casing can bring new marks (İ), hence the second pass. */
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

/** Every rule shortens the word or uses up a letter, so repeating them ends; repeating them makes folding idempotent. */
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

/** All rules but the last: in a word that is still being typed no vowel is silent yet. */
const unending = spellings.slice(0, -1)

/** One plain word in the spelling that stands for all of its spellings. */
export const respell = (word: string): string => respeltBy(spellings, word)

/** The same for the beginning of a word. */
export const respellBeginning = (letters: string): string => respeltBy(unending, letters)

function respeltBy(rules: typeof spellings, word: string): string {
  if (!respellable().test(word)) return word
  const next = rules.reduce((text, [pattern, spelling]) => text.replace(pattern, spelling), word)
  return next === word ? word : respeltBy(rules, next)
}

/**
 * Finds words that a rule may change; most words have none. One look costs less than trying each rule. The last rule
 * needs an a at the end.
 */
const respellable = once(() => new RegExp([...unending.map(([pattern]) => pattern.source), 'a$'].join('|')))

/** Words for a sort of building, place or honour. */
const sorts = `mandir mandhir temple tample tempe temole complex devalaya deval deula devata deuta dyo dyah than thaan devithan
  stupa stupas chaitya chorten vihara bihar bahal bahi baha mahavihar gumba gompa gonpa monastery
  pati patti sattal dharmashala math kuti ashram dham gufa cave kunda pokhari hiti dhara dhunge kuwa ghat
  durbar palace museum sangrahalaya gate statue image shrine shivalaya shivalay puja kul kuldevta kulpuja
  area ground main mul old new purano naya small big thulo sano stone the of and at
  shri sri shree lord om baba mata mai maa devi dev deva god goddess nath swami maharaj bhagwan hindu buddhist bouddha`

/** Words that join, ask or honour, in English and Nepali: they say next to nothing of what a thing is called. */
export const fillerWords = `a an the of and or in on at to for from by with near is are was were do does did has it its
  what where who which when why how tell show find give me about shri sri shree lord ko ka ki ke cha chan ho ra kaha kahan kun kati nepal`

/** Words of English and Nepali that a question is put together with and that no name consists of. */
export const stopWords = `i me my we our you your he she it its they them their this that these those there here am be been being
  do does did has have had can could may might must shall should will would any all some many much most more than then as if so
  into onto over under through between about against during before after above below up down out off again once not nor
  own same too very just also both each other another which whom whose while because until upon within without among
  they went go goes come came made make please want know see list wanted called named known
  haru haruko harule ma lai bata le sanga samma dekhi pani ra tatha ani yo tyo ke kun kasko kasle kasari kahile kina
  photo photos picture pictures video map information info facts
  hun hoo thiyo garne bhayeko garieko`

/**
 * Filler and stop words that follow another word. At the beginning of a question they are other words: Than, a shrine.
 */
export const trailingWords =
  'than haru haruko harule ma lai bata le sanga samma pani ra cha chan ho hun hoo thiyo nepal'

/**
 * The towns in which most things with a name stand. Beside a name, a town tells which of several is meant, not what it
 * is called.
 */
const towns = `nepal kathmandu lalitpur patan bhaktapur bhadgaon kirtipur yala yen khwopa`

/** Deities with a shrine in nearly every town. */
const pantheon = `shiva mahadev mahadeva pashupati parvati durga bhagwati bhagawati kali kalika mahakali bhawani
  ganesh ganesha vinayak vishnu bishnu narayan narayana laxmi lakshmi krishna radha ram rama sita janaki hanuman
  saraswati saraswoti brahma bhairav bhairab bhairava bhairavi bhairabi bhimsen kumari buddha surya nag naga shiv panchayan vishwakarma`

/** The words, folded, that name a sort of thing, a place or an honour. */
export const sortWords = once((): ReadonlySet<string> => new Set(fold(sorts).split(' ')))

/** The words, folded, that name a town or the country. */
export const townWords = once((): ReadonlySet<string> => new Set(fold(towns).split(' ')))

/** The words, folded, that a name can share with many others of its sort: `sortWords` and the common deities. */
export const genericWords = once((): ReadonlySet<string> => new Set(fold(`${sorts} ${pantheon}`).split(' ')))

const deities = once((): ReadonlySet<string> => new Set(fold(pantheon).split(' ')))
