import { now } from '../../base/clock.ts'
import { conflict, isConflict, notFound } from '../../base/errors.ts'
import { isShortId } from '../../base/ids/short-id.ts'
import { addToNumber } from '../../engines/table/immediate.ts'
import {
  get,
  getMany,
  itemIn,
  type PageRequest,
  type PageResult,
  parse,
  put,
  readList,
  type UnitOfWork,
  walkTable,
  withNextVersion,
} from '../../engines/table/index.ts'
import type { Actor, Subject } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { type PeopleById, peopleIn } from '../../platform/users/people.ts'
import { keyOf } from '../../platform/users/users.ts'
import { checkSize } from '../names/values.ts'
import {
  type Moderation,
  moderation,
  type Submission,
  type SubmissionVersion,
  submission,
  submissionId,
  submissionList,
  submissionVersion,
} from './items.ts'
import type { SubmissionStatus } from './members.ts'

/**
 * A legacy submission as the subject of permissions. Submissions come in only by import. Later they change by suggestions
 * and moderation.
 */
export type SubmissionSubject = Subject & { submission: Submission; version: number }

/** Loads a submission by its eleven characters (two reads) or by its number (one read). */
export async function loadSubmission(id: string): Promise<SubmissionSubject | undefined> {
  const reservation = isShortId(id) ? await get(submissionId, { submission_id: id }) : undefined
  const number = reservation?.id ?? (/^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined)
  const stored = number === undefined ? undefined : await get(submission, { id: number })
  return (
    stored && {
      submission: stored,
      contributor_id: stored.contributor_id,
      public: stored.status === 'accepted',
      version: stored.version,
    }
  )
}

export type SubmissionFilter = { contributor?: string | undefined; status?: string | undefined }
export type SubmissionPage = PageResult<Submission> & { people: PeopleById }

/** Returns one page, newest first. Two calls: one for the rows, one for the size and the contributors. */
export async function listSubmissions(
  { contributor, status }: SubmissionFilter,
  place: PageRequest,
): Promise<SubmissionPage> {
  const pk = submissionList(contributor, status)
  const index = contributor ? (status ? 'gsi4' : 'gsi3') : status ? 'gsi1' : 'gsi2'
  const { items, found, ...listing } = await readList({ partitions: [{ index, pk }], counted: [pk] }, place, (page) =>
    page.map((item) => keyOf(parse(submission, item).contributor_id)),
  )
  return { ...listing, results: items.map((item) => parse(submission, item)), people: peopleIn(found) }
}

const IDS_PER_PAGE = 1000

/** Returns up to 1,000 ids of submissions in alphabetical order, after the id `beyond`. */
export async function listSubmissionIds(beyond: string | undefined): Promise<string[]> {
  const { pk } = key.submissionId('')
  const items = await walkTable({ pk, forward: true, limit: IDS_PER_PAGE, beyond })
  return items.map((item) => parse(submissionId, item).submission_id)
}

const MAX_VERSIONS = 100

/** Returns the latest hundred versions of a submission, newest first. */
export async function listSubmissionVersions({ id }: Submission): Promise<SubmissionVersion[]> {
  const { pk } = key.submission(id)
  const items = await walkTable({ pk, prefix: 'VERSION#', forward: false, limit: MAX_VERSIONS })
  return items.map((item) => parse(submissionVersion, item))
}

export const loadSubmissionVersion = (
  { id }: Submission,
  version_number: number,
): Promise<SubmissionVersion | undefined> => get(submissionVersion, { id, version_number })

/** A row to import. */
export type SubmissionInput = Omit<Submission, 'id' | 'latest_version' | 'updated_at' | 'version'>

/**
 * Imports a row. If it is imported already, returns the stored submission with `made: false`. Submission, id and first
 * version are one transaction. Fails with `conflict` if a row with other values has this id.
 */
export async function importSubmission(input: SubmissionInput): Promise<{ made: boolean; submission: Submission }> {
  checkSize(input)
  const earlier = await findImported(input)
  if (earlier) return { made: false, submission: earlier }
  const id = await addToNumber(key.sequence('submission'))
  const imported: Submission = { ...input, id, latest_version: 1, updated_at: input.created_at, version: 1 }
  try {
    await inUnit((unit) =>
      unit.add([
        put(submissionId, { submission_id: input.submission_id, id, version: 1 }, undefined),
        put(submission, imported, undefined),
        put(submissionVersion, newSubmissionVersion(imported, input.contributor_id), undefined),
      ]),
    )
    return { made: true, submission: imported }
  } catch (error) {
    if (!isConflict(error)) throw error
  }
  // Another import stored the same row at the same moment.
  const simultaneous = await findImported(input)
  if (!simultaneous) throw conflict()
  return { made: false, submission: simultaneous }
}

async function findImported({ submission_id, row_hash }: SubmissionInput): Promise<Submission | undefined> {
  const stored = (await loadSubmission(submission_id))?.submission
  if (stored && stored.row_hash !== row_hash) throw conflict('A submission of this id with other values is there.')
  return stored
}

/** Builds the version that holds the present values of a submission. */
export const newSubmissionVersion = (current: Submission, updated_by: string): SubmissionVersion => ({
  id: current.id,
  version_number: current.latest_version,
  title: current.title,
  description: current.description,
  contribution_data: current.contribution_data,
  updated_by,
  updated_at: current.updated_at,
  version: 1,
})

/** Loads the latest remark of staff. Undefined if staff have made none. */
export const loadModeration = ({ id }: Submission): Promise<Moderation | undefined> =>
  get(moderation, { submission: id })

export type ModerationInput = { comment: string; status?: SubmissionStatus | undefined }

/** Sets the status of a submission, and stores the moderator and the remark, in one transaction. */
export async function moderateSubmission(
  unit: UnitOfWork,
  id: number,
  actor: Actor,
  { comment, status }: ModerationInput,
): Promise<{ submission: Submission; moderation: Moderation }> {
  unit.retryOn('conflict')
  const items = await getMany([key.submission(id), key.moderation(id)], true)
  const old = itemIn(items, submission, { id })
  const oldModeration = itemIn(items, moderation, { submission: id })
  if (!old) throw notFound()
  const reviewed_at = now()
  const next = withNextVersion<Submission>(old, { status: status ?? old.status, updated_at: reviewed_at })
  const { submission_id, contributor_id } = old
  const nextModeration: Moderation = {
    submission: id,
    submission_id,
    contributor_id,
    moderator_id: actor.id,
    remarks: comment,
    status: next.status,
    reviewed_at,
    version: (oldModeration?.version ?? 0) + 1,
  }
  unit.add([put(submission, next, old), put(moderation, nextModeration, oldModeration)])
  return { submission: next, moderation: nextModeration }
}
