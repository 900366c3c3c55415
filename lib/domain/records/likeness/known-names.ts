import { distanceInMetres } from '../../../engines/matching/index.ts'
import { type Meaning, openSearchModelIfAny } from '../../../engines/search/index.ts'
import { type Actor, scopeOf } from '../../../platform/permissions.ts'
import { comparatorOf, kinds } from '../../kinds/index.ts'
import { textOf } from '../../names/text.ts'
import type { Assertion, LoadedRecord } from '../items.ts'
import { visibleValue } from '../place.ts'
import { type ClaimConflict, contradictingRivals } from '../rules/conflicts.ts'

/** The most pairs that are looked up for one request. */
const MOST_PAIRS = 20

/**
 * Whether the texts of each pair name one thing, or a place and a place within it. It asks the search model for the names of records that
 * the caller may see. Example: two names of one town. Costs the calls of the model, and none without pairs. All false without search.
 */
export async function nameOneThing(
  pairs: readonly (readonly [a: string, b: string])[],
  actor: Actor | null,
): Promise<boolean[]> {
  const asked = pairs.slice(0, MOST_PAIRS)
  const model = asked.length > 0 ? await openSearchModelIfAny() : undefined
  if (!model) return pairs.map(() => false)
  const meanings = await model.meanings(asked.flat().map(withoutSurroundings), scopeOf(actor))
  return pairs.map((_, i) => {
    const [a, b] = [meanings[2 * i], meanings[2 * i + 1]]
    return a !== undefined && b !== undefined && (isSame(a, b) || lies(a, b) || lies(b, a))
  })
}

/** "Patan, Nepal" names Patan. */
const withoutSurroundings = (text: string): string => text.replace(/,.*$/s, '')

const isSame = (a: Meaning, b: Meaning): boolean =>
  (a.as === b.as && a.value === b.value) || a.ids.some((id) => b.ids.includes(id))

/** Whether a place lies within a larger one. */
const lies = ({ area: inner }: Meaning, { area: outer }: Meaning): boolean =>
  inner !== undefined &&
  outer !== undefined &&
  inner.reach < outer.reach &&
  distanceInMetres(inner.at, outer.at) <= outer.reach * 1000

/** Makes contradictions between two names of one thing `compatible`. Asks the search model only if names contradict each other. */
export async function withoutOneThing(
  old: LoadedRecord,
  claims: readonly Assertion[],
  conflicts: readonly ClaimConflict[],
  actor: Actor,
): Promise<readonly ClaimConflict[]> {
  const nameById = new Map([...old.assertions, ...claims].map((claim) => [claim.id, nameIn(old, claim, actor)]))
  const pairs = conflicts.flatMap((conflict) =>
    contradictingRivals(conflict).flatMap((rival) => {
      const [name, other] = [nameById.get(conflict.claim), nameById.get(rival.id)]
      return name === undefined || other === undefined ? [] : [{ rival, names: [name, other] as const }]
    }),
  )
  if (pairs.length === 0) return conflicts
  const named = pairs.map(({ names }) => names)
  const same = await nameOneThing(named, actor)
  const agreeing = new Set(pairs.flatMap(({ rival }, i) => (same[i] ? [rival] : [])))
  return conflicts.map((conflict) => ({
    ...conflict,
    rivals: conflict.rivals.map((rival) =>
      agreeing.has(rival) ? { ...rival, verdict: 'compatible' as const } : rival,
    ),
  }))
}

/** The value of a claim, as the caller may see it, if it is a name or another text. Undefined for other values. */
function nameIn(old: LoadedRecord, claim: Assertion, actor: Actor): string | undefined {
  const field = kinds[old.kind].fields[claim.asserted_property]
  const comparator = field && comparatorOf(field)
  if (comparator !== 'text' && comparator !== 'reference') return undefined
  return textOf(visibleValue(old, claim.asserted_property, claim.value, actor))
}
