import { mapAtOnce } from '../../base/concurrency.ts'
import { isConflict } from '../../base/errors.ts'
import { forgetLooseFile, markLoose, withFile } from '../../engines/bucket/index.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import { type Images, parse, put, removeEntry } from '../../engines/table/index.ts'
import { maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { withCurrentUsernames } from '../../platform/users/people.ts'
import { type ClaimPack, claimPack } from '../records/claim-packs.ts'
import { type LoadedRecord, recordItem } from '../records/items.ts'
import { loadRecordById } from '../records/load.ts'
import { type GraphScope, graphPointer, graphScopes } from './items.ts'
import { type Graph, wantedBy, withChanges } from './model.ts'
import { type GraphNode, nodeOf } from './node.ts'
import { loadGraph, loadPlace, newGraphKey, storeGraph } from './store.ts'

/** The record whose node may differ after a change of the table. Undefined if no node does. */
export function graphChangeOf({ before, after }: Images): string | undefined {
  const stored = after ?? before
  if (stored?.type === recordItem.type) return String(stored.entity_id)
  if (stored?.type !== claimPack.type) return undefined
  const packs = [before, after].flatMap((it) => (it ? [parse(claimPack, it)] : []))
  return packs.some(hasLinkClaim) ? String(stored.entity_id) : undefined
}

const hasLinkClaim = ({ claims }: ClaimPack) => Object.keys(claims).some((property) => property.includes('.'))

const ATTEMPTS = 20

/**
 * Brings the graphs of all scopes up to date with these records. It reads them as they are now, so it is safe to repeat, in any order.
 * One query for each record, then a read and a write of each graph. Fails with `conflict` if others were faster every time.
 */
export async function followGraph(ids: readonly string[]): Promise<void> {
  const records = await loadForGraph([...new Set(ids)])
  for (const scope of graphScopes) await updateGraph(scope, records)
}

type Loaded = ReadonlyMap<string, LoadedRecord | undefined>

async function updateGraph(scope: GraphScope, records: Loaded): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryUpdate(scope, records)
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) throw error
    }
  }
}

async function tryUpdate(scope: GraphScope, records: Loaded): Promise<void> {
  const { pointer, hidden } = await loadPlace(scope)
  const old: Graph = (pointer && (await loadGraph(pointer))) ?? new Map()
  // A record may have been hidden since it was read. Its entry is removed below, so the record is read again.
  const also = await loadForGraph([...hidden])
  const changed = new Map([...records, ...also].map(([id, record]) => [id, nodeIn(scope, record)]))
  const first = withChanges(old, changed)
  const wanted = await loadForGraph(wantedBy(first, changed))
  const graph = withChanges(first, new Map([...wanted].map(([id, record]) => [id, nodeIn(scope, record)])))
  const cleared = [...hidden].map((id) => removeEntry(key.hiddenInGraph(scope, id)))
  if (pointer && hidden.size === 0 && isSameGraph(old, graph)) return
  await withFile(newGraphKey(scope), async (expected) => {
    const object = expected.object_key
    await storeGraph(scope, object, graph)
    const next = { scope, object, version: (pointer?.version ?? 0) + 1 }
    // The sweeper removes the old object. Until then, whoever has just read the old pointer finds the object.
    const outdated = pointer ? [markLoose(pointer.object)] : []
    const writes = [put(graphPointer, next, pointer), forgetLooseFile(expected), ...outdated]
    await commitWrites([...writes, ...cleared.slice(0, MOST_CLEARED)])
  })
}

/** The most entries about hidden records that one update removes, since a transaction holds 100 writes. The next update removes the rest. */
const MOST_CLEARED = 90

const isSameGraph = (a: Graph, b: Graph) =>
  a.size === b.size && JSON.stringify([...a.values()]) === JSON.stringify([...b.values()])

/** The node of a record in a scope. Null if it does not belong there. */
function nodeIn(scope: GraphScope, record: LoadedRecord | undefined): GraphNode | null {
  if (!record || record.deleted_at || (scope === 'reviewed' && !maySee(null, record))) return null
  return nodeOf(record)
}

const LOADED_AT_ONCE = 12

/** Loads records with their claims, and the present usernames of those who claim. */
async function loadForGraph(ids: readonly string[]): Promise<Loaded> {
  const loaded = await mapAtOnce(ids, LOADED_AT_ONCE, async (id) => {
    const record = await loadRecordById(id)
    if (!record) return [id, undefined] as const
    return [id, { ...record, assertions: await withCurrentUsernames('contributed_by', record.assertions) }] as const
  })
  return new Map(loaded)
}
