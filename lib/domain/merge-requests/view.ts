import type { PeopleById } from '../../platform/users/people.ts'
import { kinds } from '../kinds/index.ts'
import type { Project } from '../projects/items.ts'
import { recordIri } from '../records/iri.ts'
import type { RecordItem } from '../records/items.ts'
import type { Report } from './check.ts'
import { requestIn, statusOf } from './load.ts'

/** What a request shows beside its project: its people, and the records that its merge made public, as the reader sees them. */
export type RequestReferences = { people: PeopleById; new_records: readonly RecordItem[]; origin: string }

/** Shows a request. Without a report, as in lists, it shows only the counts from when the request was opened. */
export function requestView(
  it: Project,
  report: Report | undefined,
  { people, new_records, origin }: RequestReferences,
) {
  const request = requestIn(it)
  const isMerged = it.state === 'merged'
  return {
    id: it.id,
    project: it.id,
    project_title: it.title,
    project_slug: it.slug,
    status: statusOf(it) ?? 'pending',
    scope: request.scope,
    summary: request.summary,
    justification: request.justification,
    opened_by: request.opened_by,
    opened_by_username: people(request.opened_by)?.username ?? '',
    reviewed_by: request.reviewed_by,
    reviewed_by_username: request.reviewed_by && (people(request.reviewed_by)?.username ?? ''),
    reviewer_note: request.reviewer_note,
    shacl_report: reportView(report, origin),
    conflict_diff: report ? diffView(report, origin) : { ...emptyDiff, ...countsIn(request) },
    pid_collisions: report ? collisionsView(report, origin) : [],
    merge_activity_uri: isMerged && request.activity ? `${origin}/merge-activity/${request.activity}` : null,
    new_pids: isMerged ? new_records.map((record) => recordIri(origin, record)) : [],
    opened_at: request.opened_at,
    updated_at: it.updated_at,
    merged_at: it.merged_at,
  }
}

const countsIn = ({ added_count, conflict_count }: { added_count: number; conflict_count: number }) => ({
  added_count,
  conflict_count,
})
const emptyDiff = {
  added_count: 0,
  removed_count: 0,
  conflict_count: 0,
  added_subjects: [] as string[],
  conflicting_triples: [] as { subject: string; predicate: string; project_value: string; main_value: string }[],
}

/** Subjects, contradictions and collisions that an answer lists. */
const MOST_SUBJECTS = 200
const MOST_LISTED = 50

export const diffView = ({ added, new_records, contradictions }: Report, origin: string) => ({
  ...emptyDiff,
  added_count: added,
  conflict_count: contradictions.length,
  added_subjects: new_records.slice(0, MOST_SUBJECTS).map((record) => recordIri(origin, record)),
  conflicting_triples: contradictions.slice(0, MOST_LISTED).map(({ record, property, project_value, main_value }) => ({
    subject: recordIri(origin, record),
    predicate: property,
    project_value,
    main_value,
  })),
})

function reportView(report: Report | undefined, origin: string) {
  const violations = (report?.violations ?? []).map(({ record, message }) => ({
    shape: `${origin}/cidoc/shapes/${record ? kinds[record.kind].className : 'Project'}`,
    focus_node: record ? recordIri(origin, record) : '',
    message,
    severity: 'Violation',
  }))
  return { conforms: violations.length === 0, violations }
}

const collisionsView = ({ collisions }: Report, origin: string) =>
  collisions.slice(0, MOST_LISTED).map(({ record, candidate_id }) => ({
    subject: recordIri(origin, record),
    candidate: candidate_id,
  }))

/** Shows what stands in the way of a merge, before it is asked for. */
export function checkView(report: Report, origin: string) {
  const { conforms, violations } = reportView(report, origin)
  const { reconciled, pending } = report
  return {
    conforms,
    violations,
    pid_collisions: collisionsView(report, origin),
    reconciliation: { reconciled, close_match: 0, no_match: 0, pending, total: reconciled + pending },
    diff: { added_count: report.added, removed_count: 0, conflict_count: report.contradictions.length },
  }
}
