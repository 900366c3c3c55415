import { conflict } from '../../base/errors.ts'
import { put, type Write, withNextVersion } from '../../engines/table/index.ts'
import { indexWrites } from '../../platform/name-index/entries.ts'
import type { Actor } from '../../platform/permissions.ts'
import { newActivity, storedNameEntryOf, withActivity } from '../records/build.ts'
import { claimWrites } from '../records/claim-packs.ts'
import { checkWhole, type History } from '../records/history.ts'
import {
  type Activity,
  type Assertion,
  activity,
  type RecordItem,
  recordItem,
  recordItemOf,
  withActivityAudience,
} from '../records/items.ts'
import { queueWrites } from '../records/queue-entry.ts'
import { reviewStateOf } from '../records/review-state.ts'
import { findMove } from '../records/rules/status.ts'

export type Supersession = {
  /** The review identity of the record that takes its place. */
  successor: string
  /** `supersede`: a fork takes the record's place. `give_way`: the record is a fork that was merged into its original. */
  trigger: 'supersede' | 'give_way'
  actor: Actor
  /** The activity that its history gets. */
  told: Pick<Activity, 'activity_type' | 'comment'>
  at: string
}

/**
 * Plans that another record takes the place of this one. This one leaves lists, search, the name index and the queue; its address still
 * answers. The claims of its waiting contribution are superseded. Fails with `conflict` if it has been replaced already.
 */
export function planSupersession(old: History, { successor, trigger, actor, told, at }: Supersession): Write[] {
  checkWhole(old)
  const move = findMove(reviewStateOf(old), trigger)
  if (!move) throw conflict('This record has been replaced already.')
  const stored = recordItemOf(old)
  const event = newActivity(old.entity_id, actor, told.activity_type, told.comment, at)
  const next = withActivity(
    withNextVersion<RecordItem>(stored, {
      status: move.status,
      superseded_by: successor,
      proposed: null,
      decided: true,
      updated_at: at,
    }),
    event,
    actor,
  )
  const claimAfter = (claim: Assertion): Assertion =>
    claim.reconciliation_status === 'pending' && claim.revision_number !== null
      ? { ...claim, reconciliation_status: 'superseded', updated_at: at }
      : claim
  return [
    put(recordItem, next, stored),
    put(activity, withActivityAudience(event, next), undefined),
    ...claimWrites(old.assertions, old.assertions.map(claimAfter), next),
    ...indexWrites(storedNameEntryOf(stored), storedNameEntryOf(next)),
    ...queueWrites(stored, next),
  ]
}
