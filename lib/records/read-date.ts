import { converted, dateIn } from '../calendars/conversion.ts'
import { intervalIn, type Reading } from '../calendars/reading.ts'
import { isFault } from '../calendars/systems.ts'
import type { Language } from '../language/languages.ts'
import { foldedName, readEntry } from '../names/index.ts'
import { textOf } from '../names/text.ts'
import { type Actor, maySee } from '../permissions.ts'
import { key } from '../table/keys.ts'
import { getMany, itemIn, queryBetween } from '../table/read.ts'
import { type RecordItem, recordItem } from './items.ts'

/** A period of history that words name, as a record. */
type Period = { id: number; name: string; cultural_entity_id: string }

/** What someone types, the calendar in which they mean bare numbers, and the language in which they read. */
type Typed = { words: string; calendar: unknown; language: Language }

/**
 * What is understood of a date as someone types it: its bounds in every calendar, or why it is none. Words that are no date may name a
 * period of history, such as a reign, that the asker may see: then its bounds are meant. Two calls for those, else none.
 */
export async function understoodOf({ words, calendar, language }: Typed, actor: Actor) {
  const found = dateIn(words, calendar)
  if (!isFault(found))
    return { understood: true, message: null, period: null, date: converted(words, found, { language }) }
  const named = await periodNamed(words, actor)
  if (named)
    return { understood: true, message: null, period: named.period, date: converted(words, named.bounds, { language }) }
  return { understood: false, message: found.fault, period: null, date: null }
}

/** What stands before the name of a period when something is dated by it. */
const before = /^\s*(?:(?:in|during|from|of|c\.|circa)\s+)?(?:the\s+)?/i
/** At most this many periods of one name are looked at. */
const MOST_NAMED = 25

/** The published period of this name that says when it was. */
async function periodNamed(words: string, actor: Actor): Promise<{ period: Period; bounds: Reading } | undefined> {
  const folded = foldedName(words.replace(before, ''))
  if (folded === '') return undefined
  const { pk } = key.name('period', folded, '')
  const entries = await queryBetween(pk, `${folded}#`, `${folded}#~`, MOST_NAMED)
  const ids = entries.map((entry) => readEntry(entry).entity_id)
  const found = await getMany(ids.map(key.head))
  const seen = ids
    .flatMap((entity_id) => itemIn(found, recordItem, { entity_id }) ?? [])
    .filter((it) => it.public && !it.deleted_at && maySee(actor, it))
  for (const it of seen) {
    const bounds = boundsOf(it)
    const period = { id: Number(it.id), name: it.name, cultural_entity_id: it.entity_id }
    if (bounds) return { period, bounds }
  }
  return undefined
}

/** From the first day on which a period may have begun to the last on which it may have ended. */
function boundsOf({ data }: RecordItem): Reading | undefined {
  const read = (member: string) => intervalIn(textOf(data[member]), data.calendar_system)
  const whole = read('has_timespan')
  const [begin, end] = [read('start_year') ?? whole, read('end_year') ?? whole]
  if (!begin || !end || begin.from > end.to) return undefined
  return { from: begin.from, to: end.to, approximate: begin.approximate || end.approximate, calendar: 'gregorian' }
}
