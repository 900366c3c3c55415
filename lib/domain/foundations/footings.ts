import { cut } from '../../engines/matching/index.ts'
import { textOf } from '../names/text.ts'
import { compareValues } from '../records/corrections.ts'
import { claimStatesOf, type History } from '../records/history.ts'
import { type Assertion, isSettled, SAME_REFERENT } from '../records/items.ts'
import { visibleValue } from '../records/place.ts'
import { computeCanonical } from '../records/rules/canonical.ts'
import { NONE, referencesOf, sourcesByPack } from '../records/source-references.ts'
import type { Footing, Support } from './items.ts'
import { outcomesOf, replayWithout } from './replay.ts'

/** The most successors that are stored of one value. */
const MOST_SUCCESSORS = 5
/** The most letters of a value that are stored for lists. */
const LONGEST_TEXT = 200

/** The history of a record, with the references by which each claim names its sources. */
type Grounds = { history: History; referencesById: ReadonlyMap<string, readonly string[]> }

export function groundsOf(history: History): Grounds {
  const byPack = sourcesByPack(history.assertions)
  return { history, referencesById: new Map(history.assertions.map((it) => [it.id, referencesOf(it, byPack)])) }
}

/** The standing values of a record, each with what it rests on and what would stand in its place. Empty if it is not public. Pure. */
export function footingsOf(history: History): Footing[] {
  if (!history.public || history.deleted_at) return []
  const grounds = groundsOf(history)
  const canonical = computeCanonical(claimStatesOf(history.assertions), history.decisions)
  const standing = [...canonical.values()].flatMap(({ stands }) => claimsWithId(history, stands))
  const identity = history.assertions.filter((it) => it.asserted_property === SAME_REFERENT && isSettled(it))
  return [...standing, ...identity].map((claim) => footingOf(grounds, claim))
}

const claimsWithId = ({ assertions }: History, id: string | null): Assertion[] =>
  assertions.filter((claim) => claim.id === id)

function footingOf(grounds: Grounds, claim: Assertion): Footing {
  const references = supportOf(grounds, claim)
  return {
    property: claim.asserted_property,
    claim: claim.id,
    value: publicText(grounds.history, claim),
    references,
    successors: references.includes(NONE) ? [] : successorsOf(grounds, claim, references),
  }
}

/** All references of the settled claims that say the same as this one, or say it more exactly. */
function supportOf({ history, referencesById }: Grounds, claim: Assertion): string[] {
  const supporters = history.assertions.filter(
    (other) => other.id === claim.id || (isSettled(other) && agrees(history, claim, other)),
  )
  return [...new Set(supporters.flatMap(({ id }) => referencesById.get(id) ?? [NONE]))].toSorted()
}

const agrees = (history: History, claim: Assertion, other: Assertion): boolean =>
  other.asserted_property === claim.asserted_property &&
  ['same', 'refines'].includes(compareValues(history, claim.asserted_property, claim, other) ?? '')

function successorsOf(grounds: Grounds, claim: Assertion, references: readonly string[]): Footing['successors'] {
  const fallen = new Set(references)
  const successors: Footing['successors'] = []
  while (successors.length < MOST_SUCCESSORS) {
    const next = standingWithout(grounds, claim.asserted_property, fallen)
    if (!next) break
    const own = grounds.referencesById.get(next.id) ?? [NONE]
    successors.push({ claim: next.id, value: publicText(grounds.history, next), references: [...own] })
    if (own.includes(NONE)) break
    for (const reference of own) fallen.add(reference)
  }
  return successors
}

/**
 * The claim that would stand for a property if all these references fell. The decisions are replayed without the fallen claims. If no claim
 * stands by them, the newest settled claim that has not fallen does.
 */
export function standingWithout(
  { history, referencesById }: Grounds,
  property: string,
  fallen: ReadonlySet<string>,
): Assertion | undefined {
  const hasFallen = (id: string) => (referencesById.get(id) ?? [NONE]).every((reference) => fallen.has(reference))
  if (property === SAME_REFERENT) return undefined
  const replayed = replayWithout(outcomesOf(history.decisions, property), hasFallen)
  const byId = (id: string | null) => claimsWithId(history, id)[0]
  if (replayed !== null) return byId(replayed)
  const settled = history.assertions.filter(
    (it) => it.asserted_property === property && isSettled(it) && !hasFallen(it.id) && it.value !== undefined,
  )
  return settled.toSorted((a, b) => (a.id < b.id ? -1 : 1)).at(-1)
}

/** The value of a claim as everyone may read it: a hidden place is rounded. */
export const publicText = (history: History, claim: Assertion): string =>
  textOfClaim({ ...claim, value: visibleValue(history, claim.asserted_property, claim.value, null) })

/** The value of a claim as a text, cut to what lists show. */
export const textOfClaim = ({ value, asserted_value }: Pick<Assertion, 'value' | 'asserted_value'>): string =>
  cut(textOf(value) || asserted_value, LONGEST_TEXT)

/** `alone` if a value rests on one reference, else `shared`. */
export const supportFor = ({ references }: Pick<Footing, 'references'>): Support =>
  references.length === 1 ? 'alone' : 'shared'

/** Whether a value falls with these references. */
export const fallsWith = ({ references }: Pick<Footing, 'references'>, fallen: ReadonlySet<string>): boolean =>
  references.every((reference) => fallen.has(reference))

/** What would stand in the place of a value that falls with these references. */
export const successorWithout = ({ successors }: Pick<Footing, 'successors'>, fallen: ReadonlySet<string>) =>
  successors.find((it) => !fallsWith(it, fallen))
