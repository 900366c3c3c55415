import { isCoarse } from '../../../base/visibility.ts'
import { changedAt, type Decision, type RecordItem, type Revision } from '../items.ts'

/**
 * One public state of a record, from `at` on. Each acceptance names the revision that it published, and that revision holds exactly
 * the values that stood since. A rollback removes its decisions, so what they published counts as never public.
 */
export type Publication = { at: string; number: number; decision: Decision | undefined }

type About = Pick<
  RecordItem,
  'public' | 'accepted_revision' | 'accepted_at' | 'accepted_revision_id' | 'updated_at' | 'absences'
>

/** Oldest first. A publication without a decision gets the time of the record's last public change. */
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

/** Undefined where nothing was public, or the record was deleted then. */
export const publicationAt = (it: About, decisions: readonly Decision[], at: string): Publication | undefined =>
  wasDeleted(it, at) ? undefined : publicationsOf(it, decisions).findLast((each) => each.at <= at)

/** Only a deletion that was undone: a record that is deleted now is hidden at every moment. */
export const wasDeleted = ({ absences = [] }: Pick<RecordItem, 'absences'>, at: string) =>
  absences.some(({ from, until }) => from <= at && at < until)

/** If today's tier guards the place, a past state guards it too: the place is still the same. */
export const stricterTier = (today: string, then: string): string => (isCoarse(today) ? today : then)

export const revisionOfPublication = (revisions: readonly Revision[], { number }: Publication): Revision | undefined =>
  revisions.find(({ revision_number }) => revision_number === number)
