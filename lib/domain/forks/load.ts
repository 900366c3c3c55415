import { getMany, itemIn, parse, type Stored, walkTable } from '../../engines/table/index.ts'
import { type Actor, mayInspect, maySeeFork } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { keyOf } from '../../platform/users/users.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { asSubject, type Fork, type ForkSubject, fork, forkKeyOf } from './items.ts'

/** Loads a fork with its records. Undefined if there is none. Two calls. */
export async function loadFork(id: string): Promise<ForkSubject | undefined> {
  const record = itemIn(await getMany([key.head(id)], true), recordItem, { entity_id: id })
  const at = record && forkKeyOf(record)
  if (!record?.fork || !at) return undefined
  const found = await getMany([at, key.head(record.fork.parent)], true)
  const original = itemIn(found, recordItem, { entity_id: record.fork.parent })
  const about = itemIn(found, fork, { root: record.fork.root, created_at: record.created_at, id })
  return original && about && asSubject(about, record, original)
}

/** The most forks of a family that one answer reads. So no answer costs more than 100 capacity units. */
const MOST_FORKS = 100

/** Forks that the caller may know of, with the items that they name: people and records. */
export type FoundForks = { forks: ForkSubject[]; found: ReadonlyMap<string, Stored>; truncated: boolean }

/** Lists the forks of a record, newest first. None for a record that the caller may not see. One call, and what `loadFamily` costs. */
export async function listForks(entity_id: string, actor: Actor | null): Promise<FoundForks & { of?: RecordItem }> {
  const record = itemIn(await getMany([key.head(entity_id)], true), recordItem, { entity_id })
  if (!record || !mayInspect(actor, record)) return { forks: [], found: new Map(), truncated: false }
  const { forks, ...rest } = await loadFamily(rootOf(record), actor, false, (it) => it.entity_id === entity_id)
  return { forks, of: record, ...rest }
}

/** The id of the record at the root of a lineage. A record that is not a fork is its own root. */
export const rootOf = ({ fork: origin, entity_id }: RecordItem): string => origin?.root ?? entity_id

/** Loads the forks of one family that the caller may know of. One query, and one batch read for each hundred of items. */
export async function loadFamily(
  root: string,
  actor: Actor | null,
  forward: boolean,
  isWanted: (it: Fork) => boolean = () => true,
): Promise<FoundForks & { record: (id: string) => RecordItem | undefined }> {
  const { pk } = key.fork(root, '', '')
  const stored = await walkTable({ pk, forward, limit: MOST_FORKS + 1 })
  const all = stored
    .slice(0, MOST_FORKS)
    .map((item) => parse(fork, item))
    .filter(isWanted)
  const records = [root, ...all.flatMap((it) => [it.id, it.entity_id])]
  const people = all.flatMap((it) => [it.forked_by, it.judged_by ?? it.forked_by])
  const found = await getMany([...new Set(records)].map(key.head).concat([...new Set(people)].map(keyOf)))
  const record = (entity_id: string) => itemIn(found, recordItem, { entity_id })
  const forks = all.flatMap((about) => {
    const [own, original] = [record(about.id), record(about.entity_id)]
    const it = own && original && asSubject(about, own, original)
    return it && maySeeFork(actor, it) ? [it] : []
  })
  return { forks, found, record, truncated: stored.length > MOST_FORKS }
}

/** Loads the forks among these records that the caller may know of, by their ids. One call for each 33 forks, none without a fork. */
export async function loadForksAmong(
  records: readonly RecordItem[],
  actor: Actor | null,
): Promise<{ forks: Map<string, ForkSubject>; found: ReadonlyMap<string, Stored> }> {
  const own = records.filter((it) => it.fork !== null)
  if (own.length === 0) return { forks: new Map(), found: new Map() }
  const found = await getMany([
    ...own.flatMap((it) => [forkKeyOf(it) ?? [], it.fork ? key.head(it.fork.parent) : []].flat()),
    ...own.map((it) => keyOf(it.contributor_id)),
  ])
  const forks = own.flatMap((record) => {
    const { root, parent } = record.fork ?? { root: '', parent: '' }
    const about = itemIn(found, fork, { root, created_at: record.created_at, id: record.entity_id })
    const original = itemIn(found, recordItem, { entity_id: parent })
    const it = about && original && asSubject(about, record, original)
    return it && maySeeFork(actor, it) ? [it] : []
  })
  return { forks: new Map(forks.map((it) => [it.about.id, it])), found }
}
