import { type Actor, maySee } from '../../../platform/permissions.ts'
import { kinds } from '../../kinds/index.ts'
import { headerOf, withoutNames } from '../build.ts'
import { type History, loadHistory } from '../history.ts'
import type { Decision, RecordRow, Revision } from '../items.ts'
import { claimsAt } from './claims.ts'
import { coarserTier, type Publication, publicationAt, revisionOfPublication } from './publications.ts'

/**
 * Returns a record as it was public at a moment, with its values, claims and decisions of that moment. Undefined if it was
 * not public then, or if this reader may not read it. It has no links from other records: those of the past are not stored.
 */
export function pastRecord(today: History, at: string, actor: Actor | null): History | undefined {
  const publication = publicationAt(today, today.decisions, at)
  const revision = publication && revisionOfPublication(today.revisions, publication)
  const past = publication && revision && pastRow(today, { publication, revision }, actor)
  if (!past) return undefined
  return {
    ...today,
    ...past,
    proposed: null,
    assertions: claimsAt(today, at),
    links: [],
    revisions: today.revisions.filter(({ created_at }) => created_at <= at),
    decisions: today.decisions.filter((decision) => decision.created_at <= at && isAcceptance(decision)),
    activities: [],
    flags: [],
    lease: null,
  }
}

const isAcceptance = ({ accepted_revision }: Decision) => accepted_revision !== null

/** Returns a row with the values of a publication. Undefined if this reader may not read the tier that the record had then. */
export function pastRow<T extends RecordRow>(
  today: T,
  { publication: { at }, revision }: { publication: Publication; revision: Revision },
  actor: Actor | null,
): T | undefined {
  const { data, revision_number, revision_id } = revision
  const header = withoutNames(headerOf(kinds[today.kind], data))
  if (!maySee(actor, { ...today, access_tier: header.access_tier, public: true })) return undefined
  return {
    ...today,
    ...header,
    access_tier: coarserTier(today.access_tier, header.access_tier),
    data,
    status: 'accepted',
    public: true,
    current_revision: revision_number,
    current_revision_id: revision_id,
    accepted_revision: revision_number,
    accepted_revision_id: revision_id,
    accepted_at: at,
    updated_at: at,
  }
}

/** Loads a record as it was public at a moment, by one query. Check first that the reader may see the record of today. */
export async function loadPastRecord(entity_id: string, at: string, actor: Actor | null): Promise<History | undefined> {
  const today = await loadHistory(entity_id)
  return today && pastRecord(today, at, actor)
}
