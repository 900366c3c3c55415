import { recordId } from '../../base/ids/address.ts'
import { parse, queryAll, type Stored, untilWhole } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import type { Kind } from '../kinds/index.ts'
import { claimPack, claimsIn } from './claim-packs.ts'
import { type LoadedRecord, link, recordItem, SAME_REFERENT } from './items.ts'

/** Loads a record with its claims by its integer id. One call. */
export const loadRecord = (kind: Kind, id: number): Promise<LoadedRecord | undefined> =>
  loadRecordById(recordId(kind.code, id))

/** Loads a record with its claims by its review identity. One call. */
export const loadRecordById = (entity_id: string): Promise<LoadedRecord | undefined> =>
  untilWhole(async () => assembleRecord(await queryAll(key.head(entity_id).pk, key.head(entity_id).sk)), hasAllClaims)

/** Whether a record was read with all its claims. A query may see half of a transaction: the head, but not its claims. */
export const hasAllClaims = ({ claim_count, assertions }: LoadedRecord): boolean =>
  claim_count === undefined ||
  claim_count === assertions.filter(({ asserted_property }) => asserted_property !== SAME_REFERENT).length

/** Builds a record from the items of its partition, claims oldest first. Undefined if the head is not among them. */
export function assembleRecord(items: readonly Stored[]): LoadedRecord | undefined {
  const head = items.find((item) => item.type === recordItem.type)
  if (!head) return undefined
  const itemsOf = (type: string) => items.filter((item) => item.type === type)
  return {
    ...parse(recordItem, head),
    assertions: itemsOf(claimPack.type)
      .flatMap(claimsIn)
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
    links: itemsOf(link.type).map((item) => parse(link, item)),
  }
}
