import { isForEveryone } from '../../base/visibility.ts'
import type { History } from '../records/history.ts'
import { mayReadTold, toldClaims } from '../records/past/told.ts'

/**
 * A history with only the claims that publications showed to everyone, and the decisions that published them. Flags, activities and the
 * proposed edit are left out. Its revisions are not filtered. Undefined if not everyone may read the record.
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
