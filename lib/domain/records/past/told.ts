import { openTier } from '../../../base/visibility.ts'
import { type Actor, maySeeTier } from '../../../platform/permissions.ts'
import { textOf } from '../../names/text.ts'
import type { History } from '../history.ts'
import type { Revision } from '../items.ts'
import { isPlaceHidden } from '../place.ts'
import type { Visible } from '../shown.ts'
import { visibleValues } from '../views/record.ts'
import { coarserTier, publicationsOf, revisionOfPublication } from './publications.ts'

/** Returns the access tier that a revision gives its record. */
export const tierOf = ({ data }: Revision): string => textOf(data.access_tier) || openTier

/** Returns the values of a revision for this reader. The place is rounded if the tier of today or of that time rounds it. */
export const guardedValues = (history: Visible<History>, revision: Revision, actor: Actor | null) =>
  visibleValues({ ...history, access_tier: coarserTier(history.access_tier, tierOf(revision)) }, revision.data, actor)

/**
 * Returns the ids of the claims that publications made readable, with the tiers of these publications. A publication shows the claims
 * that stand in it, and rivals that its decision settled and that never stood.
 */
export function toldClaims(history: History): Map<string, readonly string[]> {
  const told = new Map<string, readonly string[]>()
  const standing = new Map<string, string | null>()
  for (const publication of publicationsOf(history, history.decisions)) {
    const revision = revisionOfPublication(history.revisions, publication)
    if (!revision) continue
    const outcomes = publication.decision?.outcomes ?? []
    const losers = outcomes.flatMap(({ rivals }) => rivals).filter((id) => !told.has(id))
    for (const { property, stands } of outcomes) standing.set(property, stands)
    const ids = [...standing.values()].filter((id) => id !== null)
    for (const id of new Set([...ids, ...losers])) told.set(id, [...(told.get(id) ?? []), tierOf(revision)])
  }
  return told
}

/** Whether a reader may read one of `tiers`, the tiers of the publications that showed a claim. */
export const mayReadTold = (tiers: readonly string[] = [], actor: Actor | null): boolean =>
  tiers.some((tier) => maySeeTier(actor, tier))

/** Whether the place that a claim states was rounded for this reader in each publication that showed the claim. */
export const isToldPlaceHidden = (
  history: History,
  { property, tiers }: { property: string; tiers: readonly string[] },
  actor: Actor | null,
): boolean =>
  tiers
    .filter((tier) => maySeeTier(actor, tier))
    .every((tier) =>
      isPlaceHidden({ ...history, access_tier: coarserTier(history.access_tier, tier) }, property, actor),
    )
