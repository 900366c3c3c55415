import * as v from 'valibot'
import { impossible, invalid, notFound } from '../../base/errors.ts'
import { omit } from '../../base/omit.ts'
import { put, type UnitOfWork } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { type Contribution, kinds, noSource, schemaOf } from '../kinds/index.ts'
import { checkSize, type Values } from '../names/values.ts'
import { resolvePictures } from '../pictures/take.ts'
import { headerOf, newRecord, nextRecordId } from '../records/build.ts'
import { findDoubtFlags } from '../records/doubts.ts'
import type { LoadedRecord } from '../records/items.ts'
import { findNamedRecord } from '../records/named.ts'
import { namingWrites } from '../records/naming.ts'
import { findPeriodMeanings } from '../records/periods.ts'
import { picturesOf } from '../records/pictures.ts'
import { isPlaceHidden } from '../records/place.ts'
import { resolveRelations } from '../records/relations/relations.ts'
import { planStubs } from '../records/relations/stubs.ts'
import { differingNames } from './compare.ts'
import { asSubject, type Fork, type ForkSubject, fork } from './items.ts'

export type ForkInput = Pick<Fork, 'entity_id' | 'reason' | 'tag'> & { changes: Values }

/** The most levels of forks below the record where they began. */
const DEEPEST = 8

/**
 * Makes an alternative version of a record, which waits for review. It begins with the values that readers of the record see, without those
 * that the caller may not see. The record itself does not change. Fails with `not_found` on a record that the caller may not see.
 */
export async function createFork(
  unit: UnitOfWork,
  { entity_id, reason, tag, changes }: ForkInput,
  actor: Actor,
): Promise<ForkSubject> {
  unit.retryOn('being_made')
  const original = await findNamedRecord(entity_id, '', actor)
  if (!original) throw notFound()
  checkForkable(original)
  const { values, fields, stubs, withheld, assertion } = await applyChanges(original, changes, actor)
  const kind = kinds[original.kind]
  const meanings = await findPeriodMeanings(kind, values, actor)
  const depth = (original.fork?.depth ?? 0) + 1
  const root = original.fork?.root ?? original.entity_id
  const [number, id] = baseRevisionOf(original)
  const planned = newRecord(kind, await nextRecordId(kind), {
    data: values,
    header: headerOf(kind, values),
    source: assertion,
    actor,
    flags: await findDoubtFlags(kind, values, actor, { changed: fields, meanings }),
    fork: {
      origin: { parent: original.entity_id, root, depth },
      names: Object.keys(values).filter((name) => !fields.includes(name)),
      evidence: { ...noSource, source_citation: `Revision ${number} of the record that was forked.` },
      labels: original.labels,
    },
  })
  const { record } = planned
  const made: Fork = {
    id: record.entity_id,
    entity_id: original.entity_id,
    root,
    depth,
    forked_by: actor.id,
    base_revision: number,
    base_revision_id: id,
    reason,
    tag,
    state: 'active',
    fields,
    withheld,
    judged_by: null,
    judged_at: null,
    created_at: record.created_at,
    version: 1,
  }
  unit.add([...planned.writes, ...(await stubs(record.entity_id)), put(fork, made, undefined)])
  return asSubject(made, record, original)
}

/** The number and the id of the revision whose values readers of a record see. */
const baseRevisionOf = (it: LoadedRecord): [number: number, id: string] =>
  it.public && it.accepted_revision !== null && it.accepted_revision_id !== null
    ? [it.accepted_revision, it.accepted_revision_id]
    : [it.current_revision, it.current_revision_id]

function checkForkable(original: LoadedRecord): void {
  if (original.deleted_at) throw notFound()
  if (original.status === 'superseded') throw impossible('Another record has taken the place of this one. Fork that.')
  if ((original.fork?.depth ?? 0) >= DEEPEST) throw impossible(`A fork has no more than ${DEEPEST} records above it.`)
}

/** Applies the changes of the fork's author to the values of a record that this author may see. */
async function applyChanges(original: LoadedRecord, changes: Values, actor: Actor) {
  const kind = kinds[original.kind]
  const { data, cleared, assertion } = readChanges(original, changes)
  const withheld = Object.keys(original.data).filter((name) => isPlaceHidden(original, name, actor))
  const resolved = await resolveRelations(kind, data, actor)
  const pictured = await resolvePictures(resolved.data, actor, picturesOf(original))
  const base: Values = omit(original.data, ...withheld)
  const values: Values = { ...omit(base, ...cleared), ...pictured.values }
  checkSize(values)
  const planned = await planStubs(resolved.missing, assertion, actor)
  return {
    values,
    fields: differingNames(base, values),
    withheld,
    assertion,
    stubs: async (entity_id: string) => [
      ...planned,
      ...(await namingWrites(resolved.noted, entity_id)),
      ...pictured.writes,
    ],
  }
}

/** Reads changes as an edit of the kind of a record. Faults are reported under `changes`, each with the name of its member. */
function readChanges({ kind }: LoadedRecord, changes: Values): Contribution {
  const parsed = v.safeParse(schemaOf(kinds[kind], 'change'), changes)
  if (parsed.success) return parsed.output
  throw invalid({
    changes: parsed.issues.map(({ path, message }) =>
      path ? `${path.map(({ key }) => String(key)).join('.')}: ${message}` : message,
    ),
  })
}
