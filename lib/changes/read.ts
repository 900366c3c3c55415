import { type KindKey, recordKinds } from '../kinds/keys.ts'
import { parse } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { get, queryBetween } from '../table/read.ts'
import { type Current, current, type Entry, end, entry, type LastTold, lastTold } from './items.ts'

/** The number of the last change, 0 before the first; strongly consistent. */
export const lastNumber = async (): Promise<number> => (await get(end, {}))?.number ?? 0

/** The changes after a number, in order and without a gap, at most `limit` of them. One query, however many there are. */
export async function changesAfter(number: number, limit: number): Promise<Entry[]> {
  const [from, to] = [key.change(number + 1), key.change(number + limit)]
  return (await queryBetween(from.pk, from.sk, to.sk, limit)).map((item) => parse(entry, item))
}

/** One change by its number. */
export const changeAt = (number: number): Promise<Entry | undefined> => get(entry, { number })

/** Where a list of things by when they changed last goes on: in this kind, after this place. */
export type Place = { kind: string; after: string }

/** The kinds of record that are told of; each has a list of its own. */
export const toldKinds: readonly KindKey[] = [...recordKinds, 'entity']

/**
 * Things by kind, each by when it changed last, the withdrawn among them: those from one moment until another, both
 * included, at most `limit` and whether there are more. One query for each kind that it passes, and no more however many
 * things there are.
 */
export async function thingsBetween(
  span: { from: string; until: string; kinds: readonly string[] },
  place: Place | undefined,
  limit: number,
): Promise<{ things: Current[]; more: boolean }> {
  const things: Current[] = []
  for (const kind of place ? span.kinds.slice(span.kinds.indexOf(place.kind)) : span.kinds) {
    const from = place?.kind === kind ? `${place.after}~` : span.from
    // The sign after all others: what is in the last second is within it.
    const until = `${span.until}~`
    const left = limit + 1 - things.length
    const items = from <= until ? await queryBetween(key.changed(kind, '', 0).pk, from, until, left) : []
    things.push(...items.map((item) => parse(current, item)))
    if (things.length > limit) return { things: things.slice(0, limit), more: true }
  }
  return { things, more: false }
}

/** What was told last of a thing, by its id. */
export const lastToldOf = (id: string): Promise<LastTold | undefined> => get(lastTold, { id })

/** The place of a thing in such a list. */
export const placeOf = ({ kind, at, number }: Current): Place => ({ kind, after: key.changed(kind, at, number).sk })
