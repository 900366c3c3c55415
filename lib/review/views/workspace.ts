import { kinds } from '../../kinds/index.ts'
import type { Say } from '../../language/catalogue.ts'
import { type Actor, mayInspect } from '../../permissions.ts'
import type { History, Referenced } from '../../records/history.ts'
import type { Assertion } from '../../records/items.ts'
import type { Shown } from '../../records/shown.ts'
import { differenceOf } from '../../records/views/difference.ts'
import { activityView, decisionView, entityRow, revisionView } from '../../records/views/entity.ts'
import { explained, labelOf, verdictOn } from '../../records/views/explain.ts'
import { assertionView } from '../../records/views/record.ts'
import { optionsOn } from '../options.ts'
import { propose } from '../propose.ts'
import { flagRow } from './flag.ts'
import { leaseView, triageView } from './queue.ts'

/** Everything that a reviewer needs to decide on a record, and what each conflict is best settled by. */
export function workspaceView(
  it: Shown<History>,
  actor: Actor | null,
  { people, other, stats }: Referenced,
  { at, say }: { at: number; say: Say },
): Record<string, unknown> {
  const kind = kinds[it.kind]
  const seen = (entity_id: string | null) => {
    const found = other(entity_id)
    return found && mayInspect(actor, found) ? found : undefined
  }
  const reviewed = it.proposed ?? it.data
  const current = it.revisions.find((each) => each.revision_number === it.current_revision)
  return {
    ...entityRow(it, actor, people),
    name: reviewed[kind.nameField] ?? it.name,
    description: String(reviewed.description ?? ''),
    current_revision: current ? revisionView(it, current, people) : null,
    contributor_stats: stats,
    ...(actor && optionsOn(it, actor)),
    lease: it.lease && { ...leaseView(it.lease), is_mine: it.lease.held_by === actor?.id },
    accepted_revision: it.accepted_revision,
    revisions: it.revisions.map((each) => revisionView(it, each, people)),
    activities: it.activities.map((each) => activityView(each, people, it, actor)),
    review_decisions: it.decisions.map((each) => decisionView(each, it.revisions, it, people)),
    flags: it.flags
      .filter((each) => !each.is_resolved)
      .map((each) => flagRow({ flag: each, about: it, other: seen(each.other_entity_id) }, people, actor, say)),
    difference: differenceOf(it, it.public ? it.data : {}, reviewed),
    properties: explained(it, actor, people),
    conflicts: conflictsIn(it),
    ...triageView(it, at),
    fork_context: null,
  }
}

/** Each claim that waits beside each that stands or waited before it on the same property, unless both say the same. */
export function conflictsIn(it: History) {
  const living = it.assertions.filter((one) => one.reconciliation_status !== 'superseded').toSorted(byAge)
  const rivals = living.filter((one) => one.reconciliation_status === 'pending')
  return rivals.flatMap((rival) =>
    living.filter((standing) => meets(standing, rival)).flatMap((standing) => conflictOf(it, standing, rival)),
  )
}

const byAge = (a: Assertion, b: Assertion) => (a.id < b.id ? -1 : 1)

const meets = (standing: Assertion, rival: Assertion) =>
  standing.asserted_property === rival.asserted_property &&
  (standing.reconciliation_status !== 'pending' ||
    (standing.id < rival.id && standing.contributor_id !== rival.contributor_id))

function conflictOf(it: History, standing: Assertion, rival: Assertion) {
  const property = rival.asserted_property
  const verdict = verdictOn(it, property, standing, rival)
  const proposal = verdict && propose(verdict, standing, rival)
  if (!proposal) return []
  const flag = it.flags.find(
    (each) => !each.is_resolved && [standing.id, rival.id].every((id) => each.assertion_ids.includes(id)),
  )
  return [
    {
      property,
      label: labelOf(it, property),
      standing: assertionView(standing),
      rival: assertionView(rival),
      verdict,
      ...proposal,
      flag: flag?.id ?? null,
    },
  ]
}
