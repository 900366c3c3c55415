import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { newChildId } from '../../base/clock.ts'
import { checkAllowed, invalid } from '../../base/errors.ts'
import { omit } from '../../base/omit.ts'
import type { Write } from '../../engines/table/index.ts'
import { type Actor, maySettleContradiction } from '../../platform/permissions.ts'
import { kinds, noSource, schemaOf } from '../kinds/index.ts'
import type { Values } from '../names/values.ts'
import { checkSize } from '../names/values.ts'
import { resolvePictures } from '../pictures/take.ts'
import { newClaims as buildClaims, headerOf, withoutNames } from '../records/build.ts'
import { claimWrites } from '../records/claim-packs.ts'
import { detectConflicts } from '../records/conflict-flags.ts'
import { isCorrection } from '../records/corrections.ts'
import { claimStatesOf, type History } from '../records/history.ts'
import type { Assertion, Flag, RecordItem } from '../records/items.ts'
import { withoutNamesakes } from '../records/likeness/namesakes.ts'
import { namingWrites } from '../records/naming.ts'
import { findPeriodMeanings } from '../records/periods.ts'
import { picturesOf } from '../records/pictures.ts'
import { resolveRelations } from '../records/relations/relations.ts'
import {
  type ClaimState,
  computeCanonical,
  type PropertyOutcome,
  type Settlement,
  settleReview,
} from '../records/rules/canonical.ts'
import { contradictingRivals } from '../records/rules/conflicts.ts'
import { type Handling, handlingRules } from '../records/rules/verdicts.ts'
import { type DecisionInput, type Edits, isMoot, type TakenValues, underReview } from './verdict.ts'

/** The changes of a verdict: members of the record, outcomes and fates of claims, and writes for new stubs. */
export type VerdictResult = Settlement & {
  record: Partial<RecordItem>
  /** The claims of the reviewer's own edits, and rivals that come from a fork. */
  newClaims: readonly Assertion[]
  /** By claim id: the value that was read from a claim which held only a text. */
  values: Values
  stubs: readonly Write[]
}

/** Plans a verdict that does not accept. `reject` drops the pending edit of a published record. */
export const planRefusal = (old: History, input: DecisionInput): VerdictResult => ({
  outcomes: [],
  newClaims: [],
  values: {},
  stubs: [],
  record: input.verdict === 'reject' && old.public ? { proposed: null } : {},
  fates: refusedFates(old, input),
})

/** `reject` supersedes the claims under review. `request_changes` and `escalate` leave them pending. */
const refusedFates = (old: History, { verdict }: DecisionInput): Settlement['fates'] =>
  new Map(verdict === 'reject' ? underReview(old).map((it) => [it.id, { status: 'superseded' }]) : [])

/**
 * Plans an acceptance. The waiting values become the public ones, with the reviewer's edits. In a contradiction the handling
 * decides whose value stands. Fails with `invalid` if the edits do not fit the handling.
 */
export async function planAcceptance(
  old: History,
  reviewer: Actor,
  input: DecisionInput,
  settled: readonly Flag[],
  at: string,
): Promise<VerdictResult> {
  const edits = input.verdict === 'accept_with_edits' ? input.edits : undefined
  const reviewed: Values = old.proposed ?? old.data
  const { taken } = input
  const { values, changed, stubs } = taken
    ? applyTaken(reviewed, taken)
    : await applyEdits(old, reviewer, reviewed, edits)
  const origin = { about: old, source: edits?.assertion ?? noSource, actor: reviewer, at }
  const editClaims =
    taken?.claims ??
    buildClaims(
      { ...origin, revision_number: old.current_revision + 1 },
      changed.map((name) => [name, values[name]]),
    )
  const contested = contestedClaims(old, settled)
  checkEdits(input.conflict_handling, changed, contested)
  if (!taken) await checkStanding(old, reviewer, editClaims, values)

  const claims = claimStatesOf([...old.assertions, ...editClaims])
  const { outcomes, fates } = settleReview({
    claims,
    standing: computeCanonical(claims, old.decisions),
    values,
    // Values that are taken over from a fork are not the reviewer's own.
    edits: new Map(taken ? [] : editClaims.map((it) => [it.asserted_property, it.id])),
    contested,
    handling: input.conflict_handling,
    isCorrection: (of, by) => isCorrectionById(old, of, by),
  })
  const newClaims = [...editClaims, ...(taken?.rivals ?? [])]
  return { ...withOutcomes(old, { outcomes, fates }, { values, reviewed, claims, at }), newClaims, stubs }
}

