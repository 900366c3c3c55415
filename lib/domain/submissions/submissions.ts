import { now } from '../../base/clock.ts'
import { conflict, isConflict, notFound } from '../../base/errors.ts'
import { isShortId } from '../../base/ids/short-id.ts'
import {
  add,
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

/** Legacy submissions. They come in only by import; later they change by suggestions and moderation. */

/** A submission as the subject of permissions. */
export type Submitted = Subject & { submission: Submission; version: number }

/** A submission by its eleven characters or its number. One or two calls. */
export async function loadSubmission(id: string): Promise<Submitted | undefined> {
  const claim = isShortId(id) ? await get(submissionId, { submission_id: id }) : undefined
  const number = claim?.id ?? (/^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined)
  const it = number === undefined ? undefined : await get(submission, { id: number })
  return it && submittedOf(it)
}

/** What permissions look at in a submission. */
const submittedOf = (it: Submission): Submitted => ({
  submission: it,
  contributor_id: it.contributor_id,
  public: it.status === 'accepted',
  version: it.version,
})

export type Filter = { contributor?: string | undefined; status?: string | undefined }
export type SubmissionPage = PageResult<Submission> & { people: PeopleById }

/** One page, newest first. Two calls: the rows, and the size with the contributors. */
export async function listSubmissions({ contributor, status }: Filter, place: PageRequest): Promise<SubmissionPage> {
  const pk = submissionList(contributor, status)
  const index = contributor ? (status ? 'gsi4' : 'gsi3') : status ? 'gsi1' : 'gsi2'
  const { items, found, ...listed } = await readList({ partitions: [{ index, pk }], counted: [pk] }, place, (page) =>
    page.map((item) => keyOf(parse(submission, item).contributor_id)),
  )
  return { ...listed, results: items.map((item) => parse(submission, item)), people: peopleIn(found) }
}

const MOST_IDS = 1000

/** The next 1,000 ids of submissions in alphabetical order, after the id `beyond`. */
export async function listIds(beyond: string | undefined): Promise<string[]> {
  const { pk } = key.submissionId('')
  const items = await walkTable({ pk, forward: true, limit: MOST_IDS, beyond })
  return items.map((item) => parse(submissionId, item).submission_id)
}

const MOST_VERSIONS = 100

/** The latest hundred versions, newest first. */
export async function listVersions({ id }: Submission): Promise<SubmissionVersion[]> {
  const { pk } = key.submission(id)
  const items = await walkTable({ pk, prefix: 'VERSION#', forward: false, limit: MOST_VERSIONS })
  return items.map((item) => parse(submissionVersion, item))
}

export const loadVersion = ({ id }: Submission, version_number: number): Promise<SubmissionVersion | undefined> =>
  get(submissionVersion, { id, version_number })

/** A row to import. */
export type Old = Omit<Submission, 'id' | 'latest_version' | 'updated_at' | 'version'>

/**
 * Imports a row. If it is imported already, returns the stored submission with `made: false`. Submission, id and first version
 * are one transaction. Fails with `conflict` if another row has this id.
 */
export async function importSubmission(old: Old): Promise<{ made: boolean; submission: Submission }> {
  checkSize(old)
  const there = await findImported(old)
  if (there) return { made: false, submission: there }
  const id = await add(key.sequence('submission'))
  const made: Submission = { ...old, id, latest_version: 1, updated_at: old.created_at, version: 1 }
  try {
    await inUnit((unit) =>
      unit.add([
        put(submissionId, { submission_id: old.submission_id, id, version: 1 }, undefined),
        put(submission, made, undefined),
        put(submissionVersion, versionOf(made, old.contributor_id), undefined),
      ]),
    )
    return { made: true, submission: made }
  } catch (error) {
    if (!isConflict(error)) throw error
  }
  // Another import took in the same row at the same moment.
  const faster = await findImported(old)
  if (!faster) throw conflict()
  return { made: false, submission: faster }
}

async function findImported({ submission_id, row_hash }: Old): Promise<Submission | undefined> {
  const there = (await loadSubmission(submission_id))?.submission
  if (there && there.row_hash !== row_hash) throw conflict('A submission of this id with other values is there.')
  return there
}

/** The present values of a submission, as a version of it. */
export const versionOf = (it: Submission, updated_by: string): SubmissionVersion => ({
  id: it.id,
  version_number: it.latest_version,
  title: it.title,
  description: it.description,
  contribution_data: it.contribution_data,
  updated_by,
  updated_at: it.updated_at,
  version: 1,
})

/** The latest remark of staff, if there is one. */
export const loadModeration = ({ id }: Submission): Promise<Moderation | undefined> =>
  get(moderation, { submission: id })

export type Noted = { comment: string; status?: SubmissionStatus | undefined }

/** Sets the status of a submission, and stores who did it with which remark. Both are one transaction. */
export async function moderateSubmission(
  unit: UnitOfWork,
  id: number,
  actor: Actor,
  { comment, status }: Noted,
): Promise<{ submission: Submission; moderation: Moderation }> {
  unit.retryOn('conflict')
  const found = await getMany([key.submission(id), key.moderation(id)], true)
  const [old, note] = [itemIn(found, submission, { id }), itemIn(found, moderation, { submission: id })]
  if (!old) throw notFound()
  const reviewed_at = now()
  const next = withNextVersion<Submission>(old, { status: status ?? old.status, updated_at: reviewed_at })
  const { submission_id, contributor_id } = old
  const made: Moderation = {
    submission: id,
    submission_id,
    contributor_id,
    moderator_id: actor.id,
    remarks: comment,
    status: next.status,
    reviewed_at,
    version: (note?.version ?? 0) + 1,
  }
  unit.add([put(submission, next, old), put(moderation, made, note)])
  return { submission: next, moderation: made }
}
