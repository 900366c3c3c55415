import { getMany, itemAt, type Key, keyOf, queryBetween, type Stored, type Write } from '../../engines/table/index.ts'
import { indexWrites, readEntry } from '../../platform/name-index/entries.ts'
import { key } from '../../platform/table/keys.ts'
import { claimsIn } from './claim-packs.ts'
import type { Assertion } from './items.ts'

/** Index entries that find a claim about no record by its id in its source. Claims about records have no entries: their record finds them. */

/** The most claims of one identifier that are read. An identifier that more claims share identifies nothing. */
const MOST_IDENTIFIED = 50

/** The writes of the index entries of a new claim. Empty for a claim about a record, and for a claim without an identifier. */
export const identifierWrites = (claim: Assertion): Write[] => indexWrites(undefined, indexedOf(claim))

/** The writes that update the entries of a claim after a change. */
export const identifierChanges = (before: Assertion, after: Assertion): Write[] =>
  indexWrites(indexedOf(before), indexedOf(after))

const indexedOf = ({ id, entity_id, kind, identifier }: Assertion) =>
  kind === 'assertion' && identifier !== '' ? { entity_id, kind, id, names: [], identifier } : undefined

/** Loads the claims that have this identifier and are about no record. Two calls. */
export async function loadIdentifiedClaims(identifier: string): Promise<Assertion[]> {
  const { pk } = key.identifier('assertion', identifier, '')
  const entries = await queryBetween(pk, `${identifier}#`, `${identifier}#~`, MOST_IDENTIFIED)
  const ids = entries.map((entry) => String(readEntry(entry).id))
  const found = await getMany(ids.map(key.ofClaim))
  return ids.flatMap((id) => claimOf(itemAt(found, key.ofClaim(id)), id) ?? [])
}

/** Whether the claim of an entry still has the identifier of the entry. One call. */
export async function isEntryOfClaim(entry: Stored, { sk }: Key): Promise<boolean> {
  const { id, entity_id } = readEntry(entry)
  const pack = key.ofClaim(String(id))
  const claim = claimOf(itemAt(await getMany([pack], true), pack), String(id))
  return claim !== undefined && sk === key.identifier('assertion', claim.identifier, entity_id).sk
}

const claimOf = (pack: Stored | undefined, id: string): Assertion | undefined =>
  pack && claimsIn(pack).find((claim) => claim.id === id)

/** The writes of the missing index entries of the claims in a stored pack. One call, or none if the claims need no entries. */
export async function missingEntries(pack: Stored): Promise<Write[]> {
  const writes = claimsIn(pack).flatMap(identifierWrites)
  const keys = writes.map(({ action }) => keyOf(action.Put?.Item ?? {}))
  const found = keys.length > 0 ? await getMany(keys, true) : undefined
  return writes.filter((_, i) => keys[i] && found && !itemAt(found, keys[i]))
}
