import { dice } from './fill.ts'
import type { Query, Row } from './rows.ts'

/**
 * Questions that no file holds: names of the real rows, spoilt in ways of their own by seeded dice, the same in every run.
 * What is right goes by plain equality of letters, so that the folding under test does not judge itself. The rows are split
 * into two halves by their id: `tuned` may be looked at while ranking is changed, `held` only measured.
 */
export function heldOut(rows: readonly Row[]): (Query & { half: Half })[] {
  const names = rows.map((row) => ({ id: row.id, all: namesOf(row).map(plain) }))
  return ways.flatMap(({ way, from, make, right }, at) => {
    const roll = dice(1000 + at)
    const bases = shuffled(rows, roll).flatMap((row) => namesOf(row).map((name) => ({ id: row.id, name })))
    const made: (Query & { half: Half })[] = []
    for (const { id, name } of bases) {
      if (made.length === EACH) break
      const spoilt = from(name) ? make(name, roll) : undefined
      if (spoilt === undefined || (right !== 'none' && spoilt.query === name)) continue
      const query = spoilt.query.trim()
      const fits = rightBy[right](plain(spoilt.of ?? name), plain(query))
      const expected_ids = names.filter(({ all }) => all.some(fits)).map((row) => row.id)
      // Among more rows than are shown, equally right, which of them are shown tells nothing.
      if (expected_ids.length > 10) continue
      made.push({ query, perturbation: way, expected_ids: right === 'none' ? [] : expected_ids, half: halfOf(id) })
    }
    return made
  })
}

export type Half = 'tuned' | 'held'
export const halves = ['tuned', 'held'] as const

/** So many questions of each way, or as many as the names allow. */
const EACH = 120

type Roll = () => number
/** `of`: the part of the name that the question stands for, where it is not all of it. */
type Spoilt = { query: string; of?: string }
type Way = {
  way: string
  from: (name: string) => boolean
  make: (name: string, roll: Roll) => Spoilt | undefined
  right: keyof typeof rightBy
}

/** Whether a name is a right answer, by the name or part that was spoilt and by the question. */
const rightBy = {
  same: (of: string, query: string) => (name: string) => name === of || name === query,
  begins: (of: string, query: string) => (name: string) => name.startsWith(of) || name.startsWith(query),
  'a word begins': (_: string, query: string) => (name: string) => ` ${name}`.includes(` ${query}`),
  words: (of: string, query: string) => (name: string) =>
    name === of || query.split(' ').every((word) => name.split(' ').includes(word)),
  none: () => () => false,
}

const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u200b-\u200d'’]/g, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .normalize('NFC')
    .trim()

const namesOf = (row: Row): string[] => {
  const list = (value: unknown) => (Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [])
  return [row.name, ...list(row.name_ne), ...list(row.alternate_names)]
}

/** FNV-1a. */
function halfOf(id: string): Half {
  let hash = 0x811c9dc5
  for (const letter of id) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193)
  return ((hash ^ (hash >>> 15)) & 1) === 0 ? 'tuned' : 'held'
}

function shuffled<T>(all: readonly T[], roll: Roll): T[] {
  const mixed = [...all]
  for (let i = mixed.length - 1; i > 0; i -= 1) {
    const j = Math.floor(roll() * (i + 1))
    ;[mixed[i], mixed[j]] = [mixed[j] as T, mixed[i] as T]
  }
  return mixed
}

const pick = <T>(all: readonly T[], roll: Roll): T | undefined => all[Math.floor(roll() * all.length)]
const whole = (query: string | undefined): Spoilt | undefined => (query === undefined ? undefined : { query })
/** What is typed so far stands for itself. */
const part = (query: string): Spoilt => ({ query, of: query })

const isDevanagari = (name: string) => /[\u0900-\u097f]/.test(name)
const isLatin = (name: string) => /^[\x20-\x7e]+$/.test(name) && /[a-z]{4}/i.test(name)
const latin = (least: number) => (name: string) => isLatin(name) && name.length >= least
const several = (least: number) => (name: string) => isLatin(name) && name.split(' ').length >= least
const devanagari = (name: string) => isDevanagari(name) && name.length >= 6

/** Places in a text where a pattern matches. */
const placesOf = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(({ index }) => index)
const at = (text: string, place: number, length: number, put: string) =>
  text.slice(0, place) + put + text.slice(place + length)

const alphabet = [...'abcdefghijklmnopqrstuvwxyz']
const keyboard: readonly string[] = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm']

