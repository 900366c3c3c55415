import { once } from '../../base/once.ts'
import { plainWords } from './fold.ts'
import { lexicon } from './lexicon.ts'

/** Months by their names in plain letters: the halves of the Gregorian year, 0 to 23, that each of them fills. */
const halvesByName = once(
  () =>
    new Map(
      lexicon().months.flatMap(({ names, halves }) =>
        names.map((name) => [plainWords(name).join(' '), halves] as const),
      ),
    ),
)
const HALVES = 24
const joins: ReadonlySet<string> = new Set(['and', 'or', 'to', 'until', 'month', 'of', 'in', 'the'])

/**
 * The halves of the Gregorian year that a text names, if it names months and nothing else: 14 to 17 of "Aug-Sep", 15 and 16 of "Bhadra".
 * "June to August" has July in it. Undefined for other texts.
 */
export function readMonths(text: string): ReadonlySet<number> | undefined {
  const found: (readonly number[])[] = []
  for (const word of plainWords(text)) {
    const halves = halvesByName().get(word)
    if (halves) found.push(halves)
    else if (!joins.has(word)) return undefined
  }
  if (found.length === 0) return undefined
  const [from, until] = [found[0]?.[0] ?? 0, found.at(-1)?.at(-1) ?? 0]
  const isRange = found.length === 2 && /[-–—]|\b(to|until)\b/.test(text)
  if (!isRange) return new Set(found.flat())
  return new Set(Array.from({ length: ((until - from + HALVES) % HALVES) + 1 }, (_, step) => (from + step) % HALVES))
}
