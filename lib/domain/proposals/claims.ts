import { hash } from 'node:crypto'
import { conflict } from '../../base/errors.ts'
import { getMany, itemIn, put, remove, type Write, withNextVersion } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { proposalClaim } from './items.ts'

/** The names that proposals reserve. While a proposal waits, nobody can propose the same. Once it is refused, nobody ever can. */

/** The name that a proposal reserves: a digest of what the proposal is about. Example: the review identities of two records. */
export const nameOfClaim = (...things: readonly string[]): string =>
  hash('sha256', things.join('\n'), 'base64url').slice(0, 32)

const WAITS = 'The same is proposed already, and waits for a decision.'
const REFUSED = 'The same was proposed before, and refused.'

/**
 * The writes by which a proposal reserves these names. Fails with `conflict` if one is reserved or refused, or if one of `others` was
 * refused. One call.
 */
export async function claimNames(
  names: readonly string[],
  others: readonly string[],
  proposal_id: string,
): Promise<Write[]> {
  const found = await loadClaims([...names, ...others])
  if (found.some(({ refused }) => refused)) throw conflict(REFUSED)
  if (found.some(({ name }) => names.includes(name))) throw conflict(WAITS)
  return names.map((name) =>
    put(proposalClaim, { name, proposal_id, refused: false, version: 1 }, undefined, () => conflict(WAITS)),
  )
}

/** The writes that end what a proposal reserves. Names of a refused proposal stay reserved for good; any other names become free. One call. */
export async function endClaims(names: readonly string[], end: 'refused' | 'over'): Promise<Write[]> {
  const claims = await loadClaims(names)
  return claims.map((it) =>
    end === 'over' ? remove(proposalClaim, it) : put(proposalClaim, withNextVersion(it, { refused: true }), it),
  )
}

async function loadClaims(names: readonly string[]) {
  const found = await getMany(names.map(key.proposalClaim), true)
  return [...new Set(names)].flatMap((name) => itemIn(found, proposalClaim, { name }) ?? [])
}
