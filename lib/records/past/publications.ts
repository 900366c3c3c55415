import { isCoarse } from '../../permissions.ts'
import { changedAt, type Decision, type RecordItem, type Revision } from '../items.ts'

/**
 * What the public was shown of a record, one after the other. Every acceptance names the revision that it made public, and a
 * revision holds exactly the values that stood since. What a rollback takes back is taken out of the history with its decisions,
 * so that it never was.
 */
export type Publication = { at: string; number: number; decision: Decision | undefined }

type About = Pick<
  RecordItem,
  'public' | 'accepted_revision' | 'accepted_at' | 'accepted_revision_id' | 'updated_at' | 'absences'
>

/** The publications of a record, oldest first. What was published without a decision is as old as what is known of it. */
export function publicationsOf(it: About, decisions: readonly Decision[]): Publication[] {
  const decided = decisions
    .filter(({ accepted_revision }) => accepted_revision !== null)
    .toSorted((a, b) => a.sequence - b.sequence)
    .flatMap((decision): Publication[] =>
      decision.accepted_revision === null
        ? []
        : [{ at: decision.created_at, number: decision.accepted_revision, decision }],
    )
  const number = it.public ? it.accepted_revision : null
  if (number === null || decided.some((each) => each.number === number)) return decided
  return [...decided, { at: changedAt(it), number, decision: undefined }]
}

/** What was public of a record at a moment; undefined where it was not, or was deleted then. */
export const publicationAt = (it: About, decisions: readonly Decision[], at: string): Publication | undefined =>
  isAbsent(it, at) ? undefined : publicationsOf(it, decisions).findLast((each) => each.at <= at)

/** Whether it was deleted then, and has been restored since. */
export const isAbsent = ({ absences = [] }: Pick<RecordItem, 'absences'>, at: string) =>
  absences.some(({ from, until }) => from <= at && at < until)

/** The tier by which a past state is shown: what guards the place today guards that of then as well. */
export const stricterTier = (today: string, then: string): string => (isCoarse(today) ? today : then)

/** The revision of a publication. */
export const revisionOf = (revisions: readonly Revision[], { number }: Publication): Revision | undefined =>
  revisions.find(({ revision_number }) => revision_number === number)
