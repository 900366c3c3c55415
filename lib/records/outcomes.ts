import { packedId, packOf, placeInPack } from '../ids/address.ts'
import type { Outcome } from './rules/canonical.ts'

/**
 * How the outcomes of a decision are stored. Most say no more than that the claim which was made stands for its property, and their
 * claims lie in one pack (claim-packs.ts): of these the pack is told once, and of each its property and place.
 */
export type StoredOutcomes = {
  outcomes?: readonly Outcome[]
  /** By pack, by property: the place of the claim that was accepted and has no rivals. */
  accepted?: Readonly<Record<string, Readonly<Record<string, number>>>>
}

const isPlain = ({ rule, rivals, stands }: Outcome) => rule === 'accepted' && rivals.length === 0 && stands !== null

/** Outcomes as they are stored. */
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

/** The outcomes of what was stored, by property. */
export function unpackOutcomes({ outcomes = [], accepted = {} }: StoredOutcomes): Outcome[] {
  const plain = Object.entries(accepted).flatMap(([pack, its]) =>
    Object.entries(its).map(
      ([property, at]): Outcome => ({ property, stands: packedId(pack, at), rule: 'accepted', rivals: [] }),
    ),
  )
  return [...outcomes, ...plain].sort((a, b) => (a.property < b.property ? -1 : 1))
}
