import * as v from 'valibot'
import type { Language } from '../../base/language/languages.ts'
import * as s from '../../base/shapes.ts'
import { convertDate, findPeriod, isFault, readDateOrFault } from '../../engines/calendars/index.ts'
import { ConvertedDateView } from '../../platform/http/shown-dates.ts'
import type { Actor } from '../../platform/permissions.ts'
import { findPeriodByName } from './periods.ts'

/** A date as it was typed. A bare year is read in `calendar`. `language` is that of the answer. */
type TypedDate = { words: string; calendar: unknown; language: Language }

/** `period`: the record that the words name, if they are no date. */
export const ReadDateView = s.shape('ReadDate', () =>
  v.object({
    understood: v.boolean(),
    message: s.maybe(s.text),
    period: s.maybe(v.object({ id: s.whole, name: s.text, cultural_entity_id: s.uuid })),
    date: s.maybe(ConvertedDateView),
  }),
)

/**
 * Reads a typed date. Returns its bounds in every calendar, or why it is no date. Words are tried in this order:
 *
 * 1. As a date. No call.
 * 2. As the name of a record of a period, such as a reign, that the caller may see. Costs the calls of `findPeriodByName`.
 * 3. As a period of the built-in table.
 */
export async function understandDate({ words, calendar, language }: TypedDate, actor: Actor) {
  const reading = readDateOrFault(words, calendar)
  if (!isFault(reading))
    return { understood: true, message: null, period: null, date: convertDate(words, reading, { language }) }
  const named = await findPeriodByName(words, actor)
  if (named)
    return {
      understood: true,
      message: null,
      period: named.period,
      date: convertDate(words, named.bounds, { language }),
    }
  const builtIn = findPeriod(words)
  if (builtIn) {
    const bounds = { ...builtIn, calendar: 'gregorian' as const }
    return { understood: true, message: null, period: null, date: convertDate(words, bounds, { language }) }
  }
  return { understood: false, message: reading.fault, period: null, date: null }
}
