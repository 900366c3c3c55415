import { newPackIds, now } from '../../base/clock.ts'
import { checkAllowed, conflict, impossible, invalid } from '../../base/errors.ts'
import { put, type UnitOfWork, type Write, withNextVersion } from '../../engines/table/index.ts'
import { type Actor, mayDecide } from '../../platform/permissions.ts'
import { textOf } from '../names/text.ts'
import { type NewFlag, newClaim } from '../records/build.ts'
import { canonicalValues, type History, loadHistory } from '../records/history.ts'
import type { Assertion } from '../records/items.ts'
import { endLease } from '../records/leases.ts'
import { isPending } from '../records/queue-entry.ts'
import { decidingOn, plainInput, planDecision, planEdits } from '../review/decide.ts'
import { planSupersession } from '../review/supersede.ts'
import type { TakenValues } from '../review/verdict.ts'
import { compareThreeWays } from './compare.ts'
import { type Fork, type ForkState, type ForkSubject, fork, stateOf } from './items.ts'

/*
 * A fork is decided on once. Each verdict is one transaction with the item of the fork, so of two reviewers one gets a conflict.
 */

/** What a merge does with values that both sides have changed. `rival`: they become claims that wait. `refuse`: the merge fails. */
export const conflictWays = ['rival', 'refuse'] as const
export type ConflictWay = (typeof conflictWays)[number]

/**
 * Copies what only the fork has changed into its original, at once. What both have changed waits as a rival claim; with `refuse` the merge
 * fails with `conflict`. The original takes the place of the fork's record. The authors in the fork stay the authors of its values.
 */
export async function mergeFork(unit: UnitOfWork, subject: ForkSubject, actor: Actor, way: ConflictWay): Promise<void> {
  const { own, original } = await loadSides(subject)
  checkStands(original)
  checkAllowed(mayDecide(actor, decidingOn(own, accepting)))
  const at = now()
  const taken = planTaking(own, original, subject.about, { at, way, actor })
  const isEmpty = taken.claims.length + taken.rivals.length + taken.cleared.length === 0
  const merged = isEmpty ? [] : (await planEdits(original, actor, { ...plainInput, ...mergeVerdict, taken })).writes
  const told = { activity_type: 'commented', comment: 'Merged into the record that it is a fork of.' } as const
  unit.add([
    ...endFork(subject, actor, 'merged', at),
    ...merged,
    ...planSupersession(own, { successor: original.entity_id, trigger: 'give_way', actor, told, at }),
    endLease(original.entity_id, actor),
  ])
}

/** Accepts a fork as a record of its own, which takes the place of its original. */
export async function promoteFork(unit: UnitOfWork, subject: ForkSubject, actor: Actor): Promise<void> {
  const { own, original } = await loadSides(subject)
  checkStands(original)
  const at = now()
  const waits = isPending(own.status)
  if (!waits && !own.public) throw conflict('Nothing waits for review here.')
  const accepted = waits ? (await planDecision(own, actor, { ...plainInput, verdict: 'accept' })).writes : []
  const told = { activity_type: 'commented', comment: 'A fork has taken the place of this record.' } as const
  unit.add([
    ...endFork(subject, actor, 'promoted', at),
    ...accepted,
    ...planSupersession(original, { successor: own.entity_id, trigger: 'supersede', actor, told, at }),
    endLease(original.entity_id, actor),
  ])
}

/** Turns a fork down, and its record with it. Fails with `invalid` without a reason. */
export async function rejectFork(unit: UnitOfWork, subject: ForkSubject, actor: Actor, reason: string): Promise<void> {
  if (reason.trim() === '') throw invalid({ reason: ['Say why, so that the contributor can act on it.'] })
  const { own } = await loadSides(subject)
  if (own.public) throw impossible('This fork was accepted as a record of its own.')
  const { writes } = await planDecision(own, actor, { ...plainInput, verdict: 'reject', feedback: reason })
  unit.add([...endFork(subject, actor, 'rejected', now()), ...writes])
}

