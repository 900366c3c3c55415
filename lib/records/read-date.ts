import { converted, dateIn } from '../calendars/conversion.ts'
import { periodIn } from '../calendars/periods.ts'
import { isFault } from '../calendars/systems.ts'
import type { Language } from '../language/languages.ts'
import type { Actor } from '../permissions.ts'
import { periodNamed } from './periods.ts'

/** What someone types, the calendar in which they mean bare numbers, and the language in which they read. */
type Typed = { words: string; calendar: unknown; language: Language }

/**
 * What is understood of a date as someone types it: its bounds in every calendar, or why it is none. Words that are no date may name a
 * period of history, such as a reign, that the asker may see, or one that is known anyhow: then its bounds are meant. Two calls for those, else none.
 */
export async function understoodOf({ words, calendar, language }: Typed, actor: Actor) {
  const found = dateIn(words, calendar)
  if (!isFault(found))
    return { understood: true, message: null, period: null, date: converted(words, found, { language }) }
  const named = await periodNamed(words, actor)
  if (named)
    return { understood: true, message: null, period: named.period, date: converted(words, named.bounds, { language }) }
  const known = periodIn(words)
  if (known) {
    const bounds = { ...known, calendar: 'gregorian' as const }
    return { understood: true, message: null, period: null, date: converted(words, bounds, { language }) }
  }
  return { understood: false, message: found.fault, period: null, date: null }
}
