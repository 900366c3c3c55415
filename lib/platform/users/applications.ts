import * as v from 'valibot'
import { newId, now } from '../../base/clock.ts'
import { conflict, invalidObject, malformedInput } from '../../base/errors.ts'
import { cut } from '../../engines/matching/index.ts'
import {
  defineItem,
  get,
  type PageRequest,
  parse,
  put,
  readList,
  remove,
  type UnitOfWork,
  type Write,
  withNextVersion,
} from '../../engines/table/index.ts'
import type { Actor } from '../permissions.ts'
import { key } from '../table/keys.ts'
import { peopleIn } from './people.ts'
import { amendUserByPlan, keyOf, type ReviewerApplication, type User, type UserChanges } from './users.ts'

export const applicationStatuses = ['pending', 'approved', 'rejected'] as const
export type ApplicationStatus = (typeof applicationStatuses)[number]

/** An application to become a reviewer. It never changes once it is answered. A second application is another item. */
const Application = v.object({
  id: v.string(),
  user_id: v.string(),
  status: v.picklist(applicationStatuses),
  message: v.string(),
  admin_notes: v.string(),
  reviewed_by: v.nullable(v.string()),
  reviewed_at: v.nullable(v.string()),
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type Application = v.InferOutput<typeof Application>

const applicationList = (status: ApplicationStatus) => `APPLICATION#${status}`

export const application = defineItem({
  type: 'application',
  schema: Application,
  key: ({ id }: { id: string }) => key.application(id),
  // Lists are read from their end, so waiting applications come first.
  indexes: (it) => ({
    gsi1: { pk: applicationList(it.status), sk: `${it.status === 'pending' ? 1 : 0}#${it.created_at}#${it.id}` },
  }),
  counted: (it) => [applicationList(it.status)],
})

export const loadApplication = (id: string): Promise<Application | undefined> => get(application, { id })

/** Loads the latest application of a user. */
export const loadLatestApplication = async (it: User): Promise<Application | undefined> =>
  it.reviewer_application ? loadApplication(it.reviewer_application.id) : undefined

/** Lists one page of applications: waiting ones first, then by time, newest first. `people` has the applicants and reviewers. */
export async function listApplications(status: ApplicationStatus | null, place: PageRequest) {
  const pks = (status ? [status] : applicationStatuses).map(applicationList)
  const listing = await readList(
    { partitions: pks.map((pk) => ({ index: 'gsi1', pk })), counted: pks },
    place,
    (items) =>
      items
        .map((it) => parse(application, it))
        .flatMap(peopleOnApplication)
        .map(keyOf),
  )
  const { items, found, ...listed } = listing
  return { ...listed, results: items.map((it) => parse(application, it)), people: peopleIn(found) }
}

/** The ids of applicant and reviewer. */
export const peopleOnApplication = ({ user_id, reviewed_by }: Application): string[] => [
  user_id,
  ...(reviewed_by ? [reviewed_by] : []),
]

/** Applies for a reviewer's role. Fails with `invalid` for staff, for reviewers, and if another application waits. */
export async function applyForRole(
  unit: UnitOfWork,
  user_id: string,
  message: string,
): Promise<Application | undefined> {
  const at = now()
  const made: Application = {
    id: newId(),
    user_id,
    status: 'pending',
    message,
    admin_notes: '',
    reviewed_by: null,
    reviewed_at: null,
    created_at: at,
    updated_at: at,
    version: 1,
  }
  const user = await amendUserByPlan(unit, user_id, async (it) => {
    const obstacle = obstacleFor(it)
    if (obstacle) throw invalidObject(obstacle)
    return { changes: { reviewer_application: noticeOf(made) }, also: [put(application, made, undefined)] }
  })
  return user && made
}

/** Withdraws and removes the waiting application. Fails with `malformed` if none waits. */
export const withdrawApplication = (unit: UnitOfWork, user_id: string): Promise<User | undefined> =>
  amendUserByPlan(unit, user_id, async (it) => {
    const old = await loadWaitingApplication(it)
    if (!old) throw malformedInput('No application of yours is waiting for an answer.')
    return { changes: { reviewer_application: null }, also: [remove(application, old)] }
  })

/** Rejects an application. Fails with `conflict` if it no longer waits. */
export const rejectApplication = (
  unit: UnitOfWork,
  it: Application,
  by: Actor,
  notes: string,
): Promise<Application | undefined> => answerApplication(unit, it, { status: 'rejected', by, notes })

/**
 * Answers an application, and changes the user by `along` in the same transaction. Fails with `conflict` if it no longer waits.
 * Undefined if the user is gone.
 */
export async function answerApplication(
  unit: UnitOfWork,
  { id, user_id }: Application,
  input: ApplicationAnswer,
  along: (it: User) => UserChanges = () => ({}),
): Promise<Application | undefined> {
  let next: Application | undefined
  const user = await amendUserByPlan(unit, user_id, async (it) => {
    const old = await loadWaitingApplication(it)
    if (old?.id !== id) throw conflict('This application waits for no answer.')
    const made = planAnswer(old, input)
    next = made.next
    return { changes: { ...along(it), reviewer_application: made.notice }, also: [made.write] }
  })
  return user && next
}

/** Loads the application of a user that waits for an answer. Undefined if none waits. */
export async function loadWaitingApplication(it: User): Promise<Application | undefined> {
  const latest = it.reviewer_application?.status === 'pending' ? await loadLatestApplication(it) : undefined
  return latest?.status === 'pending' ? latest : undefined
}

export type ApplicationAnswer = { status: Exclude<ApplicationStatus, 'pending'>; by: Actor; notes: string }

/** Returns the answered application, the summary for the user's item, and the write that stores the application. */
export function planAnswer(
  old: Application,
  { status, by, notes }: ApplicationAnswer,
): { next: Application; notice: ReviewerApplication; write: Write } {
  const at = now()
  const next = withNextVersion<Application>(old, {
    status,
    admin_notes: notes,
    reviewed_by: by.id,
    reviewed_at: at,
    updated_at: at,
  })
  return { next, notice: noticeOf(next), write: put(application, next, old) }
}

function obstacleFor({ is_staff, groups, reviewer_role, reviewer_application }: User): string | undefined {
  if (is_staff) return 'Staff review without a role.'
  if (reviewer_role?.is_active || groups.includes('Reviewers')) return 'You are a reviewer already.'
  if (reviewer_application?.status === 'pending') return 'Your application is waiting for an answer.'
  return undefined
}

/** The summary for the user's item. It is short, since that item is read with every request. */
const noticeOf = ({ id, status, message, created_at, updated_at }: Application): ReviewerApplication => ({
  id,
  status,
  message: cut(message, 500),
  created_at,
  updated_at,
})
