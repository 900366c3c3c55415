import { isDeepStrictEqual } from 'node:util'
import { splitIntoParts } from '../../base/concurrency.ts'
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
import { KeySearch } from './key-search.ts'
import type { Mapping } from './mapping.ts'

/** How the record of a row is searched: by the id in its cell, or by its header. */
export type RowReference = { row: number; id: string | undefined; header: Header | undefined }

/** Finds the records that rows are about, by the number of the row, with the values that the caller may see. */
export async function findRecordsOfRows(
  mapping: Mapping,
  rows: readonly RowReference[],
  actor: Actor,
): Promise<Map<number, RecordItem>> {
  const candidates = await findCandidateIds(mapping, rows)
  const heads = await loadHeads([...new Set([...candidates.values()].flat())])
  const records = new Map<number, RecordItem>()
  for (const { row, header } of rows) {
    const visible = (candidates.get(row) ?? [])
      .flatMap((id) => heads.get(id) ?? [])
      .filter((record) => !record.deleted_at && mayInspect(actor, record))
    const fitting = visible.filter(
      (record) => mapping.match !== 'name_and_place' || (header && isAtPoint(record, header.point, actor)),
    )
    // The caller's own record comes first, then a public one.
    const best =
      fitting.find((record) => record.contributor_id === actor.id) ??
      fitting.find((record) => record.public) ??
      fitting[0]
    if (best) records.set(row, best)
  }
  return asSeenBy(actor, records)
}

/** Waiting values are for those who work on a record. For anybody else, the accepted values that they may see are compared. */
async function asSeenBy(actor: Actor, records: ReadonlyMap<number, RecordItem>): Promise<Map<number, RecordItem>> {
  const others = [...records.values()].filter((record) => !worksOn(actor, record))
  const views = new Map(
    (await showRecords(actor, others)).map((record): [string, RecordItem] => [
      record.entity_id,
      { ...record, data: visibleValues(record, record.data, actor), proposed: null },
    ]),
  )
  return new Map([...records].map(([row, record]) => [row, views.get(record.entity_id) ?? record]))
}

/** Finds the ids of the records that each row may be about. */
async function findCandidateIds(
  { match, kind }: Mapping,
  rows: readonly RowReference[],
): Promise<Map<number, string[]>> {
  const ids = new Map<number, string[]>()
  if (match === 'none') return ids
  if (match === 'id') {
    for (const { row, id } of rows) {
      const entity_id = id === undefined ? undefined : reviewIdentityIn(kinds[kind], id)
      if (entity_id) ids.set(row, [entity_id])
    }
    return ids
  }
  const search = new KeySearch()
  const rowsByKey = new Map<string, number[]>()
  for (const { row, header } of rows) {
    const entry = header && nameEntryOf(match, kind, header)
    if (!entry) continue
    search.add(entry.pk, entry.prefix)
    const key = `${entry.pk} ${entry.prefix}`
    rowsByKey.set(key, [...(rowsByKey.get(key) ?? []), row])
  }
  await search.run(CANDIDATES_PER_ROW, (pk, prefix, item) => {
    const { entity_id } = readEntry(item)
    for (const row of rowsByKey.get(`${pk} ${prefix}`) ?? []) ids.set(row, [...(ids.get(row) ?? []), entity_id])
  })
  return ids
}

/** The most records of one name or identifier that are compared. */
const CANDIDATES_PER_ROW = 10

/** Where the name index lists the identifier or the first name of a row. Undefined if the row has none. */
function nameEntryOf(match: Mapping['match'], kind: string, { identifier, names }: Header) {
  if (match === 'identifier')
    return identifier ? { pk: key.identifier(kind, identifier, '').pk, prefix: identifier } : undefined
  const name = foldedName(names[0] ?? '')
  return name === '' ? undefined : { pk: key.name(kind, name, '').pk, prefix: name }
}

/**
 * The review identity for an id cell of an imported file: a number (`7`, `#7`) or the identity itself. Undefined if it is no id
 * of this kind.
 */
function reviewIdentityIn({ code }: Kind, id: string): string | undefined {
  const plain = id.trim().replace(/^#/, '').toLowerCase()
  if (/^[1-9]\d{0,11}$/.test(plain)) return recordId(code, Number(plain))
  return addressOf(plain)?.kindCode === code ? plain : undefined
}

/** Heads that are loaded together, which takes five calls. */
const HEADS_AT_ONCE = 500

/** Loads the heads of these records, by review identity. An absent record is left out. */
export async function loadHeads(ids: readonly string[]): Promise<Map<string, RecordItem>> {
  const heads = new Map<string, RecordItem>()
  for (const part of splitIntoParts(ids, HEADS_AT_ONCE)) {
    const items = await getMany(part.map(key.head), true)
    for (const entity_id of part) {
      const head = itemIn(items, recordItem, { entity_id })
      if (head) heads.set(entity_id, head)
    }
  }
  return heads
}

/** The values with which a row is compared: those of a waiting edit, else those that stand. */
export const currentValues = ({ proposed, data }: RecordItem): Values => proposed ?? data

const textIn = (kind: Kind, values: Values, name: string): string => {
  const field = kind.fields[name]
  return field ? cellText(field, values[name]) : ''
}

/** Whether the record still has the values from which these changes start. */
export const isUnchanged = (record: RecordItem, changes: readonly { field: string; from: string }[]): boolean =>
  changes.every(({ field, from }) => textIn(kinds[record.kind], currentValues(record), field) === from)

/** Lists the fields in which a row differs from a record, with the record's text and the row's. */
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
