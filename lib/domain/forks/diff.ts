import { type Actor, mayReadFork, maySeeFork } from '../../platform/permissions.ts'
import { peopleOf } from '../../platform/users/people.ts'
import type { RecordItem } from '../records/items.ts'
import { loadFork, rootOf } from './load.ts'
import { compareSides, forkName } from './view.ts'

/** The revision whose values a record shows to its readers. */
const shownRevision = ({ public: isPublic, accepted_revision, current_revision }: RecordItem): number =>
  isPublic ? (accepted_revision ?? current_revision) : current_revision

/** Compares a record with a fork of its family, as both are now. Undefined if the caller may not know of the fork. Six calls at most. */
export async function compareWithFork(record: RecordItem, fork_id: string, actor: Actor | null) {
  const it = await loadFork(fork_id)
  if (!it || it.about.root !== rootOf(record) || !maySeeFork(actor, it)) return undefined
  const isRead = mayReadFork(actor, it)
  const [diff = {}] = isRead
    ? await compareSides(
        [{ before: { record, data: record.data }, after: { record: it.record, data: it.record.data } }],
        actor,
      )
    : []
  const people = await peopleOf([it.about.forked_by])
  return {
    entity_id: record.entity_id,
    entity_name: record.name,
    fork_entity_id: it.about.id,
    fork_entity_name: forkName(it, actor, people(it.about.forked_by)?.username ?? ''),
    entity_revision: shownRevision(record),
    fork_revision: isRead ? shownRevision(it.record) : null,
    diff,
    values_withheld: !isRead,
  }
}
