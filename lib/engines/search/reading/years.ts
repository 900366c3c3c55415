import { clock } from '../../../base/clock.ts'
import { MOST_YEAR_WORDS, readYears } from '../where.ts'
import { grammarAt, hasRole } from './grammar.ts'
import { type Token, textOf } from './tokens.ts'

/** Years CE, both included. */
export type Years = { from: number; to: number }

/** The years that a text names: `1702`, `BS 1759`, `300 BCE`, `the 17th century`, `1700s`. Undefined if it names none. */
function yearsNamed(tokens: readonly Token[]): Years | undefined {
  const text = textOf(tokens.filter(({ plain }, i) => i > 0 || !hasRole(plain, 'noise')))
  const decade = /^(\d{2,3})0s$/.exec(text)?.[1]
  if (decade !== undefined)
    return { from: Number(decade) * 10, to: Number(decade) * 10 + (decade.endsWith('0') ? 99 : 9) }
  // A number of one or two digits is no year by itself: "after 2 days".
  return /\d{3}|\p{N}.*\p{L}|\p{L}.*\p{N}/u.test(text) ? readYears(text) : undefined
}

/** Finds the years that the first words of a part name; the longest text wins. Returns how many words it has. */
export function findYears(tokens: readonly Token[]): { years: Years; size: number } | undefined {
  for (let size = Math.min(MOST_YEAR_WORDS, tokens.length); size > 0; size -= 1) {
    const years = yearsNamed(tokens.slice(0, size))
    if (years) return { years, size }
  }
  return undefined
}

/** Finds the years between two ends: "1700 and 1760". Undefined if either end is no year. */
export function findSpan(tokens: readonly Token[]): { years: Years; size: number } | undefined {
  const first = findYears(tokens)
  if (!first) return undefined
  // "1700 to 1760" may be read as one text.
  if (first.years.to > first.years.from && first.size > 1) return first
  const joins = hasRole(tokens[first.size]?.plain ?? '', 'and')
  const second = joins ? findYears(tokens.slice(first.size + 1)) : undefined
  if (!second || second.years.to < first.years.from) return undefined
  return { years: { from: first.years.from, to: second.years.to }, size: first.size + 1 + second.size }
}

/**
 * An age in years, as the year of a beginning. `role`: before or after that year. `isWhole`: no words before it are needed. `to`: the token
 * after it.
 */
export type Age = { year: number; role: 'before' | 'after'; isWhole: boolean; to: number }

/** The age at a token: "500 years old", "500 barsa bhanda purano", or "500 years" of "older than 500 years". */
export function ageAt(tokens: readonly Token[], at: number): Age | undefined {
  const number = tokens[at]?.plain ?? ''
  const unit = /^\d{1,5}$/.test(number) ? grammarAt(tokens, at + 1) : undefined
  if (unit?.role !== 'age') return undefined
  const year = clock.now().getUTCFullYear() - Number(number)
  const after = grammarAt(tokens, unit.to)
  if (after?.side === 'follows' && (after.role === 'before' || after.role === 'after'))
    return { year, role: after.role, isWhole: true, to: after.to }
  return { year, role: 'before', isWhole: unit.side === 'alone', to: unit.to }
}
