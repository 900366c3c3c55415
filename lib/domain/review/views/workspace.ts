import type { Say } from '../../../base/language/catalogue.ts'
import type * as s from '../../../base/shapes.ts'
import { type Actor, mayInspect } from '../../../platform/permissions.ts'
import { kinds } from '../../kinds/index.ts'
import { compareValues, isCorrection } from '../../records/corrections.ts'
import type { History, HistoryReferences } from '../../records/history.ts'
import type { Assertion } from '../../records/items.ts'
import { sortOfProperty } from '../../records/rules/evidence.ts'
import type { Visible } from '../../records/shown.ts'
import { differenceOf } from '../../records/views/difference.ts'
import { activityView, decisionView, entityRow, revisionView } from '../../records/views/entity.ts'
import { explainProperties, fieldLabel } from '../../records/views/explain.ts'
import { assertionView } from '../../records/views/record.ts'
import type { KnownSources } from '../known-sources.ts'
import { type ReviewOptions, reviewOptionsOf } from '../options.ts'
import { proposeHandling } from '../propose.ts'
import { flagRow } from './flag.ts'
import type { ForkContext } from './fork-shape.ts'
import { leaseView, triageView } from './queue.ts'
import type { WorkspaceView } from './workspace-shape.ts'

/** The workspace: all that a reviewer needs to decide on a record, with a proposal for each conflict. The caller adds `falls`. */
export function workspaceView(
  it: Visible<History>,
  actor: Actor | null,
  { people, other, stats }: HistoryReferences,
  { at, say, fork, evidenceOf }: { at: number; say: Say; fork: ForkContext | null } & Pick<KnownSources, 'evidenceOf'>,
): Omit<s.Output<typeof WorkspaceView>, 'falls'> {
  const kind = kinds[it.kind]
  const visibleRecord = (entity_id: string | null) => {
    const record = other(entity_id)
    return record && mayInspect(actor, record) ? record : undefined
  }
  const reviewed = it.proposed ?? it.data
  const current = it.revisions.find((revision) => revision.revision_number === it.current_revision)
  return {
    ...entityRow(it, actor, people),
    name: reviewed[kind.nameField] ?? it.name,
    description: String(reviewed.description ?? ''),
    current_revision: current ? revisionView(it, current, people) : null,
    contributor_stats: stats,
    // The permission of the route admits reviewers only, so `actor` is not null here. The cast satisfies the type.
    ...(actor ? reviewOptionsOf(it, actor) : ({} as ReviewOptions)),
    lease: it.lease && { ...leaseView(it.lease), is_mine: it.lease.held_by === actor?.id },
    accepted_revision: it.accepted_revision,
    revisions: it.revisions.map((revision) => revisionView(it, revision, people)),
    activities: it.activities.map((activity) => activityView(activity, people, it, actor)),
    review_decisions: it.decisions.map((decision) => decisionView(decision, it.revisions, it, people)),
    flags: it.flags
      .filter((flag) => !flag.is_resolved)
      .map((flag) => flagRow({ flag, about: it, other: visibleRecord(flag.other_entity_id) }, people, actor, say)),
    difference: differenceOf(it, it.public ? it.data : {}, reviewed),
    properties: explainProperties(it, actor, people),
    conflicts: conflictsIn(it, evidenceOf),
    ...triageView(it, at),
    fork_context: fork,
  }
}

/**
 * Pairs each pending claim with the claims of its property that stand, or that another person made before it. Pairs with
 * equal values are left out. `evidenceOf` adds what is known of the sources of a claim.
 */
export function conflictsIn(it: History, evidenceOf: KnownSources['evidenceOf'] = (claim) => claim) {
  const living = it.assertions.filter((claim) => claim.reconciliation_status !== 'superseded').toSorted(byAge)
  const rivals = living.filter((claim) => claim.reconciliation_status === 'pending')
  return rivals.flatMap((rival) =>
    living
      .filter((standing) => meets(standing, rival))
      .flatMap((standing) => conflictOf(it, standing, rival, evidenceOf)),
  )
}

const byAge = (a: Assertion, b: Assertion) => (a.id < b.id ? -1 : 1)

const meets = (standing: Assertion, rival: Assertion) =>
  standing.asserted_property === rival.asserted_property &&
  (standing.reconciliation_status !== 'pending' ||
    (standing.id < rival.id && standing.contributor_id !== rival.contributor_id))

function conflictOf(it: History, standing: Assertion, rival: Assertion, evidenceOf: KnownSources['evidenceOf']) {
  const property = rival.asserted_property
  const verdict = compareValues(it, property, standing, rival)
  const circumstances = {
    sort: sortOfProperty(kinds[it.kind], property),
    isCorrection: standing.reconciliation_status !== 'pending' && isCorrection(it, standing, rival),
  }
  const proposal = verdict && proposeHandling(verdict, evidenceOf(standing), evidenceOf(rival), circumstances)
  if (!proposal) return []
  const flag = it.flags.find(
    ({ is_resolved, assertion_ids }) =>
      !is_resolved && assertion_ids.includes(standing.id) && assertion_ids.includes(rival.id),
  )
  return [
    {
      property,
      label: fieldLabel(it, property),
      standing: assertionView(standing),
      rival: assertionView(rival),
      verdict,
      ...proposal,
      flag: flag?.id ?? null,
    },
  ]
}
