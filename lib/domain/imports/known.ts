import { isDeepStrictEqual } from 'node:util'
import { addressOf, recordId } from '../../base/ids/address.ts'
import { getMany, itemIn } from '../../engines/table/index.ts'
import { foldedName, readEntry } from '../../platform/name-index/entries.ts'
import { type Actor, mayInspect, worksOn } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { cellText } from '../cell-text.ts'
import { type Kind, kinds } from '../kinds/index.ts'
import { isLink } from '../names/text.ts'
import type { Values } from '../names/values.ts'
import type { Header } from '../records/build.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { isAtPoint } from '../records/place.ts'
import { showRecords } from '../records/shown.ts'
import { visibleValues } from '../records/views/record.ts'
import type { Mapping } from './mapping.ts'
import { findWanted, type Wanted, wantText } from './sweep.ts'

/** What a row's record is searched by. */
export type Sought = { row: number; id: string | undefined; header: Header | undefined }

/** The records of rows, by the number of the row, with the values that the caller may see. */
export async function findRecordsOfRows(
  mapping: Mapping,
  rows: readonly Sought[],
  actor: Actor,
): Promise<Map<number, RecordItem>> {
  const candidates = await candidatesFor(mapping, rows)
  const ids = [...new Set([...candidates.values()].flat())]
  const heads = await loadHeads(ids)
  const found = new Map<number, RecordItem>()
  for (const { row, header } of rows) {
    const records = (candidates.get(row) ?? []).flatMap((id) => heads.get(id) ?? [])
    const visible = records.filter((it) => !it.deleted_at && mayInspect(actor, it))
    const same = visible.filter(
      (it) => mapping.match !== 'name_and_place' || (header && isAtPoint(it, header.point, actor)),
    )
    // The caller's own record comes first, then a public one.
    const best = same.find((it) => it.contributor_id === actor.id) ?? same.find((it) => it.public) ?? same[0]
    if (best) found.set(row, best)
  }
  return asSeenBy(actor, found)
}

/** Waiting values are for those who work on a record. For anybody else, the accepted values that they may see are compared. */
async function asSeenBy(actor: Actor, found: ReadonlyMap<number, RecordItem>): Promise<Map<number, RecordItem>> {
  const theirs = [...found.values()].filter((it) => !worksOn(actor, it))
  const seen = new Map(
    (await showRecords(actor, theirs)).map((it): [string, RecordItem] => [
      it.entity_id,
      { ...it, data: visibleValues(it, it.data, actor), proposed: null },
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
    wantText(wanted, at.pk, at.prefix)
    const place = `${at.pk} ${at.prefix}`
    places.set(place, [...(places.get(place) ?? []), row])
  }
  await findWanted(wanted, MOST, (pk, prefix, item) => {
    const { entity_id } = readEntry(item)
    for (const row of places.get(`${pk} ${prefix}`) ?? []) found.set(row, [...(found.get(row) ?? []), entity_id])
  })
  return found
}

/** Records of one name or identifier that are compared at most. */
const MOST = 10

function placeOf(match: Mapping['match'], kind: string, { identifier, names }: Header) {
  if (match === 'identifier')
    return identifier ? { pk: key.identifier(kind, identifier, '').pk, prefix: identifier } : undefined
  const name = foldedName(names[0] ?? '')
  return name === '' ? undefined : { pk: key.name(kind, name, '').pk, prefix: name }
}

/** The review identity for an id in a table. */
function entityOf({ code }: Kind, id: string): string | undefined {
  const plain = id.trim().replace(/^#/, '').toLowerCase()
  if (/^[1-9]\d{0,11}$/.test(plain)) return recordId(code, Number(plain))
  return addressOf(plain)?.kindCode === code ? plain : undefined
}

/** The heads of these records. */
export async function loadHeads(ids: readonly string[]): Promise<Map<string, RecordItem>> {
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

/** The values that a row is compared with: those of a waiting edit, if there is one. */
export const currentValues = (it: RecordItem): Values => it.proposed ?? it.data

const textIn = (kind: Kind, values: Values, name: string): string => {
  const field = kind.fields[name]
  return field ? cellText(field, values[name]) : ''
}

/** Whether the record still has the values from which these changes start. */
export const isUnchanged = (it: RecordItem, changes: readonly { field: string; from: string }[]): boolean =>
  changes.every(({ field, from }) => textIn(kinds[it.kind], currentValues(it), field) === from)

/** The fields in which a row differs from a record: the present text, and the row's text. */
export function listDifferences(
  kind: Kind,
  now: Values,
  row: { values: Values; cleared: readonly string[]; texts: ReadonlyMap<string, string> },
): { field: string; from: string; to: string }[] {
  const text = (name: string) => textIn(kind, now, name)
  const differing = Object.entries(row.values).filter(
    ([name, value]) => !isSame(now[name], value) && text(name) !== row.texts.get(name)?.normalize('NFC'),
  )
  return [
    ...differing.map(([field]) => ({ field, from: text(field), to: row.texts.get(field) ?? '' })),
    ...row.cleared.flatMap((field) => (text(field) === '' ? [] : [{ field, from: text(field), to: '' }])),
  ]
}

/** Links are equal if they lead to the same record. */
function isSame(a: unknown, b: unknown): boolean {
  const ids = (value: unknown) => (Array.isArray(value) && value.every(isLink) ? value.map((it) => it.id) : undefined)
  const [left, right] = [ids(a), ids(b)]
  return left && right && left.length > 0
    ? isDeepStrictEqual(left, right) && !right.includes(0)
    : isDeepStrictEqual(a, b)
}
