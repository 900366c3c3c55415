import { mapAtOnce } from '../../base/concurrency.ts'
import { historyAudiences } from '../../base/visibility.ts'
import { getMany, itemAt, type Key, keyOf, walk } from '../../engines/table/index.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { identifierChanges } from '../records/claim-identifiers.ts'
import { assertionPartitions, claimsIn, claimWrites } from '../records/claim-packs.ts'
import { type Assertion, claimStatuses } from '../records/items.ts'
import { type Lot, type Rewrite, trueIfConflict } from './step.ts'

/** Packs of claims that are rewritten side by side. */
const AT_ONCE = 4
/** In layout 3 a line of a claim's note named the row of the imported table from which the claim came. */
const rowLine = /^row: (\S.*)$/m

/**
 * In layout 4 a claim about no record has an identifier, by which it is found: the id of its row. The line of its note stays, so the
 * earlier version finds it as well.
 */
export const identifyClaims: Rewrite = (position, most) =>
  rewriteClaims(position, most, (claim) => {
    const [, identifier = ''] = rowLine.exec(claim.data_quality_note) ?? []
    return claim.identifier === '' && identifier !== '' ? { ...claim, identifier } : claim
  })

/** Takes identifiers back. A claim that has been made with one gets the line that the earlier version looks for. */
export const unidentifyClaims: Rewrite = (position, most) =>
  rewriteClaims(position, most, (claim) => {
    const { identifier, data_quality_note } = claim
    if (identifier === '') return claim
    const isNoted = rowLine.exec(data_quality_note)?.[1] === identifier
    const lines = [data_quality_note, isNoted ? '' : `row: ${identifier}`]
    return { ...claim, identifier: '', data_quality_note: lines.filter(Boolean).join('\n') }
  })

/** All lists of claims, one after the other. A pack with claims of several statuses is in several of them. */
const lists = claimStatuses.flatMap((status) =>
  historyAudiences.flatMap((audience) => assertionPartitions(status, audience)),
)

/** Rewrites claims about no record in the next packs of the lists. `position`: the number of a list, and the sort key after which to go on. */
async function rewriteClaims(
  position: string | null,
  most: number,
  rewrite: (claim: Assertion) => Assertion,
): Promise<Lot> {
  const [from = '0', beyond] = position?.split(' ') ?? []
  const { number, packs } = await nextPacks(Number(from), beyond, most)
  let changed = 0
  await mapAtOnce(packs, AT_ONCE, async (pack) => {
    if (writesOf(claimsIn(pack), rewrite).length > 0 && (await rewritePack(keyOf(pack), rewrite))) changed += 1
  })
  if (packs.length < most) return { next: number + 1 < lists.length ? String(number + 1) : null, changed }
  return { next: `${number} ${packs.at(-1)?.[`${lists[number]?.index}_sk`]}`, changed }
}

/** The next packs of a list, or of the first list after it that has packs. */
async function nextPacks(from: number, beyond: string | undefined, most: number) {
  for (let number = from; ; number += 1) {
    const list = lists[number]
    if (!list) return { number, packs: [] }
    const after = number === from && beyond !== undefined ? { beyond } : {}
    const packs = await walk({ ...list, forward: true, limit: most, ...after })
    if (packs.length > 0) return { number, packs }
  }
}

/** The list may be behind, so the pack is rewritten as it is now. Returns whether it has changed, or somebody else changes it at this moment. */
const rewritePack = (pack: Key, rewrite: (claim: Assertion) => Assertion): Promise<boolean> =>
  inUnit(async (unit) => {
    const stored = itemAt(await getMany([pack], true), pack)
    const writes = stored ? writesOf(claimsIn(stored), rewrite) : []
    unit.add(writes)
    return writes.length > 0
  }).catch(trueIfConflict)

function writesOf(claims: readonly Assertion[], rewrite: (claim: Assertion) => Assertion) {
  const next = claims.map((claim) => (claim.kind === 'assertion' ? rewrite(claim) : claim))
  return [
    ...claimWrites(claims, next, undefined),
    ...claims.flatMap((claim, i) => identifierChanges(claim, next[i] ?? claim)),
  ]
}
