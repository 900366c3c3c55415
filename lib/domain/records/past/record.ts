import { type Actor, maySee } from '../../../platform/permissions.ts'
import { kinds } from '../../kinds/index.ts'
import { headerOf, withoutNames } from '../build.ts'
import { type History, loadHistory } from '../history.ts'
import type { Decision, RecordRow, Revision } from '../items.ts'
import { claimsAt } from './claims.ts'
import { type Publication, publicationAt, revisionOfPublication, stricterTier } from './publications.ts'

/**
 * A record as it was public at a moment, with its values, claims and decisions of then. Undefined where it was not public then, or
 * this reader may not read it. It has no links from other records: they are not kept for the past.
 */
export function pastRecord(it: History, at: string, actor: Actor | null): History | undefined {
  const found = publicationAt(it, it.decisions, at)
  const revision = found && revisionOfPublication(it.revisions, found)
  const then = found && revision && pastRow(it, { found, revision }, actor)
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

/** Undefined where this reader may not read the tier that the record had then. */
export function pastRow<T extends RecordRow>(
  it: T,
  { found: { at }, revision }: { found: Publication; revision: Revision },
  actor: Actor | null,
): T | undefined {
  const { data, revision_number, revision_id } = revision
  const header = withoutNames(headerOf(kinds[it.kind], data))
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

/** Loads a record as it was public at a moment. The caller checks first that the reader may see it today. One query. */
export async function loadPastRecord(entity_id: string, at: string, actor: Actor | null): Promise<History | undefined> {
  const it = await loadHistory(entity_id)
  return it && pastRecord(it, at, actor)
}
