import * as v from 'valibot'
import { calendarKeys } from '../../../lib/calendars/keys.ts'
import { maybe, oneOf, text, uuid, whole } from './common.ts'

/**
 * A date in one calendar. `from` and `to` are its first and last day as year, month and day in that calendar (of Shaka, years); null where it is open.
 * Of Nepal Sambat months count from Kachhala and days are lunar: 16 to 30 are the dark half; an L marks an intercalary month, and the second day of one lunar day.
 */
export const ShownDate = v.object({
  calendar: oneOf(calendarKeys),
  from: maybe(text),
  to: maybe(text),
  approximate: v.boolean(),
  text,
})
/** A date in the calendar that was asked for, beside its words. */
export const DateShown = v.object({ words: text, ...ShownDate.entries })
/** The dates of a record in the calendar that was asked for, by member, beside their words. */
export const DatesShown = v.record(v.string(), DateShown)
/** A date as it was written, as it was understood, and in other calendars. */
export const ConvertedDate = v.object({
  words: text,
  understood: ShownDate,
  shown: v.object({
    gregorian: v.optional(ShownDate),
    julian: v.optional(ShownDate),
    bikram_sambat: v.optional(ShownDate),
    nepal_sambat: v.optional(ShownDate),
    shaka: v.optional(ShownDate),
  }),
})
/** What is understood of a date that is typed; `period` is the record that the words name, if they are no date. */
export const ReadDate = v.object({
  understood: v.boolean(),
  message: maybe(text),
  period: maybe(v.object({ id: whole, name: text, cultural_entity_id: uuid })),
  date: maybe(ConvertedDate),
})
