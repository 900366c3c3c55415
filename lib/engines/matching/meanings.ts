import { once } from '../../base/once.ts'
import { fold, plainWords, respell } from './fold.ts'
import { lexicon } from './lexicon.ts'

/** The most words of a phrase. */
const MOST_WORDS = 4

/** Maps each folded phrase to one word that stands for its whole group. A phrase of two groups belongs to the first. */
function meaningsOf(groups: readonly (readonly string[])[]): ReadonlyMap<string, string> {
  const meanings = new Map<string, string>()
  for (const phrases of groups)
    for (const phrase of phrases.map(fold))
      if (!meanings.has(phrase)) meanings.set(phrase, `#${fold(phrases[0] ?? '')}`)
  return meanings
}
const same = once(() => meaningsOf(lexicon().same))

/** The digits for each word for a number. Words are in plain letters. */
const numbers = once(
  () =>
    new Map(
      Object.entries(lexicon().numbers).flatMap(([digits, words]) =>
        words.map((word) => [plainWords(word).join(''), digits] as const),
      ),
    ),
)

/** Replaces the digits of any script by 0 to 9. Unicode lists the ten digits of a script in a row, from zero. */
const latinDigits = (text: string): string =>
  text.replace(/(?![0-9])\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0
    let zero = code
    while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1
    return String(code - zero)
  })

/**
 * The folded words of a text. Words for numbers become digits. A phrase with synonyms becomes the one word that stands for all of them.
 */
export function meaningWords(text: string): string[] {
  const words = plainWords(latinDigits(text)).map((word) => numbers().get(word) ?? respell(word))
  const found: string[] = []
  for (let from = 0; from < words.length; ) {
    const { meaning, size } = meaningAt(words, from, same())
    found.push(meaning)
    from += size
  }
  return found
}

const apart = once(() => new Set(meaningsOf(lexicon().apart).values()))

/** Whether a word of `meaningWords` tells two things of one name apart: a number, or a word such as old. */
export const tellsApart = (word: string): boolean => /^\d+$/.test(word) || apart().has(word)

function meaningAt(words: readonly string[], from: number, meanings: ReadonlyMap<string, string>) {
  for (let size = Math.min(MOST_WORDS, words.length - from); size > 0; size -= 1) {
    const phrase = words.slice(from, from + size).join(' ')
    const meaning = meanings.get(phrase) ?? meanings.get(phrase.replace(/s$/, ''))
    if (meaning !== undefined) return { meaning, size }
  }
  return { meaning: words[from] ?? '', size: 1 }
}

/** An amount in a unit. `of`: what the unit measures. `doubt`: half a step of the last given digit, in the base unit. Example: 0.05 for 1.5 m. */
export type Quantity = { amount: number; of: string; doubt: number }

const units = once(
  () =>
    new Map(lexicon().units.flatMap((unit) => unit.words.map((word) => [plainWords(word).join(''), unit] as const))),
)

/** Reads a text that is an amount in a unit: "1.5 m", "eight days", "५ दिन". Undefined for any other text. */
export function readQuantity(text: string): Quantity | undefined {
  const [, figure = '', word = ''] =
    /^\s*([\d.,]+|\p{L}[\p{L}\p{M}]*)\s*(\p{L}[\p{L}\p{M}]*)\.?\s*$/u.exec(latinDigits(text)) ?? []
  const plain = plainWords(word).join('')
  const unit = units().get(plain) ?? units().get(plain.replace(/s$/, ''))
  const digits = /^\d/.test(figure)
    ? figure.replace(/(?<=\d),(?=\d{3})/g, '')
    : numbers().get(plainWords(figure).join(''))
  if (!unit || digits === undefined || !/^\d+(?:\.\d+)?$/.test(digits)) return undefined
  const decimals = digits.split('.')[1]?.length ?? 0
  return { amount: Number(digits) * unit.is, of: unit.of, doubt: (0.5 * unit.is) / 10 ** decimals }
}
