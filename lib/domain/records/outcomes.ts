import { packedId, packOf, placeInPack } from '../../base/ids/address.ts'
import type { Outcome } from './rules/canonical.ts'

/**
 * How the outcomes of a decision are stored. Most outcomes are plain: the new claim is accepted and has no rivals. Plain outcomes
 * are grouped by the pack of their claims (claim-packs.ts), and each takes one number: `{ <pack>: { name: 17, height: 18 } }`.
 */
export type StoredOutcomes = {
  outcomes?: readonly Outcome[]
  /** By pack and property: the place of the claim in its pack. */
  accepted?: Readonly<Record<string, Readonly<Record<string, number>>>>
}

const isPlain = ({ rule, rivals, stands }: Outcome) => rule === 'accepted' && rivals.length === 0 && stands !== null

export function packOutcomes(outcomes: readonly Outcome[]): StoredOutcomes {
  const plain = outcomes.filter(isPlain).map(({ property, stands }) => ({ property, id: stands ?? '' }))
  const accepted = Object.fromEntries(
    [...Map.groupBy(plain, ({ id }) => packOf(id))].map(([pack, its]) => [
      pack,
      Object.fromEntries(its.map(({ property, id }) => [property, placeInPack(id)])),
    ]),
  )
  return { outcomes: outcomes.filter((it) => !isPlain(it)), accepted }
}

/** Undoes `packOutcomes`. The order is by property. */
export function unpackOutcomes({ outcomes = [], accepted = {} }: StoredOutcomes): Outcome[] {
  const plain = Object.entries(accepted).flatMap(([pack, its]) =>
    Object.entries(its).map(
      ([property, at]): Outcome => ({ property, stands: packedId(pack, at), rule: 'accepted', rivals: [] }),
    ),
  )
  return [...outcomes, ...plain].sort((a, b) => (a.property < b.property ? -1 : 1))
}
