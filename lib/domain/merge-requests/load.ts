import type { Project, ProjectRequest } from '../projects/items.ts'
import { loadWholeById, type WholeProject } from '../projects/projects.ts'
import { sentStates } from '../projects/states.ts'

// A file of its own: a process loads it when it starts, and the code that changes requests with the first change.

export const requestStatuses = ['pending', 'changes_requested', 'approved', 'merged', 'rejected'] as const
export type RequestStatus = (typeof requestStatuses)[number]
/** The status of a request by the state of its project. */
export const statusOfState: Readonly<Record<(typeof sentStates)[number], RequestStatus>> = {
  in_review: 'pending',
  needs_revision: 'changes_requested',
  approved: 'approved',
  merged: 'merged',
  withdrawn: 'rejected',
}

/** The status of a project as a merge request. Undefined if it is none. */
export function statusOf(it: Project): RequestStatus | undefined {
  const state = sentStates.find((one) => one === it.state)
  return state && (it.submitted_at !== null || it.request) ? statusOfState[state] : undefined
}

/** The project of a merge request. Undefined if there is none. */
export async function loadRequest(id: string): Promise<WholeProject | undefined> {
  const whole = await loadWholeById(id)
  return whole && statusOf(whole.about) ? whole : undefined
}

/** The request of a project that was sent in without words. */
export const wordless = (it: Project): ProjectRequest => ({
  summary: it.title,
  justification: '',
  scope: 'whole',
  opened_by: it.owner_id,
  opened_at: it.submitted_at ?? it.updated_at,
  reviewed_by: null,
  reviewer_note: '',
  added_count: 0,
  conflict_count: 0,
  activity: null,
  new_records: [],
})
/** What a request says, also of a project that was sent in without words. */
export const requestIn = (it: Project): ProjectRequest => it.request ?? wordless(it)
