import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { newChildId } from '../../base/clock.ts'
import { invalid } from '../../base/errors.ts'
import type { Write } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { kinds, schemaOf } from '../kinds/index.ts'
import type { Values } from '../names/values.ts'
import { checkSize } from '../names/values.ts'
import { resolvePictures } from '../pictures/take.ts'
import { headerOf, newClaims, withoutNames } from '../records/build.ts'
import { claimWrites } from '../records/claim-packs.ts'
import { claimStatesOf, type History } from '../records/history.ts'
import type { Assertion, Flag, RecordItem } from '../records/items.ts'
import { picturesOf } from '../records/pictures.ts'
import { resolveRelations } from '../records/relations.ts'
import { computeCanonical, type Outcome, type Settlement, settleReview } from '../records/rules/canonical.ts'
import { type Handling, handlingRules } from '../records/rules/verdicts.ts'
import { planStubs } from '../records/stubs.ts'
import { type DecisionInput, type Edits, isMoot, underReview } from './verdict.ts'

/**
 * What a verdict changes: members of the record, outcomes and fates of claims, and the reviewer's own claims (`made`).
 * `values` holds, by claim id, the values that claims in words get.
 */
export type VerdictResult = Settlement & {
  record: Partial<RecordItem>
  made: readonly Assertion[]
  values: Values
  stubs: readonly Write[]
}

/** Plans a verdict that does not accept. `reject` drops the edit that waits behind a published record. */
export const planRefusal = (old: History, input: DecisionInput): VerdictResult => ({
  ...{ outcomes: [], made: [], values: {}, stubs: [] },
  record: input.verdict === 'reject' && old.public ? { proposed: null } : {},
  fates: refusals(old, input),
})

/** `reject` supersedes the claims under review. `request_changes` and `escalate` leave them pending. */
const refusals = (old: History, { verdict }: DecisionInput): Settlement['fates'] =>
  new Map(verdict === 'reject' ? underReview(old).map((it) => [it.id, { status: 'superseded' }]) : [])

/**
 * Plans an acceptance. The waiting values become the public ones, with the reviewer's edits. The rival's value stays
 * where the handling says so.
 */
export async function planAcceptance(
  old: History,
  reviewer: Actor,
  input: DecisionInput,
  settled: readonly Flag[],
  at: string,
): Promise<VerdictResult> {
  const kind = kinds[old.kind]
  const edits = input.verdict === 'accept_with_edits' ? input.edits : undefined
  const reviewed: Values = old.proposed ?? old.data
  const { values, changed, stubs } = await applyEdits(old, reviewer, reviewed, edits)
  const made = newClaims(
    {
      ...{ about: old, source: edits?.assertion ?? unsourced, actor: reviewer, at },
      revision_number: old.current_revision + 1,
    },
    changed.map((name) => [name, values[name]]),
  )
  const contested = contestedClaims(old, settled)
  checkEdits(input.conflict_handling, changed, contested)

  const all = claimStatesOf([...old.assertions, ...made])
  const { outcomes, fates } = settleReview({
    claims: all,
    standing: computeCanonical(all, old.decisions),
    values,
    edits: new Map(made.map((it) => [it.asserted_property, it.id])),
    contested,
    handling: input.conflict_handling,
  })
  const adopted = adoptions(old, outcomes)
  const data = { ...values }
  for (const { property, stands } of outcomes) {
    const it = all.find(({ id }) => id === stands)
    if (stands === null) delete data[property]
    else if (it?.value !== undefined) data[property] = adopted[stands] ?? it.value
  }
  checkSize(data)
  // The accepted revision always holds exactly the values that stand.
  const further = isDeepStrictEqual(data, reviewed)
    ? { accepted_revision: old.current_revision, accepted_revision_id: old.current_revision_id }
    : furtherRevision(old)
  return {
    outcomes,
    fates,
    made,
    values: adopted,
    stubs,
    record: { ...withoutNames(headerOf(kind, data)), data, proposed: null, accepted_at: at, ...further },
  }
}

const unsourced = { source_type: '', source_citation: '', source_url: '', confidence: 'likely', data_quality_note: '' }

