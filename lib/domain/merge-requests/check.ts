import { mapAtOnce } from '../../base/concurrency.ts'
import { queryAll } from '../../engines/table/index.ts'
import { type Actor, mayInspect, mayReview } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { textOf } from '../names/text.ts'
import type { ForeseenRecord } from '../projects/merge-preview.ts'
import type { WholeProject } from '../projects/projects.ts'
import { blockersOf } from '../projects/states.ts'
import type { History } from '../records/history.ts'
import type { Assertion, RecordItem } from '../records/items.ts'
import { isPlaceHidden } from '../records/place.ts'
import { showRecords } from '../records/shown.ts'
import { mayShowClaim } from '../records/views/record.ts'
import { conflictsIn } from '../review/views/workspace.ts'

/** A reason why a project cannot be merged: about one of its records, or about the project. */
export type Violation = { record: RecordItem | undefined; message: string }
/** A value of the project that contradicts one that stands. */
export type Contradiction = { record: RecordItem; property: string; project_value: string; main_value: string }
export type Report = {
  violations: Violation[]
  contradictions: Contradiction[]
  /** Values that would be added, and the records that would become public. */
  added: number
  new_records: RecordItem[]
  /** Records of the project that an open identity candidate names; none for those who do not review. */
  collisions: { record: RecordItem; candidate_id: string }[]
  /** Records with an id in another collection, and those without. */
  reconciled: number
  pending: number
}

/** Records of a project that are looked at one by one. */
const MOST_RECORDS = 100
const LOOKED_AT_ONCE = 8

/** A caller with all rights, so that the findings do not depend on who asks. */
const merger: Actor = { id: '', username: '', email: '', is_staff: true, is_superuser: false, rank: null }

/**
 * Finds what a merge of the project would do, by the code of the merge. Records, claims and places that the caller may not see are left out. Of a large
 * project the first hundred records are looked at one by one.
 */
export async function checkProject(whole: WholeProject, actor: Actor): Promise<Report> {
  // A check runs the code of a merge, which a process imports with its first check.
  const { previewMerge } = await import('../projects/merge-preview.ts')
  const { rows } = await previewMerge(whole, merger, whole.entities.slice(0, MOST_RECORDS))
  const seen = rows.flatMap((row) => (row.head && mayInspect(actor, row.head) ? [{ ...row, head: row.head }] : []))
  const planned = seen.flatMap(({ plan }) => (plan ? [plan.old] : []))
  const shown = (await showRecords(actor, planned)).map((it) => ({ ...it, assertions: claimsFor(it, actor) }))
  const blockers = blockersOf({ ...whole.about, ocr_statuses: whole.assets.map((it) => it.ocr_status) })
  return {
    violations: [
      ...blockers.map((message) => ({ record: undefined, message })),
      ...seen.flatMap(({ head, plan }) => (plan && 'blocker' in plan ? [{ record: head, message: plan.blocker }] : [])),
    ],
    contradictions: shown.flatMap((it) =>
      conflictsIn(it)
        .filter(({ verdict }) => verdict === 'contradicts')
        .map(({ property, standing, rival }) => ({
          record: it,
          property,
          project_value: textOf(rival.asserted_value),
          main_value: textOf(standing.asserted_value),
        })),
    ),
    added: shown.flatMap((it) => it.assertions.filter((claim) => claim.reconciliation_status === 'pending')).length,
    new_records: seen.filter(becomesPublic).map(({ head }) => head),
    collisions: mayReview(actor) ? (await mapAtOnce(seen, LOOKED_AT_ONCE, collisionsOf)).flat() : [],
    reconciled: seen.filter(({ head }) => textOf(head.data.same_as) !== '').length,
    pending: seen.filter(({ head }) => textOf(head.data.same_as) === '').length,
  }
}

/** The claims of a record that the caller may read. A claim of a hidden place is left out. */
const claimsFor = (it: History, actor: Actor): Assertion[] =>
  it.assertions.filter((claim) => mayShowClaim(it, claim, actor) && !isPlaceHidden(it, claim.asserted_property, actor))

const becomesPublic = ({ head, plan }: ForeseenRecord): boolean =>
  head?.public === false && plan !== undefined && 'accepted' in plan

async function collisionsOf({ head }: ForeseenRecord & { head: RecordItem }): Promise<Report['collisions']> {
  const pairs = await queryAll(key.pair(head.entity_id, '').pk, 'PAIR#')
  return pairs.map(({ candidate_id }) => ({ record: head, candidate_id: String(candidate_id) }))
}
