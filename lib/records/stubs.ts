import { nowSeconds } from '../clock.ts'
import { beingMade } from '../errors.ts'
import { type KindKey, kinds, type Provenance } from '../kinds/index.ts'
import { foldedName } from '../names/index.ts'
import type { Link } from '../names/values.ts'
import type { Actor } from '../permissions.ts'
import * as sources from '../sources/sources.ts'
import { reserve, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { type BatchRow, newRecord, nextId } from './build.ts'
import type { Missing } from './relations.ts'

/** The opening writes of records that a contribution names and nobody has made yet. */
export async function stubsFor(
  missing: readonly Missing[],
  provenance: Provenance,
  actor: Actor,
  batch?: BatchRow,
): Promise<Write[]> {
  const changes = await Promise.all(
    missing.map(async ({ kind, name, links }): Promise<Write[]> => {
      if (!kinds[kind].record) return sourceStub(name, links, actor)
      const id = await nextId(kinds[kind])
      const data = { [kinds[kind].nameField]: name }
      const stub = newRecord(kinds[kind], id, { data, source: provenance, actor, stub: true, batch })
      // The links stand in the values already: they gain the id of what was made for them.
      for (const link of links) Object.assign(link, { id, entity_id: stub.record.entity_id })
      return [...stub.writes, taken(kind, name)]
    }),
  )
  return changes.flat()
}

/** A data source that a contribution names: it has no review, so it is there at once. */
async function sourceStub(name: string, links: readonly Link[], actor: Actor): Promise<Write[]> {
  const { source: made, writes } = sources.opening({ name }, actor)
  for (const link of links) Object.assign(link, { id: made.id })
  return [...writes, taken('data_source', name)]
}

/** Of two contributions at once that name the same new thing one makes it; the other is planned anew, and finds it. */
const taken = (kind: KindKey, name: string) => reserve(key.stub(kind, foldedName(name)), nowSeconds(), 60, beingMade)