const accepting = { verdict: 'accept', confidence_override: null } as const
const mergeVerdict = { verdict: 'accept_with_edits', feedback: 'Merged a fork.' } as const

/** The writes that end a fork, and the lease of its judge. */
const endFork = ({ about }: ForkSubject, actor: Actor, state: ForkState, at: string): Write[] => [
  put(fork, withNextVersion<Fork>(about, { state, judged_by: actor.id, judged_at: at }), about),
  endLease(about.id, actor),
]

/** Loads the histories of both sides. Fails unless the fork is active, and with `conflict` if its record has changed since it was read. */
async function loadSides({ about, record }: ForkSubject): Promise<{ own: History; original: History }> {
  const state = stateOf(about, record)
  if (state !== 'active') throw impossible(`This fork is ${state} already.`)
  const [own, original] = await Promise.all([loadHistory(about.id), loadHistory(about.entity_id)])
  if (!own || !original || own.version !== record.version) throw conflict()
  if (original.superseded_by !== null) throw conflict('This record has been replaced already.')
  return { own, original }
}

/** Fails with `conflict` unless a record is published and no edit of it waits. */
function checkStands(original: History): void {
  if (!original.public || isPending(original.status))
    throw conflict('The record is not published, or an edit of it waits. That is decided first.')
}

/** Compares three ways, and makes a claim of each value that the original takes over, or that rivals what stands there. */
function planTaking(
  own: History,
  original: History,
  { base_revision, withheld }: Fork,
  { at, way, actor }: { at: string; way: ConflictWay; actor: Actor },
): TakenValues {
  const base = original.revisions.find((it) => it.revision_number === base_revision)
  if (!base) throw conflict()
  const sides = { base: base.data, original: original.data, fork: own.data }
  const { taken, cleared, contested } = compareThreeWays(sides, withheld)
  if (contested.length > 0 && way === 'refuse')
    throw conflict(`Both the record and its fork have changed: ${contested.toSorted().join(', ')}.`)
  const standing = canonicalValues(original)
  // No rival is made of a value that the fork has removed, or where nothing stands in the record: the record stays as it is.
  const rivalled = contested.filter((name) => name in own.data && standing.get(name)?.stands)
  const nextId = newPackIds(original.entity_id)
  const claim = (revision_number: number | null) => (name: string) =>
    copyClaim(
      own,
      name,
      newClaim(
        { about: original, source: evidenceOf(own, name), actor, revision_number, at },
        name,
        own.data[name],
        nextId(),
      ),
    )
  const rivals = rivalled.map(claim(null))
  return {
    fork: own.entity_id,
    data: taken,
    cleared,
    claims: Object.keys(taken).map(claim(original.current_revision + 1)),
    rivals,
    flags: rivals.map(
      (it): NewFlag => ({
        flag_type: 'contradiction',
        property: it.asserted_property,
        assertion_ids: [it.id, standing.get(it.asserted_property)?.stands ?? ''],
        reason: `A fork gives another value of ${it.asserted_property}, and both have changed since it was made.`,
      }),
    ),
  }
}

/** The claim of the fork that says its value of a property. */
const claimOf = (own: History, name: string): Assertion | undefined =>
  own.assertions.find((it) => it.asserted_property === name && it.asserted_value === textOf(own.data[name]))

/** The evidence of a value of the fork. */
function evidenceOf(own: History, name: string) {
  const {
    source_type = '',
    source_citation = '',
    source_url = '',
    confidence = 'likely',
    data_quality_note = '',
  } = claimOf(own, name) ?? {}
  return { source_type, source_citation, source_url, confidence, data_quality_note }
}

/** Gives a copied claim the author of the fork's value, not the reviewer who takes it over. */
function copyClaim(own: History, name: string, made: Assertion): Assertion {
  const { contributor_id, contributor } = own
  const by = claimOf(own, name) ?? { contributor_id, contributed_by: contributor, software: null, source: null }
  const { contributed_by, software, source } = by
  return { ...made, contributor_id: by.contributor_id, contributed_by, software, source }
}