/** Applies the outcomes of a ruling to the values that stand. */
export function applySettlement(old: History, { outcomes, fates }: Settlement, at: string): VerdictResult {
  const claims = claimStatesOf(old.assertions)
  const applied = withOutcomes(old, { outcomes, fates }, { values: old.data, reviewed: old.data, claims, at })
  return { ...applied, newClaims: [], stubs: [] }
}

type Judged = { values: Values; reviewed: Values; claims: readonly ClaimState[]; at: string }

/** The values after these outcomes, and the members of the record that hold them. */
function withOutcomes(old: History, { outcomes, fates }: Settlement, { values, reviewed, claims, at }: Judged) {
  const adopted = readAdoptedValues(old, outcomes)
  const data = { ...values }
  for (const { property, stands } of outcomes) {
    const claim = claims.find(({ id }) => id === stands)
    if (stands === null) delete data[property]
    else if (claim?.value !== undefined) data[property] = adopted[stands] ?? claim.value
  }
  checkSize(data)
  // The accepted revision always holds exactly the values that stand.
  const accepted = isDeepStrictEqual(data, reviewed) ? standingRevision(old) : nextRevision(old)
  const record = {
    ...withoutNames(headerOf(kinds[old.kind], data)),
    data,
    proposed: null,
    accepted_at: at,
    ...accepted,
  }
  return { outcomes, fates, values: adopted, record }
}

/**
 * The revision whose values were under review. If no revision waits, the accepted one stays, since the latest revision may have been
 * refused.
 */
const standingRevision = (old: History) =>
  old.proposed !== null || !old.public
    ? { accepted_revision: old.current_revision, accepted_revision_id: old.current_revision_id }
    : { accepted_revision: old.accepted_revision, accepted_revision_id: old.accepted_revision_id }

function isCorrectionById(old: History, of: string, by: string): boolean {
  const [standing, claim] = [of, by].map((id) => old.assertions.find((it) => it.id === id))
  return standing !== undefined && claim !== undefined && isCorrection(old, standing, claim)
}

/** Applies the reviewer's edits. Returns the values, the names of changed fields, and the writes of new stubs, links and pictures. */
async function applyEdits(old: History, reviewer: Actor, reviewed: Values, edits: Edits | null | undefined) {
  if (!edits) return { values: reviewed, changed: [], stubs: [] }
  const { planStubs } = await import('../records/relations/stubs.ts')
  const resolved = await resolveRelations(kinds[old.kind], edits.data, reviewer)
  const pictured = await resolvePictures(resolved.data, reviewer, [...picturesOf(old), ...(edits.pictures ?? [])])
  const data = pictured.values
  const stubs = [
    ...(await planStubs(resolved.missing, edits.assertion, reviewer)),
    ...(await namingWrites(resolved.noted, old.entity_id)),
    ...pictured.writes,
  ]
  const changed = Object.keys(data).filter((name) => !isDeepStrictEqual(reviewed[name], data[name]))
  const values: Values = { ...omit(reviewed, ...edits.cleared), ...data }
  return { values, changed, stubs }
}

/** Applies what is taken over from a fork. Links and pictures in it were resolved when the fork was changed. */
function applyTaken(reviewed: Values, { data, cleared }: TakenValues) {
  const values: Values = { ...omit(reviewed, ...cleared), ...data }
  return { values, changed: Object.keys(data), stubs: [] }
}

