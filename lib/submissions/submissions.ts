import { now } from '../clock.ts'
import { commit, commitPlan } from '../commit.ts'
import { conflict, isConflict, notFound } from '../errors.ts'
import { isShortId } from '../ids/short-id.ts'
import { checkSize } from '../names/values.ts'
import type { Actor, Subject } from '../permissions.ts'
import { amended, parse, put } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { type PageRequest, type PageResult, readList } from '../table/pages.ts'
import { get, getMany, itemIn, walkTable } from '../table/read.ts'
import { add } from '../table/write.ts'
import { type PeopleById, peopleIn } from '../users/people.ts'
import { keyOf } from '../users/users.ts'
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

/** Legacy submissions. They come in by import only; since then they change by suggestions and moderation. */

/** A submission as the subject of rules. */
export type Submitted = Subject & { submission: Submission; version: number }

/** A submission by its eleven characters, or by its number. One or two calls. */
export async function load(id: string): Promise<Submitted | undefined> {
  const claim = isShortId(id) ? await get(submissionId, { submission_id: id }) : undefined
  const number = claim?.id ?? (/^[1-9]\d{0,14}$/.test(id) ? Number(id) : undefined)
  const it = number === undefined ? undefined : await get(submission, { id: number })
  return it && submittedOf(it)
}

/** What rules look at in a submission. */
const submittedOf = (it: Submission): Submitted => ({
  submission: it,
  contributor_id: it.contributor_id,
  public: it.status === 'accepted',
  version: it.version,
})

export type Filter = { contributor?: string | undefined; status?: string | undefined }
export type SubmissionPage = PageResult<Submission> & { people: PeopleById }

/** One page, newest first: a call for the rows, and one for the size with the people. */
export async function list({ contributor, status }: Filter, place: PageRequest): Promise<SubmissionPage> {
  const pk = submissionList(contributor, status)
  const index = contributor ? (status ? 'gsi4' : 'gsi3') : status ? 'gsi1' : 'gsi2'
  const { items, found, ...listed } = await readList({ partitions: [{ index, pk }], counted: [pk] }, place, (page) =>
    page.map((item) => keyOf(parse(submission, item).contributor_id)),
  )
  return { ...listed, results: items.map((item) => parse(submission, item)), people: peopleIn(found) }
}

/** How many ids a page holds. */
const MOST_IDS = 1000

/** The ids of submissions in their own order, a thousand at most, from beyond one of them. */
export async function listIds(beyond: string | undefined): Promise<string[]> {
  const { pk } = key.submissionId('')
  const items = await walkTable({ pk, forward: true, limit: MOST_IDS, beyond })
  return items.map((item) => parse(submissionId, item).submission_id)
}

/** How many versions are shown. */
const MOST_VERSIONS = 100

/** The latest versions, newest first. */
export async function listVersions({ id }: Submission): Promise<SubmissionVersion[]> {
  const { pk } = key.submission(id)
  const items = await walkTable({ pk, prefix: 'VERSION#', forward: false, limit: MOST_VERSIONS })
  return items.map((item) => parse(submissionVersion, item))
}

/** One version of a submission by its number. */
export const loadVersion = ({ id }: Submission, version_number: number): Promise<SubmissionVersion | undefined> =>
  get(submissionVersion, { id, version_number })

/** A row that was once a submission elsewhere. */
export type Old = Omit<Submission, 'id' | 'latest_version' | 'updated_at' | 'version'>

/**
 * Takes in a row unless it is there: then it answers what is. One transaction: submission, id and first version. Fails
 * with `conflict` when another row has this id.
 */
export async function takeIn(old: Old): Promise<{ made: boolean; submission: Submission }> {
  checkSize(old)
  const there = await known(old)
  if (there) return { made: false, submission: there }
  const id = await add(key.sequence('submission'))
  const made: Submission = { ...old, id, latest_version: 1, updated_at: old.created_at, version: 1 }
  try {
    await commit([
      put(submissionId, { submission_id: old.submission_id, id, version: 1 }, undefined),
      put(submission, made, undefined),
      put(submissionVersion, versionOf(made, old.contributor_id), undefined),
    ])
    return { made: true, submission: made }
  } catch (error) {
    if (!isConflict(error)) throw error
  }
  // Somebody took in the same row at the same moment.
  const faster = await known(old)
  if (!faster) throw conflict()
  return { made: false, submission: faster }
}

async function known({ submission_id, row_hash }: Old): Promise<Submission | undefined> {
  const there = (await load(submission_id))?.submission
  if (there && there.row_hash !== row_hash) throw conflict('A submission of this id with other values is there.')
  return there
}

/** What a submission says now, as a version of it. */
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

/** What staff noted of a submission, if anything. */
export const loadModeration = ({ id }: Submission): Promise<Moderation | undefined> =>
  get(moderation, { submission: id })

export type Noted = { comment: string; status?: SubmissionStatus | undefined }

/** Sets the status of a submission and notes who did so. Status and note are one transaction. */
export const moderate = (
  id: number,
  actor: Actor,
  { comment, status }: Noted,
): Promise<{ submission: Submission; moderation: Moderation }> =>
  commitPlan(async () => {
    const found = await getMany([key.submission(id), key.moderation(id)], true)
    const [old, note] = [itemIn(found, submission, { id }), itemIn(found, moderation, { submission: id })]
    if (!old) throw notFound()
    const reviewed_at = now()
    const next = amended<Submission>(old, { status: status ?? old.status, updated_at: reviewed_at })
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
    return {
      result: { submission: next, moderation: made },
      writes: [put(submission, next, old), put(moderation, made, note)],
    }
  })