/** Returns the values with the reviewer's edits, the changed fields, and the writes for new stubs and pictures. */
async function applyEdits(old: History, reviewer: Actor, reviewed: Values, edits: Edits | null | undefined) {
  if (!edits) return { values: reviewed, changed: [], stubs: [] }
  const resolved = await resolveRelations(kinds[old.kind], edits.data, reviewer)
  const pictured = await resolvePictures(resolved.data, reviewer, [...picturesOf(old), ...(edits.pictures ?? [])])
  const data = pictured.values
  const stubs = [...(await planStubs(resolved.missing, edits.assertion, reviewer)), ...pictured.writes]
  const kept = Object.entries(reviewed).filter(([name]) => !edits.cleared.includes(name))
  const changed = Object.keys(data).filter((name) => !isDeepStrictEqual(reviewed[name], data[name]))
  return { values: { ...Object.fromEntries(kept), ...data }, changed, stubs }
}

/** The claims in contradictions that are not moot, by property. */
function contestedClaims(old: History, settled: readonly Flag[]): Map<string, string[]> {
  const contested = new Map<string, string[]>()
  for (const it of settled) {
    if (it.property === null || isMoot(old, it)) continue
    contested.set(it.property, [...(contested.get(it.property) ?? []), ...it.assertion_ids])
  }
  return contested
}

/** Fails if the edits change a contested property while the handling lets the existing value stand. */
function checkEdits(handling: Handling, changed: readonly string[], contested: ReadonlyMap<string, unknown>): void {
  const both = changed.filter((name) => contested.has(name))
  if (handling === 'not_applicable' || handlingRules[handling].stands === 'claim' || both.length === 0) return
  throw invalid({ conflict_handling: [`The edits give another value of ${both.join(', ')}.`] })
}

/**
 * A claim that no revision brought holds its value as text. If such a claim is to stand, its text is read as a value of
 * the field. Fails if the field does not take it. Returns the values by claim id.
 */
function adoptions(old: History, outcomes: readonly Outcome[]): Record<string, unknown> {
  const kind = kinds[old.kind]
  const apart = new Map(
    old.assertions.filter((it) => it.revision_number === null).map((it) => [it.id, it.asserted_value]),
  )
  const adopted: Record<string, unknown> = {}
  for (const { property, stands } of outcomes) {
    const words = apart.get(stands ?? '')
    if (stands === null || words === undefined) continue
    const read = v.safeParse(schemaOf(kind, 'change'), { [property]: words })
    if (!read.success || kind.fields[property]?.type === 'relation')
      throw invalid({ conflict_handling: [`The claim on ${property} cannot become its value. Accept with edits.`] })
    adopted[stands] = read.output.data[property]
  }
  return adopted
}

function furtherRevision(old: RecordItem): Partial<RecordItem> {
  const [number, id] = [old.current_revision + 1, newChildId(old.entity_id)]
  return { current_revision: number, current_revision_id: id, accepted_revision: number, accepted_revision_id: id }
}

/**
 * The writes of the reviewer's claims and of all claims that the decision changes. `next` is the record after the
 * decision.
 */
export function changedClaims(
  old: History,
  next: RecordItem,
  { fates, made, values }: VerdictResult,
  input: DecisionInput,
): Write[] {
  const at = next.updated_at
  const fateOf = (it: Assertion): Partial<Assertion> => {
    const { status: reconciliation_status, ...links } = fates.get(it.id) ?? { status: it.reconciliation_status }
    const accepted = reconciliation_status === 'accepted' && it.reconciliation_status !== 'accepted'
    const confidence = input.confidence_override && accepted && it.revision_number !== null
    return {
      ...links,
      reconciliation_status,
      ...(confidence && { confidence: input.confidence_override ?? it.confidence }),
      ...(it.id in values && { value: values[it.id] }),
    }
  }
  const faring = (it: Assertion) => {
    const changed = { ...it, ...fateOf(it) }
    return isDeepStrictEqual(changed, it) ? it : { ...changed, updated_at: at }
  }
  return claimWrites(old.assertions, [...old.assertions, ...made].map(faring), next)
}
