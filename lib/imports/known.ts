import { isDeepStrictEqual } from 'node:util'
import { cellText } from '../exports/cell-text.ts'
import { addressOf, recordId } from '../ids/address.ts'
import { type Kind, kinds } from '../kinds/index.ts'
import { foldedName, readEntry } from '../names/index.ts'
import { isLink } from '../names/text.ts'
import type { Values } from '../names/values.ts'
import { type Actor, mayInspect, worksOn } from '../permissions.ts'
import type { Header } from '../records/build.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { isAt } from '../records/place.ts'
import { shownTo } from '../records/shown.ts'
import { valuesFor } from '../records/views/record.ts'
import { key } from '../table/keys.ts'
import { getMany, itemIn } from '../table/read.ts'
import type { Mapping } from './mapping.ts'
import { sweep, type Wanted, want } from './sweep.ts'

/** By what a row finds the record that it is. */
export type Sought = { row: number; id: string | undefined; header: Header | undefined }

/** The records that rows are, by the row's number, as the caller sees them. */
export async function knownRecords(
  mapping: Mapping,
  rows: readonly Sought[],
  actor: Actor,
): Promise<Map<number, RecordItem>> {
  const candidates = await candidatesFor(mapping, rows)
  const ids = [...new Set([...candidates.values()].flat())]
  const heads = await headsOf(ids)
  const found = new Map<number, RecordItem>()
  for (const { row, header } of rows) {
    const records = (candidates.get(row) ?? []).flatMap((id) => heads.get(id) ?? [])
    const visible = records.filter((it) => !it.deleted_at && mayInspect(actor, it))
    const same = visible.filter((it) => mapping.match !== 'name_and_place' || (header && isAt(it, header.point, actor)))
    // One's own goes before what everyone sees.
    const best = same.find((it) => it.contributor_id === actor.id) ?? same.find((it) => it.public) ?? same[0]
    if (best) found.set(row, best)
  }
  return seenBy(actor, found)
}

/** What waits is for those who work on a record; to others it says what they may see of what stands. */
async function seenBy(actor: Actor, found: ReadonlyMap<number, RecordItem>): Promise<Map<number, RecordItem>> {
  const theirs = [...found.values()].filter((it) => !worksOn(actor, it))
  const seen = new Map(
    (await shownTo(actor, theirs)).map((it): [string, RecordItem] => [
      it.entity_id,
      { ...it, data: valuesFor(it, it.data, actor), proposed: null },
    ]),
  )
  return new Map([...found].map(([row, it]) => [row, seen.get(it.entity_id) ?? it]))
}

async function candidatesFor({ match, kind }: Mapping, rows: readonly Sought[]): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>()
  if (match === 'none') return found
  if (match === 'id') {
    for (const { row, id } of rows) {
      const entity = id === undefined ? undefined : entityOf(kinds[kind], id)
      if (entity) found.set(row, [entity])
    }
    return found
  }
  const wanted: Wanted = new Map()
  const places = new Map<string, number[]>()
  for (const { row, header } of rows) {
    const at = header && placeOf(match, kind, header)
    if (!at) continue
    want(wanted, at.pk, at.prefix)
    const place = `${at.pk} ${at.prefix}`
    places.set(place, [...(places.get(place) ?? []), row])
  }
  await sweep(wanted, MOST, (pk, prefix, item) => {
    const { entity_id } = readEntry(item)
    for (const row of places.get(`${pk} ${prefix}`) ?? []) found.set(row, [...(found.get(row) ?? []), entity_id])
  })
  return found
}

/** So many records of one name or identifier are looked at. */
const MOST = 10

function placeOf(match: Mapping['match'], kind: string, { identifier, names }: Header) {
  if (match === 'identifier')
    return identifier ? { pk: key.identifier(kind, identifier, '').pk, prefix: identifier } : undefined
  const name = foldedName(names[0] ?? '')
  return name === '' ? undefined : { pk: key.name(kind, name, '').pk, prefix: name }
}

/** The review identity that an id of a table means. */
function entityOf({ code }: Kind, id: string): string | undefined {
  const plain = id.trim().replace(/^#/, '').toLowerCase()
  if (/^[1-9]\d{0,11}$/.test(plain)) return recordId(code, Number(plain))
  return addressOf(plain)?.kindCode === code ? plain : undefined
}

/** The record items of these review identities. */
export async function headsOf(ids: readonly string[]): Promise<Map<string, RecordItem>> {
  const heads = new Map<string, RecordItem>()
  for (let at = 0; at < ids.length; at += 500) {
    const some = ids.slice(at, at + 500)
    const found = await getMany(
      some.map((id) => key.head(id)),
      true,
    )
    for (const entity_id of some) {
      const it = itemIn(found, recordItem, { entity_id })
      if (it) heads.set(entity_id, it)
    }
  }
  return heads
}

/** The values of a record that a row is compared with. */
export const valuesNow = (it: RecordItem): Values => it.proposed ?? it.data

const textIn = (kind: Kind, values: Values, name: string): string => {
  const field = kind.fields[name]
  return field ? cellText(field, values[name]) : ''
}

/** Whether a record still says what these changes were found to change. */
export const saysStill = (it: RecordItem, changes: readonly { field: string; from: string }[]): boolean =>
  changes.every(({ field, from }) => textIn(kinds[it.kind], valuesNow(it), field) === from)

/** The fields in which a row says something else than these values, with what stands there and what it says. */
export function differences(
  kind: Kind,
  now: Values,
  row: { values: Values; cleared: readonly string[]; texts: ReadonlyMap<string, string> },
): { field: string; from: string; to: string }[] {
  const text = (name: string) => textIn(kind, now, name)
  const said = Object.entries(row.values).filter(
    ([name, value]) => !isSame(now[name], value) && text(name) !== row.texts.get(name)?.normalize('NFC'),
  )
  return [
    ...said.map(([field]) => ({ field, from: text(field), to: row.texts.get(field) ?? '' })),
    ...row.cleared.flatMap((field) => (text(field) === '' ? [] : [{ field, from: text(field), to: '' }])),
  ]
}

/** Links are the same when they lead to one record. */
function isSame(a: unknown, b: unknown): boolean {
  const ids = (value: unknown) => (Array.isArray(value) && value.every(isLink) ? value.map((it) => it.id) : undefined)
  const [left, right] = [ids(a), ids(b)]
  return left && right && left.length > 0
    ? isDeepStrictEqual(left, right) && !right.includes(0)
    : isDeepStrictEqual(a, b)
}
