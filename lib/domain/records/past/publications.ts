import { isCoarse } from '../../../base/visibility.ts'
import { changedAt, type Decision, type RecordItem, type Revision } from '../items.ts'

/**
 * One public state of a record, from `at` on. Each acceptance names the revision that it published. That revision holds
 * exactly the values that were public from then on. A rollback removes decisions: what they published is not listed any more.
 */
export type Publication = { at: string; number: number; decision: Decision | undefined }

type PublicationSubject = Pick<
  RecordItem,
  'public' | 'accepted_revision' | 'accepted_at' | 'accepted_revision_id' | 'updated_at' | 'absences'
>

/** Lists all publications, oldest first. A public revision without a decision gets the time of the last public change. */
export function publicationsOf(record: PublicationSubject, decisions: readonly Decision[]): Publication[] {
  const decided = decisions
    .filter(({ accepted_revision }) => accepted_revision !== null)
    .toSorted((a, b) => a.sequence - b.sequence)
    .flatMap((decision): Publication[] =>
      decision.accepted_revision === null
        ? []
        : [{ at: decision.created_at, number: decision.accepted_revision, decision }],
    )
  const number = record.public ? record.accepted_revision : null
  if (number === null || decided.some((publication) => publication.number === number)) return decided
  return [...decided, { at: changedAt(record), number, decision: undefined }]
}

/** Returns the publication that held at a moment. Undefined if nothing was public, or if the record was deleted then. */
export const publicationAt = (
  record: PublicationSubject,
  decisions: readonly Decision[],
  at: string,
): Publication | undefined =>
  wasDeleted(record, at) ? undefined : publicationsOf(record, decisions).findLast((publication) => publication.at <= at)

/** Whether the record was deleted at a moment, and restored later. A record that is deleted today is hidden at every moment. */
export const wasDeleted = ({ absences = [] }: Pick<RecordItem, 'absences'>, at: string) =>
  absences.some(({ from, until }) => from <= at && at < until)

/**
 * Returns the tier that decides how exactly a past state shows its place. If today's tier rounds the coordinates, the past
 * state rounds them, too: it is the same place.
 */
export const coarserTier = (today: string, past: string): string => (isCoarse(today) ? today : past)

export const revisionOfPublication = (revisions: readonly Revision[], { number }: Publication): Revision | undefined =>
  revisions.find(({ revision_number }) => revision_number === number)