/** The keys around a letter. */
function neighboursOf(letter: string): string[] {
  const row = keyboard.findIndex((keys) => keys.includes(letter))
  const column = keyboard[row]?.indexOf(letter) ?? -1
  return [row - 1, row, row + 1]
    .flatMap((near) => [column - 1, column, column + 1].map((place) => keyboard[near]?.[place] ?? letter))
    .filter((key) => key !== letter)
}

/** A letter left out, put in, replaced by a key beside it, or swapped with the next, somewhere in a text. */
function slipped(text: string, roll: Roll, from = 0): string {
  const place = pick(
    placesOf(text, /(?<=[a-z])[a-z](?=[a-z])/gi).filter((each) => each >= from),
    roll,
  )
  if (place === undefined) return text
  const [a = '', b = ''] = [text[place], text[place + 1]]
  const slips = [b, a + (pick(alphabet, roll) ?? '') + b, (pick(neighboursOf(a.toLowerCase()), roll) ?? '') + b, b + a]
  return at(text, place, 2, pick(slips, roll) ?? '')
}

/** A text with one of the spellings that stand in it written another way. */
function respelt(text: string, ways: readonly (readonly [RegExp, string])[], roll: Roll): string | undefined {
  const there = ways.flatMap(([pattern, other]) => [...text.matchAll(pattern)].map((found) => ({ found, other })))
  const one = pick(there, roll)
  return one && at(text, one.found.index, one.found[0].length, one.other)
}

/** A text with one of its words exchanged for the other of a pair. */
function wordSwapped(text: string, pairs: readonly (readonly [string, string])[], roll: Roll): string | undefined {
  const words = text.split(' ')
  const there = words.flatMap((word, i) =>
    pairs.flatMap(([a, b]) =>
      word.toLowerCase() === a ? [[i, b] as const] : word.toLowerCase() === b ? [[i, a] as const] : [],
    ),
  )
  const one = pick(there, roll)
  return one && words.map((word, i) => (i === one[0] ? one[1] : word)).join(' ')
}

/** How one writer spells what another spells otherwise. */
const transliterations: readonly (readonly [RegExp, string])[] = [
  [/sh(?!r)/gi, 's'],
  [/(?<=[aeiou])s(?=[aeiou])/gi, 'sh'],
  [/v/gi, 'b'],
  [/v/gi, 'w'],
  [/w/gi, 'v'],
  [/b(?!h)/gi, 'v'],
  [/ee/gi, 'i'],
  [/i(?=[a-z])/gi, 'ee'],
  [/oo/gi, 'u'],
  [/u(?=[a-z])/gi, 'oo'],
  [/(?<=[b-df-hj-np-tv-z])a(?=[b-df-hj-np-tv-z])/gi, 'aa'],
  [/chh/gi, 'ch'],
  [/ch(?!h)/gi, 'chh'],
  [/ksh/gi, 'x'],
  [/x/gi, 'ksh'],
  [/laxmi/gi, 'lakshmi'],
  [/th/gi, 't'],
  [/dh/gi, 'd'],
  [/bh/gi, 'b'],
  [/ph/gi, 'f'],
  [/eshwar/gi, 'eshwor'],
  [/eshwor/gi, 'esvara'],
  [/nath\b/gi, 'natha'],
  [/narayan\b/gi, 'narayana'],
  [/mahadev\b/gi, 'mahadeva'],
  [/mb/gi, 'nb'],
  [/ou/gi, 'au'],
  [/ow\b/gi, 'o'],
  [/gy/gi, 'jn'],
  [/z/gi, 'j'],
  [/ai/gi, 'ay'],
  [/aha/gi, 'ah'],
]

const kinds = [
  ...([
    ['temple', 'mandir'],
    ['palace', 'durbar'],
    ['stupa', 'chaitya'],
    ['pokhari', 'pond'],
    ['gompa', 'monastery'],
  ] as const),
  ...([
    ['jatra', 'festival'],
    ['statue', 'murti'],
    ['gufa', 'cave'],
    ['gompa', 'gumba'],
    ['well', 'kuwa'],
    ['hiti', 'spout'],
  ] as const),
] as const

