import type { Actor } from '../../../platform/permissions.ts'
import type { Assertion, LoadedRecord } from '../items.ts'
import { type ClaimConflict, contradictingRivals } from '../rules/conflicts.ts'

/** Makes contradictions between two names of one thing `compatible`. The code for it is loaded only if there are contradictions. */
export async function withoutNamesakes(
  old: LoadedRecord,
  claims: readonly Assertion[],
  conflicts: readonly ClaimConflict[],
  actor: Actor,
): Promise<readonly ClaimConflict[]> {
  if (conflicts.every((conflict) => contradictingRivals(conflict).length === 0)) return conflicts
  const { withoutOneThing } = await import('./known-names.ts')
  return withoutOneThing(old, claims, conflicts, actor)
}
