import type { Assertion, Decision, Revision } from './items.ts'
import { handlingRules } from './rules/verdicts.ts'

type Partition = {
  revisions: readonly Revision[]
  assertions: readonly Assertion[]
  decisions: readonly Decision[]
}

/**
 * Returns the revisions with the authors of their values. If a verdict accepts a claim made apart, it stores a new revision. The author of
 * this revision is the author of the claim, not the reviewer.
 */
export const withAuthors = (partition: Partition): Revision[] =>
  partition.revisions.map((revision) => ({ ...revision, created_by: authorOf(revision, partition) }))

/**
 * Returns the id of the author of a revision. If a verdict brought values of several people, the author of the reviewed revision
 * has priority.
 */
function authorOf(revision: Revision, { revisions, assertions, decisions }: Partition): string {
  const decision = decisions.find(
    ({ accepted_revision, revision_reviewed }) =>
      accepted_revision === revision.revision_number && accepted_revision !== revision_reviewed,
  )
  const reviewed = revisions.find((it) => it.revision_number === decision?.revision_reviewed)
  if (!decision || !reviewed || hasEdits(revision, reviewed, assertions)) return revision.created_by
  const claimants = claimantsIn(decision, assertions)
  return claimants.includes(reviewed.created_by) ? reviewed.created_by : (claimants[0] ?? revision.created_by)
}

/** Whether the reviewer gave values of their own in a revision, or took values away. */
const hasEdits = (revision: Revision, reviewed: Revision, assertions: readonly Assertion[]): boolean =>
  assertions.some(
    (it) => it.revision_number === revision.revision_number && it.contributor_id === revision.created_by,
  ) || Object.keys(reviewed.data).some((name) => !(name in revision.data))

/** Returns the ids of the people whose claims stand since a decision. */
function claimantsIn({ outcomes }: Decision, assertions: readonly Assertion[]): string[] {
  const claimIds = outcomes.filter(({ rule }) => !keepsValue(rule)).map(({ stands }) => stands)
  return assertions.filter(({ id }) => claimIds.includes(id)).map(({ contributor_id }) => contributor_id)
}

/** Whether a rule leaves the value that stood before. */
const keepsValue = (rule: string): boolean =>
  Object.entries(handlingRules).some(([handling, { stands }]) => handling === rule && stands === 'rival')