const matras: readonly (readonly [RegExp, string])[] = [
  [/ि/g, 'ी'],
  [/ी/g, 'ि'],
  [/ु/g, 'ू'],
  [/ू/g, 'ु'],
  [/े/g, 'ै'],
  [/ै/g, 'े'],
  [/ो/g, 'ौ'],
  [/ौ/g, 'ो'],
  [/ँ/g, 'ं'],
  [/श/g, 'स'],
  [/स/g, 'श'],
  [/श/g, 'ष'],
  [/ष/g, 'श'],
  [/व/g, 'ब'],
  [/ब/g, 'व'],
  [/ण/g, 'न'],
  [/न/g, 'ण'],
  [/ड/g, 'ड़'],
  [/ढ/g, 'ढ़'],
  [/न्/g, 'ं'],
  [/म्/g, 'ं'],
]

const clusters = new Intl.Segmenter('ne', { granularity: 'grapheme' })
const clustersOf = (text: string) => [...clusters.segment(text)].map(({ segment }) => segment)

const ways: readonly Way[] = [
  {
    way: 'two slips in a long name',
    from: latin(12),
    make: (name, roll) =>
      whole(
        slipped(
          slipped(name.slice(0, name.length >> 1), roll) + name.slice(name.length >> 1),
          roll,
          (name.length >> 1) + 1,
        ),
      ),
    right: 'same',
  },
  {
    way: 'slip in a first letter',
    from: latin(6),
    make: (name, roll) => {
      const place = pick(placesOf(name, /\b[a-z](?=[a-z]{3})/gi), roll)
      if (place === undefined) return undefined
      const [a = '', b = ''] = [name[place]?.toLowerCase(), name[place + 1]]
      const slips = [
        b,
        (pick(
          alphabet.filter((each) => each !== a),
          roll,
        ) ?? '') + b,
        b + a,
      ]
      return whole(at(name, place, 2, pick(slips, roll) ?? ''))
    },
    right: 'same',
  },
  {
    way: 'a key beside',
    from: latin(6),
    make: (name, roll) => {
      const place = pick(placesOf(name, /[a-z]/gi), roll) ?? 0
      return whole(at(name, place, 1, pick(neighboursOf(name[place]?.toLowerCase() ?? ''), roll) ?? ''))
    },
    right: 'same',
  },
  {
    way: 'letter doubled or not',
    from: latin(6),
    make: (name, roll) => {
      const twice = pick(placesOf(name, /([a-z])\1/gi), roll)
      const once = pick(placesOf(name, /(?<=[a-z])[b-df-hj-np-tv-z](?=[a-z])/gi), roll)
      if (twice !== undefined) return whole(at(name, twice, 1, ''))
      return once === undefined ? undefined : whole(at(name, once, 0, name[once] ?? ''))
    },
    right: 'same',
  },
  {
    way: 'vowel left out',
    from: latin(6),
    make: (name, roll) => {
      const place = pick(placesOf(name, /(?<=[a-z]{2})[aeiou](?=[a-z]{2})/gi), roll)
      return place === undefined ? undefined : whole(at(name, place, 1, ''))
    },
    right: 'same',
  },
  {
    way: 'words joined',
    from: several(2),
    make: (name, roll) => whole(at(name, pick(placesOf(name, / /g), roll) ?? 0, 1, '')),
    right: 'same',
  },
  {
    way: 'word split',
    from: latin(8),
    make: (name, roll) => {
      const place = pick(placesOf(name, /(?<=[a-z]{4})(?=[a-z]{4})/gi), roll)
      return place === undefined ? undefined : whole(at(name, place, 0, ' '))
    },
    right: 'same',
  },
  {
    way: 'beginning of a later word',
    from: several(2),
    make: (name, roll) => {
      const word = pick(
        name
          .split(' ')
          .slice(1)
          .filter((each) => /^[a-z]{5,}$/i.test(each)),
        roll,
      )
      return word === undefined ? undefined : whole(word.slice(0, 4 + Math.floor(roll() * (word.length - 4))))
    },
    right: 'a word begins',
  },
  {
    way: 'words and a beginning',
    from: several(2),
    make: (name, roll) => {
      const last = name.lastIndexOf(' ') + 1
      return part(name.slice(0, last + 1 + Math.floor(roll() * Math.min(4, name.length - last - 1))))
    },
    right: 'begins',
  },
  {
    way: 'beginning with a slip',
    from: latin(9),
    make: (name, roll) => {
      const of = name.slice(0, 6 + Math.floor(roll() * 4))
      return /^[a-z]+$/i.test(of) ? { query: slipped(of, roll), of } : undefined
    },
    right: 'begins',
  },
  {
    way: 'Devanagari beginning',
    from: devanagari,
    make: (name, roll) => {
      const letters = clustersOf(name)
      return letters.length < 4
        ? undefined
        : part(letters.slice(0, 3 + Math.floor(roll() * (letters.length - 3))).join(''))
    },
    right: 'begins',
  },
  {
    way: 'Devanagari, another spelling',
    from: devanagari,
    make: (name, roll) => whole(respelt(name, matras, roll)),
    right: 'same',
  },
  {
    way: 'Devanagari, a slip',
    from: devanagari,
    make: (name, roll) => {
      const letters = clustersOf(name)
      const place = 1 + Math.floor(roll() * (letters.length - 1))
      const [a = '', b = ''] = [letters[place - 1], letters[place]]
      const slips = [[b], [b, a], [a, a, b], [a.slice(0, 1), b]]
      letters.splice(place - 1, 2, ...(pick(slips, roll) ?? []))
      return whole(letters.join(''))
    },
    right: 'same',
  },
  {
    way: 'both scripts in one question',
    from: several(2),
    make: (name, roll) =>
      whole(
        wordSwapped(
          name,
          [
            ['mandir', 'मन्दिर'],
            ['durbar', 'दरबार'],
            ['devi', 'देवी'],
            ['shree', 'श्री'],
            ['narayan', 'नारायण'],
            ['mahadev', 'महादेव'],
            ['jatra', 'जात्रा'],
            ['pati', 'पाटी'],
            ['kathmandu', 'काठमाडौं'],
          ],
          roll,
        ),
      ),
    right: 'same',
  },
  {
    way: 'honorific put in or left out',
    from: latin(5),
    make: (name, roll) => {
      const bare = name.replace(/^(shree|shri|sri|king|lord)\s+/i, '')
      return whole(bare === name ? `${pick(['Shree', 'Shri', 'Sri'], roll)} ${name}` : bare)
    },
    right: 'same',
  },
  {
    way: 'word of the same meaning',
    from: several(2),
    make: (name, roll) => whole(wordSwapped(name, kinds, roll)),
    right: 'same',
  },
  {
    way: 'another transliteration',
    from: latin(5),
    make: (name, roll) => whole(respelt(name, transliterations, roll)),
    right: 'same',
  },
  {
    way: 'two other transliterations',
    from: latin(8),
    make: (name, roll) => whole(respelt(respelt(name, transliterations, roll) ?? name, transliterations, roll)),
    right: 'same',
  },
  {
    way: 'word abbreviated',
    from: several(2),
    make: (name, roll) => {
      const words = name.split(' ')
      const long = words.flatMap((word, i) => (/^[a-z]{6,}$/i.test(word) ? [i] : []))
      const place = pick(long, roll)
      return place === undefined
        ? undefined
        : whole(words.map((word, i) => (i === place ? `${word.slice(0, 4)}.` : word)).join(' '))
    },
    right: 'same',
  },
  {
    way: 'word left out',
    from: several(3),
    make: (name, roll) => {
      const words = name.split(' ')
      const out = Math.floor(roll() * words.length)
      return whole(words.filter((_, i) => i !== out).join(' '))
    },
    right: 'words',
  },
  {
    way: 'other order and a slip',
    from: several(2),
    make: (name, roll) => {
      const [first = '', ...others] = name.split(' ')
      return whole(slipped([...others, first].join(' '), roll))
    },
    right: 'same',
  },
  {
    way: 'a place put in',
    from: latin(6),
    make: (name, roll) => whole(`${name} ${pick(['Patan', 'Kathmandu', 'Bhaktapur', 'in Lalitpur', 'Nepal'], roll)}`),
    right: 'same',
  },
  { way: 'capitals', from: latin(5), make: (name) => whole(name.toUpperCase()), right: 'same' },
  {
    way: 'marks between words',
    from: several(2),
    make: (name, roll) => whole(`“${name.split(' ').join(pick(['-', ', ', ' / ', '_', ' (', '; '], roll))}”?!`),
    right: 'same',
  },
  {
    way: 'a question',
    from: latin(6),
    make: (name, roll) => {
      const question = pick(['where is the #?', 'tell me about #', 'what is #', 'how old is # ?', 'photos of #'], roll)
      return whole(question?.replace('#', name))
    },
    right: 'same',
  },
  {
    way: 'nonsense',
    from: latin(5),
    make: (_, roll) => {
      const word = () => Array.from({ length: 5 + Math.floor(roll() * 4) }, () => pick(alphabet, roll)).join('')
      return whole(Array.from({ length: 1 + Math.floor(roll() * 2) }, word).join(' '))
    },
    right: 'none',
  },
]
