import { notFound } from '../../base/errors.ts'
import { type HistoryAudience, historyAudienceOf, historyAudiences } from '../../base/visibility.ts'
import { cut } from '../../engines/matching/index.ts'
import type { PageRequest, PageResult } from '../../engines/table/index.ts'
import {
  get,
  getMany,
  itemIn,
  put,
  type Stored,
  type UnitOfWork,
  type Write,
  withNextVersion,
} from '../../engines/table/index.ts'
import { type Actor, audiencesFor, type Subject } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { newActivity, withActivity, withActivityComment } from '../records/build.ts'
import { type Activity, activity, type RecordItem, recordItem, withActivityAudience } from '../records/items.ts'
import { amendComment, type CommentInput, createComment, removeComment } from './comments.ts'
import { type Comment, onEntity } from './items.ts'
import { listCommentsBy, listCommentsFlat, loadComment, loadCommentIn } from './threads.ts'

/** Comments on records. Each is in the record's history, too, and has the record's audience. */

/** A comment with its record, as the subject of permissions. */
export type Remark = Subject & { remark: Comment; about: RecordItem; version: number }

/** The record of a thread. One call. */
export const loadAbout = (entity_id: string): Promise<RecordItem | undefined> => get(recordItem, { entity_id })

/** A comment of this record's thread. Two calls. */
export async function loadRemark(entity_id: string, id: number): Promise<Remark | undefined> {
  const it = await loadCommentIn(onEntity(entity_id), id, [key.head(entity_id)])
  return it && remarkOf(it.comment, it.found)
}

/** A comment on any record. Three calls. */
export async function loadAnyRemark(id: number): Promise<Remark | undefined> {
  const it = await loadComment(id)
  return it?.entity_id ? remarkOf(it, await getMany([key.head(it.entity_id)], true)) : undefined
}

function remarkOf(remark: Comment, found: ReadonlyMap<string, Stored>): Remark | undefined {
  const about = headIn(found, remark)
  return about && { ...subjectOf(about), remark, about, author_id: remark.user_id, version: remark.version }
}

const subjectOf = ({ contributor_id, public: isPublic, access_tier, deleted_at }: RecordItem) => ({
  contributor_id,
  public: isPublic,
  access_tier,
  deleted_at,
})

/** Writes a comment. The comment, its activity and the record's latest feedback are one transaction. */
export const createRemark = (
  unit: UnitOfWork,
  first: RecordItem,
  actor: Actor,
  input: CommentInput,
): Promise<Comment> =>
  createComment(unit, onEntity(first.entity_id), actor, input, async (at, attempt) => {
    const about = await loadLatest(first, attempt)
    if (about.deleted_at) throw notFound()
    const done = newActivity(about.entity_id, actor, 'commented', beginningOf(input.comment), at)
    const next = withActivity(withNextVersion<RecordItem>(about, {}), done, actor)
    return {
      writes: [put(recordItem, next, about), put(activity, withActivityAudience(done, about), undefined)],
      standing: commentAudienceOf(about),
      activity_id: done.activity_id,
    }
  })

/** Changes the text, in the record's history too. Fails with `conflict` if somebody else changed it meanwhile. */
export const amendRemark = (unit: UnitOfWork, { remark, about }: Remark, text: string): Promise<Comment> =>
  amendComment(unit, remark, text, async (it, attempt) =>
    activityWrites(it, await loadLatest(about, attempt), beginningOf(text)),
  )

/** Deletes a comment. The record's history still shows that there was one, without its text. */
export const removeRemark = (unit: UnitOfWork, { remark, about }: Remark): Promise<void> =>
  removeComment(unit, remark, async (it, attempt) => activityWrites(it, await loadLatest(about, attempt), ''))

/** The beginning of a comment that the record's history shows. */
const beginningOf = (text: string) => cut(text, 200)

async function activityWrites({ activity_id, entity_id }: Comment, about: RecordItem, text: string): Promise<Write[]> {
  if (activity_id === null || entity_id === null) return []
  const done = await get(activity, { entity_id, activity_id })
  if (!done) return []
  const changed = put(activity, withNextVersion<Activity>(done, { comment: text }), done)
  const next = withActivityComment(about, activity_id, text)
  const isShown = [...about.recent_activities, about.latest_feedback].some((it) => it?.activity_id === activity_id)
  return isShown ? [changed, put(recordItem, withNextVersion<RecordItem>(next, {}), about)] : [changed]
}

/** The record as it was read. From the second attempt on, it is loaded again. */
async function loadLatest(first: RecordItem, attempt: number): Promise<RecordItem> {
  const about = attempt === 1 ? first : await loadAbout(first.entity_id)
  if (!about) throw notFound()
  return about
}

/** Who sees a comment on this record. */
export const commentAudienceOf = (about: RecordItem): HistoryAudience => historyAudienceOf(about, true)

/** Comments outside their threads, each with its record. */
export type Remarks = PageResult<{ comment: Comment; about: RecordItem | undefined }> & {
  found: ReadonlyMap<string, Stored>
}
export const noRemarks: Remarks = { count: 0, results: [], found: new Map() }

/**
 * Lists one person's comments, newest first: all of the caller's own, and those of others on records that the caller sees. One call for
 * each audience, and one for the records.
 */
export async function listRemarksBy(user: string, actor: Actor | null, place: PageRequest): Promise<Remarks> {
  return withRecords(await listCommentsBy(user, audiencesOf(user, actor), place, recordsOf))
}

/** All comments on a record, newest first. Two calls. */
export const listRemarksOn = async (entity_id: string, place: PageRequest): Promise<Remarks> =>
  withRecords(await listCommentsFlat(onEntity(entity_id), place, recordsOf))

/** The audiences for which the caller may read this person's comments: for their own comments, all. */
function audiencesOf(user: string, actor: Actor | null): readonly HistoryAudience[] {
  return actor?.id === user ? historyAudiences : audiencesFor(actor)
}

const withRecords = ({ items, ...listing }: Awaited<ReturnType<typeof listCommentsBy>>): Remarks => ({
  ...listing,
  results: items.map((comment) => ({ comment, about: headIn(listing.found, comment) })),
})

const recordsOf = (comments: readonly Comment[]) =>
  comments.flatMap(({ entity_id }) => (entity_id ? [key.head(entity_id)] : []))

const headIn = (found: ReadonlyMap<string, Stored>, { entity_id }: Comment): RecordItem | undefined =>
  entity_id === null ? undefined : itemIn(found, recordItem, { entity_id })
