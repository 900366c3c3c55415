import { now } from '../../base/clock.ts'
import { conflict, impossible, invalid } from '../../base/errors.ts'
import {
  get,
  getMany,
  itemIn,
  type PageRequest,
  type PageResult,
  parse,
  put,
  readList,
  removeEntry,
  type UnitOfWork,
  type Write,
  withNextVersion,
} from '../../engines/table/index.ts'
import { type Actor, mayInspect, type Subject } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { loadCluster } from '../clusters/clusters.ts'
import { gatherRecords } from '../clusters/gather.ts'
import { evidenceOf } from '../clusters/memberships.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { pairId } from '../records/likeness/refused-pairs.ts'
import { settleDuplicates } from '../review/duplicates.ts'
import { type Candidate, type CandidateStatus, candidate, candidateIndex, candidateList } from './items.ts'

/** A candidate with its two records, and the facts by which permissions rule. Nobody decides on a record of their own. */
export type CandidateWithRecords = Subject & {
  candidate: Candidate
  left: RecordItem
  right: RecordItem
  version: number
}

/** Loads a candidate with its records. Two calls. */
export async function loadCandidate(id: string): Promise<CandidateWithRecords | undefined> {
  const it = await get(candidate, { id })
  if (!it) return undefined
  const found = await getMany([key.head(it.left), key.head(it.right)], true)
  const [left, right] = [it.left, it.right].map((entity_id) => itemIn(found, recordItem, { entity_id }))
  return left && right && withRecords(it, left, right)
}

const withRecords = (it: Candidate, left: RecordItem, right: RecordItem): CandidateWithRecords => ({
  candidate: it,
  left,
  right,
  contributor_id: null,
  public: false,
  deleted_at: left.deleted_at ?? right.deleted_at,
  authors: [left.contributor_id, right.contributor_id],
  version: it.version,
})

/** Lists candidates, newest first. Those with a record that the caller may not inspect are left out. Two calls. */
export async function listCandidates(
  { status }: { status?: string | undefined },
  actor: Actor,
  place: PageRequest,
): Promise<PageResult<CandidateWithRecords>> {
  const pk = candidateList(status)
  const { items, found, ...listing } = await readList(
    { partitions: [{ index: candidateIndex(status), pk }], counted: [pk] },
    place,
    (page) => page.map((item) => parse(candidate, item)).flatMap((it) => [key.head(it.left), key.head(it.right)]),
  )
  const results = items.flatMap((item) => {
    const it = parse(candidate, item)
    const [left, right] = [it.left, it.right].map((entity_id) => itemIn(found, recordItem, { entity_id }))
    return left && right && mayInspect(actor, left) && mayInspect(actor, right) ? [withRecords(it, left, right)] : []
  })
  return { ...listing, results }
}

export const resolutions = ['accept', 'reject', 'defer'] as const
export type ResolutionInput = {
  resolution: (typeof resolutions)[number]
  notes: string
  target_cluster_id?: string | undefined
}
const statusAfter = { accept: 'accepted', reject: 'rejected', defer: 'deferred' } as const satisfies Record<
  ResolutionInput['resolution'],
  CandidateStatus
>

/**
 * Answers a candidate. `accept` puts both records into the target cluster. `accept` and `reject` resolve the flags that said that the two
 * look alike. Fails with `invalid` on a candidate that is answered, or on a target that does not fit, and with `conflict` if somebody
 * else was faster. Some eight calls.
 */
export async function resolveCandidate(
  unit: UnitOfWork,
  { candidate: old, left, right }: CandidateWithRecords,
  { resolution, notes, target_cluster_id }: ResolutionInput,
  actor: Actor,
): Promise<{ candidate: CandidateWithRecords; created_assertion_ids: string[] }> {
  if (old.status !== 'open' && (old.status !== 'deferred' || resolution === 'defer'))
    throw impossible(`This candidate is ${old.status} already.`)
  const at = now()
  const joined =
    resolution === 'accept' ? await joinBoth(unit, [left, right], { target_cluster_id, notes }, actor) : undefined
  const status = statusAfter[resolution]
  const { next, writes } = answerCandidate(old, { status, notes, cluster_id: joined?.cluster.id ?? null, at }, actor)
  unit.add(writes)
  if (resolution !== 'defer') unit.add(await settleDuplicates([left, right], actor))
  return { candidate: withRecords(next, left, right), created_assertion_ids: joined?.assertion_ids ?? [] }
}

type Answer = Pick<Candidate, 'status' | 'notes' | 'cluster_id'> & { at: string }

/**
 * A candidate with its answer, and the writes that store it. The writes also remove the candidate from the open questions about its
 * records.
 */
export function answerCandidate(old: Candidate, { at, ...answer }: Answer, actor: Pick<Actor, 'id'>) {
  const next = withNextVersion<Candidate>(old, { ...answer, decided_by: actor.id, decided_at: at, updated_at: at })
  const writes: Write[] = [
    put(candidate, next, old),
    removeEntry(key.pair(old.left, old.right)),
    removeEntry(key.pair(old.right, old.left)),
  ]
  return { next, writes }
}

/** Loads what was asked and answered about these pairs of records. One call for each hundred pairs. */
export async function loadCandidatesOf(pairs: readonly (readonly [string, string])[]): Promise<Candidate[]> {
  const ids = pairs.map(([one, other]) => pairId(one, other))
  const found = await getMany(ids.map(key.candidate))
  return [...new Set(ids)].flatMap((id) => itemIn(found, candidate, { id }) ?? [])
}

async function joinBoth(
  unit: UnitOfWork,
  records: readonly [RecordItem, RecordItem],
  { target_cluster_id, notes }: Pick<ResolutionInput, 'target_cluster_id' | 'notes'>,
  actor: Actor,
) {
  if (!target_cluster_id) throw invalid({ target_cluster_id: ['Accepting takes the cluster that is to hold both.'] })
  const target = await loadCluster(target_cluster_id)
  if (!target || target.merged_into) throw invalid({ target_cluster_id: ['There is no cluster with this id.'] })
  if (records.some(({ kind }) => kind !== target.kind))
    throw invalid({ target_cluster_id: ['It gathers records of another kind.'] })
  if (records.some(({ deleted_at }) => deleted_at)) throw conflict()
  return gatherRecords(unit, target, { records, evidence: evidenceOf(actor, 'candidate', notes) })
}
