import { now } from '../../base/clock.ts'
import { isConflict, noneIf } from '../../base/errors.ts'
import { addressOf } from '../../base/ids/address.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import { getMany, itemIn, put, putEntry, type Write } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { membership } from '../clusters/memberships.ts'
import { type Flag, recordItem } from '../records/items.ts'
import { pairId } from '../records/likeness/refused-pairs.ts'
import { type Candidate, candidate } from './items.ts'

/**
 * Asks whether two records of a kind are about the same thing, once a flag says that they look alike. A pair is not asked about twice, and
 * not if both are in one cluster. Safe to repeat. One call, and one to write.
 */
export async function proposeCandidate(raised: Flag): Promise<void> {
  const { entity_id, other_entity_id, flag_type, is_resolved } = raised
  if (flag_type !== 'suspected_duplicate' || other_entity_id === null || is_resolved) return
  const [left, right] = [entity_id, other_entity_id].sort()
  if (left === undefined || right === undefined || !areOfOneKind(left, right)) return
  const id = pairId(left, right)
  const found = await getMany([key.candidate(id), ...[left, right].flatMap((it) => [key.head(it), key.clustered(it)])])
  if (itemIn(found, candidate, { id })) return
  const sides = [left, right].map((it) => itemIn(found, recordItem, { entity_id: it }))
  if (sides.some((it) => !it || it.deleted_at)) return
  const [one, other] = [left, right].map((it) => itemIn(found, membership, { entity_id: it })?.cluster_id)
  if (one !== undefined && one === other) return
  const at = now()
  const asked: Candidate = {
    id,
    left,
    right,
    status: 'open',
    notes: '',
    decided_by: null,
    decided_at: null,
    cluster_id: null,
    created_at: at,
    updated_at: at,
    version: 1,
  }
  await commitWrites([put(candidate, asked, undefined), ...pairWrites(asked)]).catch(noneIf(isConflict))
}

const areOfOneKind = (a: string, b: string) => addressOf(a)?.kindCode === addressOf(b)?.kindCode

/** The entries by which an open question is found from either record. */
const pairWrites = ({ id, left, right }: Candidate): Write[] => [
  putEntry(key.pair(left, right), { candidate_id: id, other: right }),
  putEntry(key.pair(right, left), { candidate_id: id, other: left }),
]
