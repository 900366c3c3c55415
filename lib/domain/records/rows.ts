import { clock } from '../../base/clock.ts'
import { addressOf } from '../../base/ids/address.ts'
import { lru } from '../../base/lru.ts'
import { getMany, itemAt, type Key, place, read, type Stored } from '../../engines/table/index.ts'
import { isSettled, sizeOf } from '../../platform/cache/remembered.ts'
import { parts, REMEMBERED_SECONDS } from '../../platform/cache/rules.ts'
import { stampIn } from '../../platform/cache/store.ts'
import { key } from '../../platform/table/keys.ts'
import { kindOfCode } from '../kinds/index.ts'
import { RecordRow, recordItem, rowMembers } from './items.ts'
import { keysToShow, loadNamed, namedMembers } from './shown.ts'

/**
 * Rows of records, and names in them, that this process keeps in memory. A record of one version never changes. So a page that has changed
 * is read as ids and versions, and only new rows are read whole. A name is kept until any name of its kind changes.
 */

/** The most bytes in memory, by estimate: of all rows, and of all names. */
const [MOST_ROW_BYTES, MOST_NAME_BYTES] = [4_500_000, 1_500_000]
const LIFETIME_MS = 600_000

/** Bytes of an entry with its key, beside its value. */
const ENTRY_BYTES = 400

const rows = lru<string, RecordRow>(MOST_ROW_BYTES, (row) => ENTRY_BYTES + sizeOf(row))

/** The row in memory for an item that was read with its id and version. Undefined if absent or of another version. */
export function knownRow({ entity_id, version }: Stored): RecordRow | undefined {
  const row = rows.get(String(entity_id))
  return row?.version === version ? row : undefined
}

/** The members that are read to see whether the row in memory is still current. */
export const versionMembers: readonly string[] = ['entity_id', 'version']

/** Reads the row of a stored record, and keeps it in memory. */
export function rowOf(stored: Stored): RecordRow {
  const row = read(RecordRow, recordItem, stored)
  rows.set(row.entity_id, row, clock.now().getTime() + LIFETIME_MS)
  return row
}

type Name = { stamp: number; item: Stored }
const names = lru<string, Name>(MOST_NAME_BYTES, ({ item }) => ENTRY_BYTES + sizeOf(item))

/** The part of the cache to which the name under a key of `keysToShow` belongs. */
function partOfName({ pk, sk }: Key): string {
  if (pk.startsWith('USER#')) return parts.people
  if (pk.startsWith('SOURCE#')) return parts.names('data_source')
  if (sk !== key.head('').sk) return parts.names('assertion')
  const address = addressOf(pk.slice(key.head('').pk.length))
  return parts.names(kindOfCode(address?.kindCode ?? 0)?.key ?? 'entity')
}

/** Returns the parts of the cache to which the names of other things in these rows belong. */
export const partsOfNames = (shown: readonly RecordRow[]): string[] => [...new Set(keysToShow(shown).map(partOfName))]

/** The part of the cache whose change makes a row stale. Records that are not public have a part of their own, so they make no public page stale. */
export const partOfRow = ({ public: isPublished, kind }: Pick<RecordRow, 'public' | 'kind'>): string =>
  isPublished ? parts.publishedOf(kind) : parts.withheld

/** Splits keys of names: `known` are the items that are in memory and current at these versions, `unknown` the keys to read. */
export function splitNames(keys: readonly Key[], versions: Stored): { known: Map<string, Stored>; unknown: Key[] } {
  const known = new Map<string, Stored>()
  const unknown: Key[] = []
  for (const at of keys) {
    const name = names.get(place(at))
    if (name?.stamp === stampIn(versions, partOfName(at))) known.set(place(at), name.item)
    else unknown.push(at)
  }
  return { known, unknown }
}

const pickNamed = (stored: Stored): Stored =>
  Object.fromEntries(namedMembers.flatMap((name) => (stored[name] === undefined ? [] : [[name, stored[name]]])))

/**
 * Returns the items that were read under these keys, with the members by which they are named. Keeps them in memory, except those of a
 * part of the cache that has just changed.
 */
export function learnNames(
  keys: readonly Key[],
  found: ReadonlyMap<string, Stored>,
  versions: Stored,
  began: number,
): Map<string, Stored> {
  const learned = new Map<string, Stored>()
  for (const at of keys) {
    const stored = itemAt(found, at)
    if (!stored) continue
    const item = pickNamed(stored)
    const stamp = stampIn(versions, partOfName(at))
    if (isSettled(stamp, began)) names.set(place(at), { stamp, item }, began + REMEMBERED_SECONDS * 1000)
    learned.set(place(at), item)
  }
  return learned
}

/** Returns the items that rows name, by `pk sk`. Those that are not in memory are read, with one call for each hundred. */
export async function loadNames(shown: readonly RecordRow[], versions: Stored): Promise<Map<string, Stored>> {
  const { known, unknown } = splitNames(keysToShow(shown), versions)
  if (unknown.length === 0) return known
  const began = clock.now().getTime()
  return new Map([...known, ...learnNames(unknown, await loadNamed(unknown), versions, began)])
}

/**
 * Reads rows by id. For rows in memory it reads versions, and then the rows whose version has changed. For each hundred it makes one call
 * if all rows are in memory and current, or if none is in memory. Else it makes two or three.
 */
export async function loadRows(ids: readonly string[]): Promise<Map<string, RecordRow>> {
  const isKnown = (id: string) => rows.get(id) !== undefined
  const [versions, whole] = await Promise.all([
    getMany(ids.filter(isKnown).map(key.head), false, versionMembers),
    loadWholeRows(ids.filter((id) => !isKnown(id))),
  ])
  const made = new Map(whole)
  const changed: string[] = []
  for (const item of versions.values()) {
    const row = knownRow(item)
    if (row) made.set(row.entity_id, row)
    else changed.push(String(item.entity_id))
  }
  return new Map([...made, ...(await loadWholeRows(changed))])
}

async function loadWholeRows(ids: readonly string[]): Promise<Map<string, RecordRow>> {
  const stored = await getMany(ids.map(key.head), false, rowMembers)
  return new Map([...stored.values()].map((item) => rowOf(item)).map((row) => [row.entity_id, row]))
}
