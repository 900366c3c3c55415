import { isForEveryone } from '../../base/visibility.ts'
import type { History } from '../records/history.ts'
import { mayReadTold, toldClaims } from '../records/past/told.ts'

/**
 * The part of a history that everyone may read: published claims, and the decisions that published them. What waits and what was refused
 * is no part of it. Undefined if not everyone may read the record.
 */
export function publicPart(history: History): History | undefined {
  if (!history.public || history.deleted_at || !isForEveryone(history.access_tier)) return undefined
  const told = toldClaims(history)
  return {
    ...history,
    proposed: null,
    flags: [],
    activities: [],
    assertions: history.assertions.filter(({ id }) => mayReadTold(told.get(id), null)),
    decisions: history.decisions.filter(({ accepted_revision }) => accepted_revision !== null),
  }
}
