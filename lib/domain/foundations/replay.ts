import type { DecisionOutcomes, OutcomeRule, PropertyOutcome } from '../records/rules/canonical.ts'

/**
 * What would stand if some claims had never been made. Pure. Decisions store which claim stands, by which rule, against which rivals; that
 * is enough to replay them without the claims that fall.
 */

/** The rules by which the new claim of a decision becomes the standing one. By any other rule the new claim is the last of the rivals. */
const standsItself: ReadonlySet<OutcomeRule> = new Set([
  'accepted',
  'replaced',
  'corrected',
  'edited',
  'supersedes',
  'coexist',
  'refines',
  'source_withdrawn',
  'source_restored',
])

/** The outcomes of one property, oldest first. */
export const outcomesOf = (decisions: readonly DecisionOutcomes[], property: string): PropertyOutcome[] =>
  decisions
    .toSorted((a, b) => a.sequence - b.sequence)
    .flatMap(({ outcomes }) => outcomes.filter((outcome) => outcome.property === property))

/**
 * Returns the id of the claim that would stand without the claims that `hasFallen` names, or null. Each decision is taken again: a fallen
 * claim displaces nothing, and a claim meets no rival where nothing stands.
 */
export function replayWithout(outcomes: readonly PropertyOutcome[], hasFallen: (id: string) => boolean): string | null {
  const known = new Set<string>()
  let standing: string | null = null
  for (const { stands, rule, rivals } of outcomes) {
    const named = stands === null ? [...rivals] : [stands, ...rivals]
    const incoming = incomingOf({ stands, rule, rivals }, named, known, hasFallen)
    for (const id of named) known.add(id)
    if (stands === null)
      standing = standing !== null && rule !== 'removed' && !rivals.includes(standing) ? standing : null
    else if (incoming === undefined) continue
    else if (standing === null || standsItself.has(rule)) standing = incoming
  }
  return standing
}

/** The claim that a decision was about. If it has fallen, another claim that came with it. */
function incomingOf(
  { stands, rule, rivals }: Pick<PropertyOutcome, 'stands' | 'rule' | 'rivals'>,
  named: readonly string[],
  known: ReadonlySet<string>,
  hasFallen: (id: string) => boolean,
): string | undefined {
  const newest = standsItself.has(rule) ? stands : rivals.at(-1)
  if (newest && !hasFallen(newest)) return newest
  return named
    .filter((id) => id !== newest && !known.has(id) && !hasFallen(id))
    .toSorted()
    .at(-1)
}
