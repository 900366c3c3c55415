import { notFound } from '../errors.ts'
import { cut } from '../matching/cut.ts'
import { type Actor, audienceOf, audiencesWith, mayReview, maySeeAll, type Subject } from '../permissions.ts'
import { activityOf, withActivity, withActivityComment } from '../records/build.ts'
import { type Activity, activity, type RecordItem, recordItem, toldOf } from '../records/items.ts'
import { amended, put, type Write } from '../table/item.ts'
import { key } from '../table/keys.ts'
import type { PageRequest, PageResult } from '../table/pages.ts'
import { get, getMany, itemIn, type Stored } from '../table/read.ts'
import {
  amend as amendComment,
  type CommentInput,
  create as createComment,
  remove as removeComment,
} from './comments.ts'
import { type Comment, type CommentAudience, commentAudiences, onEntity } from './items.ts'
import { listBy, listFlat, load as loadComment, loadIn } from './threads.ts'

/** Comments on records: each is in the record's history too, and is seen by those who see the record. */

/** A comment on a record as the subject of rules. */
export type Remark = Subject & { remark: Comment; about: RecordItem; version: number }

/** The record that a thread hangs on. One call. */
export const loadAbout = (entity_id: string): Promise<RecordItem | undefined> => get(recordItem, { entity_id })

/** A comment of a record's thread. Two calls. */
export async function loadRemark(entity_id: string, id: number): Promise<Remark | undefined> {
  const it = await loadIn(onEntity(entity_id), id, [key.head(entity_id)])
  return it && remarkOf(it.comment, it.found)
}

/** A comment on whatever record. Three calls. */
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

/** Comments on a record. Comment, activity and the record's latest word are one transaction. */
export const create = (first: RecordItem, actor: Actor, input: CommentInput): Promise<Comment> =>
  createComment(onEntity(first.entity_id), actor, input, async (at, attempt) => {
    const about = await latest(first, attempt)
    if (about.deleted_at) throw notFound()
    const done = activityOf(about.entity_id, actor, 'commented', beginningOf(input.comment), at)
    const next = withActivity(amended<RecordItem>(about, {}), done, actor)
    return {
      writes: [put(recordItem, next, about), put(activity, toldOf(done, about), undefined)],
      standing: commentAudienceOf(about),
      activity_id: done.activity_id,
    }
  })

/** Changes the text, in the feed too. Fails with `conflict` when others changed it meanwhile. */
export const amend = ({ remark, about }: Remark, text: string): Promise<Comment> =>
  amendComment(remark, text, async (it, attempt) => retold(it, await latest(about, attempt), beginningOf(text)))

/** Deletes a comment; the feed goes on to say that there was one, not what it said. */
export const remove = ({ remark, about }: Remark): Promise<void> =>
  removeComment(remark, async (it, attempt) => retold(it, await latest(about, attempt), ''))

/** So much of a comment is told in the feed. */
const beginningOf = (text: string) => cut(text, 200)

async function retold({ activity_id, entity_id }: Comment, about: RecordItem, text: string): Promise<Write[]> {
  if (activity_id === null || entity_id === null) return []
  const done = await get(activity, { entity_id, activity_id })
  if (!done) return []
  const changed = put(activity, amended<Activity>(done, { comment: text }), done)
  const next = withActivityComment(about, activity_id, text)
  const isShown = [...about.recent_activities, about.latest_feedback].some((it) => it?.activity_id === activity_id)
  return isShown ? [changed, put(recordItem, amended<RecordItem>(next, {}), about)] : [changed]
}

/** The record item as it was read, and after the first attempt as it is now. */
async function latest(first: RecordItem, attempt: number): Promise<RecordItem> {
  const about = attempt === 1 ? first : await loadAbout(first.entity_id)
  if (!about) throw notFound()
  return about
}

/** Who sees a comment on this record. */
export const commentAudienceOf = (it: RecordItem): CommentAudience => {
  if (it.deleted_at) return 'deleted'
  if (!it.public) return 'withheld'
  return audienceOf(it.access_tier)
}

/** Comments one by one with the records they are on. */
export type Remarks = PageResult<{ comment: Comment; about: RecordItem | undefined }> & {
  found: ReadonlyMap<string, Stored>
}
export const nothing: Remarks = { count: 0, results: [], found: new Map() }

/** What someone has said, newest first: of their own all, of others what is on records that the caller sees. Two calls. */
export async function listOf(user: string, actor: Actor | null, place: PageRequest): Promise<Remarks> {
  return withRecords(await listBy(user, audiencesOf(user, actor), place, recordsOf))
}

/** Everything said of a record, newest first. Two calls. */
export const listOn = async (entity_id: string, place: PageRequest): Promise<Remarks> =>
  withRecords(await listFlat(onEntity(entity_id), place, recordsOf))

/** The audiences of this person's comments to which the caller belongs. */
function audiencesOf(user: string, actor: Actor | null): readonly CommentAudience[] {
  if (actor?.id === user || maySeeAll(actor)) return commentAudiences
  return [...audiencesWith(actor !== null), ...(mayReview(actor) ? (['withheld'] as const) : [])]
}

const withRecords = ({ items, ...listing }: Awaited<ReturnType<typeof listBy>>): Remarks => ({
  ...listing,
  results: items.map((comment) => ({ comment, about: headIn(listing.found, comment) })),
})

const recordsOf = (comments: readonly Comment[]) =>
  comments.flatMap(({ entity_id }) => (entity_id ? [key.head(entity_id)] : []))

const headIn = (found: ReadonlyMap<string, Stored>, { entity_id }: Comment): RecordItem | undefined =>
  entity_id === null ? undefined : itemIn(found, recordItem, { entity_id })
