import { recordId } from '../ids/address.ts'
import type { Kind } from '../kinds/index.ts'
import { parse } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { queryAll, type Stored } from '../table/read.ts'
import { untilWhole } from '../table/until-whole.ts'
import { claimPack, claimsIn } from './claim-packs.ts'
import { type Loaded, link, recordItem } from './items.ts'

/** A record of a kind by its integer id, with its assertions, in one call; undefined when there is none. */
export const load = (kind: Kind, id: number): Promise<Loaded | undefined> => loadById(recordId(kind.code, id))

/** A record by its review identity, with its assertions, in one call. */
export const loadById = (entity_id: string): Promise<Loaded | undefined> =>
  untilWhole(async () => assemble(await queryAll(key.head(entity_id).pk, key.head(entity_id).sk)), hasAllClaims)

/** Whether the record was read with all its claims: a query may see one half of a transaction, the record changed and its claims not there yet. */
export const hasAllClaims = ({ claim_count, assertions }: Loaded): boolean =>
  claim_count === undefined || claim_count === assertions.length

/** A record from the items of its partition; its claims oldest first. */
export function assemble(items: readonly Stored[]): Loaded | undefined {
  const first = items.find((item) => item.type === recordItem.type)
  if (!first) return undefined
  const of = (type: string) => items.filter((item) => item.type === type)
  return {
    ...parse(recordItem, first),
    assertions: of(claimPack.type)
      .flatMap(claimsIn)
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
    links: of(link.type).map((item) => parse(link, item)),
  }
}