/** By property: the ids of the claims in contradictions that are not moot. */
function contestedClaims(old: History, settled: readonly Flag[]): Map<string, string[]> {
  const contested = new Map<string, string[]>()
  for (const flag of settled) {
    if (flag.property === null || isMoot(old, flag)) continue
    contested.set(flag.property, [...(contested.get(flag.property) ?? []), ...flag.assertion_ids])
  }
  return contested
}

/**
 * Fails with `refused` if the reviewer's edits contradict a value that stands, and the reviewer may not settle contradictions. Edits of
 * values that only wait contradict nothing that stands.
 */
async function checkStanding(old: History, reviewer: Actor, edits: readonly Assertion[], values: Values) {
  const ruling = maySettleContradiction(reviewer)
  if (ruling === true || !old.public || edits.length === 0) return
  const meanings = await findPeriodMeanings(kinds[old.kind], values, reviewer, old)
  const conflicts = detectConflicts(old, edits, { meanings, actor: reviewer })
  const rivals = (await withoutNamesakes(old, edits, conflicts, reviewer)).flatMap(contradictingRivals)
  if (rivals.some(({ status }) => status !== 'pending')) checkAllowed(ruling)
}

/** Fails if the edits change a contested property while the handling lets the existing value stand. */
function checkEdits(handling: Handling, changed: readonly string[], contested: ReadonlyMap<string, unknown>): void {
  const contestedEdits = changed.filter((name) => contested.has(name))
  if (handling === 'not_applicable' || handlingRules[handling].stands === 'claim' || contestedEdits.length === 0) return
  throw invalid({ conflict_handling: [`The edits give another value of ${contestedEdits.join(', ')}.`] })
}

/**
 * A claim that belongs to no revision holds its value as text. If such a claim is to stand, its text is read as a value of
 * the field. Returns the values by claim id. Fails with `invalid` if the field does not accept the text.
 */
function readAdoptedValues(old: History, outcomes: readonly PropertyOutcome[]): Record<string, unknown> {
  const kind = kinds[old.kind]
  const textOfClaims = new Map(
    old.assertions.filter((it) => it.revision_number === null).map((it) => [it.id, it.asserted_value]),
  )
  const adopted: Record<string, unknown> = {}
  for (const { property, stands } of outcomes) {
    const text = textOfClaims.get(stands ?? '')
    if (stands === null || text === undefined) continue
    const parsed = v.safeParse(schemaOf(kind, 'change'), { [property]: text })
    if (!parsed.success || kind.fields[property]?.type === 'relation')
      throw invalid({ conflict_handling: [`The claim on ${property} cannot become its value. Accept with edits.`] })
    adopted[stands] = parsed.output.data[property]
  }
  return adopted
}

function nextRevision(old: RecordItem): Partial<RecordItem> {
  const [number, id] = [old.current_revision + 1, newChildId(old.entity_id)]
  return { current_revision: number, current_revision_id: id, accepted_revision: number, accepted_revision_id: id }
}

/**
 * The writes of the reviewer's claims and of all claims that the decision changes. `next` is the record after the
 * decision.
 */
export function claimChanges(
  old: History,
  next: RecordItem,
  { fates, newClaims, values }: VerdictResult,
  input: DecisionInput,
): Write[] {
  const at = next.updated_at
  const fateOf = (claim: Assertion): Partial<Assertion> => {
    const { status: reconciliation_status, ...links } = fates.get(claim.id) ?? { status: claim.reconciliation_status }
    const isAccepted = reconciliation_status === 'accepted' && claim.reconciliation_status !== 'accepted'
    const isOverridden = input.confidence_override && isAccepted && claim.revision_number !== null
    return {
      ...links,
      reconciliation_status,
      ...(isOverridden && { confidence: input.confidence_override ?? claim.confidence }),
      ...(claim.id in values && { value: values[claim.id] }),
    }
  }
  const claimAfter = (claim: Assertion) => {
    const changed = { ...claim, ...fateOf(claim) }
    return isDeepStrictEqual(changed, claim) ? claim : { ...changed, updated_at: at }
  }
  return claimWrites(old.assertions, [...old.assertions, ...newClaims].map(claimAfter), next)
}
