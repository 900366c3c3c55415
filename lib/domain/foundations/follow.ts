import { isDeepStrictEqual } from 'node:util'
import { mapAtOnce } from '../../base/concurrency.ts'
import { audienceOf } from '../../base/visibility.ts'
import { commitPlan } from '../../engines/table/immediate.ts'
import {
  get,
  getMany,
  itemIn,
  type Plan,
  put,
  replaceDerived,
  type Write,
  withNextVersion,
} from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { type History, loadHistory } from '../records/history.ts'
import { type Assertion, type RecordItem, SAME_REFERENT } from '../records/items.ts'
import { NONE } from '../records/source-references.ts'
import { footingsOf, supportFor } from './footings.ts'
import { type Dependent, dependent, type Footings, footings } from './items.ts'

/** Keeps what rests on which source up to date with the standing values of records. The projector calls it. */

/** References of one record that are followed. One transaction holds two writes for each. */
const MOST_REFERENCES = 40

/** Whether a change of a record can have changed its standing values or their readers. */
export function concernsFootings(before: RecordItem | undefined, after: RecordItem | undefined): boolean {
  const facts = (it: RecordItem | undefined) =>
    it?.public
      ? [it.deleted_at, it.access_tier, it.accepted_revision, it.accepted_at, it.claim_count, it.updated_at]
      : null
  return !isDeepStrictEqual(facts(before), facts(after))
}

/** Whether a claim says to which cluster its record belongs. Such claims change without their record. */
export const isOfIdentity = ({ asserted_property }: Assertion): boolean => asserted_property === SAME_REFERENT

/** Records that are followed at the same time. */
const AT_ONCE = 8

/**
 * Computes anew what the values of these records rest on, and stores what differs. Safe to repeat, in any order. Where nothing differs it
 * takes one call for each record, and one for each hundred.
 */
export async function followFootings(ids: readonly string[]): Promise<void> {
  const records = [...new Set(ids)]
  const found = await getMany(
    records.map((entity_id) => key.footings(entity_id)),
    true,
  )
  await mapAtOnce(records, AT_ONCE, (entity_id) => followRecord(entity_id, itemIn(found, footings, { entity_id })))
}

/** `known`: what is stored, as it was read for the first attempt. */
function followRecord(entity_id: string, known: Footings | undefined): Promise<void> {
  let isFirst = true
  return commitPlan(async (): Promise<Plan<void>> => {
    const history = await loadHistory(entity_id)
    const old = isFirst ? known : await get(footings, { entity_id })
    isFirst = false
    return { result: undefined, writes: history ? footingWrites(history, old) : [] }
  })
}

/** The writes that bring what is stored of a record up to date. Empty if nothing differs. */
function footingWrites(history: History, old: Footings | undefined): Write[] {
  const { entity_id, kind } = history
  const values = footingsOf(history).filter(({ references }) => references.some((it) => it !== NONE))
  const audience = values.length > 0 ? audienceOf(history.access_tier) : null
  const wanted = { entity_id, kind, audience, values }
  if (!old && values.length === 0) return []
  if (old && isDeepStrictEqual({ ...old, version: 0 }, { ...wanted, version: 0 })) return []
  const next: Footings = old ? withNextVersion<Footings>(old, wanted) : { ...wanted, version: 1 }
  const [before, after] = [dependentsOf(old), dependentsOf(next)]
  return [
    put(footings, next, old),
    ...[...new Set([...before.keys(), ...after.keys()])].flatMap((at) =>
      isDeepStrictEqual(before.get(at), after.get(at)) ? [] : replaceDerived(dependent, before.get(at), after.get(at)),
    ),
  ]
}

/** The entries of a record under its references, by place. */
function dependentsOf(of: Footings | undefined): Map<string, Dependent> {
  const found = new Map<string, Dependent>()
  const audience = of?.audience
  if (!of || !audience) return found
  const named = [...new Set(of.values.flatMap(({ references }) => references))].filter((it) => it !== NONE)
  const followed = new Set(named.slice(0, MOST_REFERENCES))
  for (const value of of.values) {
    for (const reference of value.references.filter((it) => followed.has(it))) {
      const support = supportFor(value)
      const at = `${reference} ${support}`
      const { entity_id, kind } = of
      const entry = found.get(at) ?? { reference, audience, support, kind, entity_id, values: [], version: 1 }
      found.set(at, { ...entry, values: [...entry.values, value] })
    }
  }
  return found
}
