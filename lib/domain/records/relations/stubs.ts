import { beingMade } from '../../../base/errors.ts'
import { acquireLease, newHolder, type Write } from '../../../engines/table/index.ts'
import { foldedName } from '../../../platform/name-index/entries.ts'
import type { Actor } from '../../../platform/permissions.ts'
import { key } from '../../../platform/table/keys.ts'
import { type AssertionInput, type KindKey, kinds } from '../../kinds/index.ts'
import type { Link } from '../../names/values.ts'
import * as sources from '../../sources/sources.ts'
import { type BatchRow, newRecord, nextRecordId } from '../build.ts'
import { likenessFlag } from '../conflict-flags.ts'
import { MOST_LOOK_ALIKES } from '../likeness/look-alikes.ts'
import type { MissingRecord } from './relations.ts'

/**
 * Plans a stub for each record that a contribution names and that does not exist yet. Fills the id of the stub into the links. A stub
 * with the name of a record that the contributor may not see gets a flag for reviewers.
 */
export async function planStubs(
  missing: readonly MissingRecord[],
  provenance: AssertionInput,
  actor: Actor,
  batch?: BatchRow,
): Promise<Write[]> {
  const changes = await Promise.all(
    missing.map(async ({ kind, name, links, hidden }): Promise<Write[]> => {
      if (!kinds[kind].record) return sourceStub(name, links, actor)
      const id = await nextRecordId(kinds[kind])
      const data = { [kinds[kind].nameField]: name }
      const flags = hidden
        .slice(0, MOST_LOOK_ALIKES)
        .map((it) => likenessFlag({ ...it, kind, names: [it.name], how: 'same_name' }, true))
      const stub = newRecord(kinds[kind], id, { data, source: provenance, actor, stub: true, batch, flags })
      // The values of the contribution contain these same link objects, so the id reaches them.
      for (const link of links) Object.assign(link, { id, entity_id: stub.record.entity_id })
      return [...stub.writes, reservationOf(kind, name, actor)]
    }),
  )
  return changes.flat()
}

/** Nobody reviews data sources, so everyone can use the new one at once. */
async function sourceStub(name: string, links: readonly Link[], actor: Actor): Promise<Write[]> {
  const { source, writes } = sources.planSource({ name }, actor)
  for (const link of links) Object.assign(link, { id: source.id })
  return [...writes, reservationOf('data_source', name)]
}

/**
 * Two contributions may name the same new record at once. The first makes the stub, the second is planned again and finds it. A stub
 * waits for review, so only its maker finds it by name. Without `maker` the reservation is for everyone.
 */
const reservationOf = (kind: KindKey, name: string, maker?: Actor) =>
  acquireLease(key.stub(kind, foldedName(name), maker?.id), { ...newHolder(60), type: 'reservation' }, beingMade)
