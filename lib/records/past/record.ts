import { kinds } from '../../kinds/index.ts'
import { type Actor, maySee } from '../../permissions.ts'
import { headerOf, summaryOf } from '../build.ts'
import { type History, loadHistory } from '../history.ts'
import type { Decision, RecordRow, Revision } from '../items.ts'
import { claimsAt } from './claims.ts'
import { type Publication, publicationAt, revisionOf, stricterTier } from './publications.ts'

/** The record as everyone, or whoever was signed in, could read it at a moment. */

/**
 * A record as it was public at a moment, as the reader may know it: with the values, claims and decisions of then. Undefined
 * where it was not public then, or not for this reader. What other records say of it is not known of the past, and is left out.
 */
export function publicAt(it: History, at: string, actor: Actor | null): History | undefined {
  const found = publicationAt(it, it.decisions, at)
  const revision = found && revisionOf(it.revisions, found)
  const then = found && revision && rowAt(it, { found, revision }, actor)
  if (!then) return undefined
  return {
    ...it,
    ...then,
    proposed: null,
    assertions: claimsAt(it, at),
    links: [],
    revisions: it.revisions.filter((each) => each.created_at <= at),
    decisions: it.decisions.filter((each) => each.created_at <= at && isAcceptance(each)),
    activities: [],
    flags: [],
    lease: null,
  }
}

const isAcceptance = (it: Decision) => it.accepted_revision !== null

/** A row of the record as it was then; undefined where its tier kept it from this reader. */
export function rowAt<T extends RecordRow>(
  it: T,
  { found: { at }, revision }: { found: Publication; revision: Revision },
  actor: Actor | null,
): T | undefined {
  const { data, revision_number, revision_id } = revision
  const header = summaryOf(headerOf(kinds[it.kind], data))
  if (!maySee(actor, { ...it, access_tier: header.access_tier, public: true })) return undefined
  return {
    ...it,
    ...header,
    access_tier: stricterTier(it.access_tier, header.access_tier),
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

/** The same by the review identity of a record that the reader may see today: one query. */
export async function loadPublicAt(entity_id: string, at: string, actor: Actor | null): Promise<History | undefined> {
  const it = await loadHistory(entity_id)
  return it && publicAt(it, at, actor)
}
