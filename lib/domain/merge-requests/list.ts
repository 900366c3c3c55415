import type { PageRequest, PageResult } from '../../engines/table/index.ts'
import { type Actor, mayVisit } from '../../platform/permissions.ts'
import type { Project } from '../projects/items.ts'
import { listProjects, listSentProjects } from '../projects/lists.ts'
import { sentStates } from '../projects/states.ts'
import { loadRequest, statusOf, statusOfState } from './load.ts'

export type RequestFilter = { status?: string | undefined; project?: string | undefined }

/** Lists the merge requests that the caller may see, the latest first. */
export async function listRequests(
  { status, project }: RequestFilter,
  actor: Actor,
  page: PageRequest,
): Promise<PageResult<Project>> {
  if (project !== undefined) return requestOf(project, status, actor)
  if (status === undefined) return listSentProjects(actor, page)
  const state = sentStates.find((one) => statusOfState[one] === status)
  if (!state) return { count: 0, results: [] }
  const filter = { state, order: 'submitted_at', forward: false } as const
  return listProjects(filter, actor, page)
}

async function requestOf(id: string, status: string | undefined, actor: Actor): Promise<PageResult<Project>> {
  const whole = await loadRequest(id)
  const fits = whole && mayVisit(actor, whole) && (status === undefined || statusOf(whole.about) === status)
  return fits ? { count: 1, results: [whole.about] } : { count: 0, results: [] }
}
