import { packedId, packOf, placeInPack } from '../../base/ids/address.ts'
import type { PropertyOutcome } from './rules/canonical.ts'

/**
 * How the outcomes of a decision are stored. Most outcomes are plain: a claim is accepted and has no rivals. Plain outcomes are
 * grouped by the pack of their claims (claim-packs.ts), and each takes one number: `{ <pack>: { name: 17, height: 18 } }`.
 */
export type StoredOutcomes = {
  outcomes?: readonly PropertyOutcome[]
  /** By pack and property: the place of the claim in its pack. */
  accepted?: Readonly<Record<string, Readonly<Record<string, number>>>>
}

const isPlain = ({ rule, rivals, stands }: PropertyOutcome) =>
  rule === 'accepted' && rivals.length === 0 && stands !== null

/** Groups plain outcomes by the pack of their claims. `unpackOutcomes` is the inverse. */
export function packOutcomes(outcomes: readonly PropertyOutcome[]): StoredOutcomes {
  const plain = outcomes.filter(isPlain).map(({ property, stands }) => ({ property, id: stands ?? '' }))
  const accepted = Object.fromEntries(
    [...Map.groupBy(plain, ({ id }) => packOf(id))].map(([pack, outcomesOfPack]) => [
      pack,
      Object.fromEntries(outcomesOfPack.map(({ property, id }) => [property, placeInPack(id)])),
    ]),
  )
  return { outcomes: outcomes.filter((outcome) => !isPlain(outcome)), accepted }
}

/** Returns the outcomes of a stored decision, ordered by property. */
export function unpackOutcomes({ outcomes = [], accepted = {} }: StoredOutcomes): PropertyOutcome[] {
  const plain = Object.entries(accepted).flatMap(([pack, places]) =>
    Object.entries(places).map(
      ([property, place]): PropertyOutcome => ({
        property,
        stands: packedId(pack, place),
        rule: 'accepted',
        rivals: [],
      }),
    ),
  )
  return [...outcomes, ...plain].sort((a, b) => (a.property < b.property ? -1 : 1))
}
