import type { Images, Stored } from '../../engines/table/index.ts'
import { parse } from '../../engines/table/index.ts'
import { userOf } from '../../platform/users/users.ts'
import { followLinks } from '../alerts/follow.ts'
import { moveComments, placeComments } from '../comments/visibility.ts'
import { concernsFootings, followFootings, isOfIdentity } from '../foundations/follow.ts'
import { proposeCandidate } from '../identity/propose.ts'
import { prepareRefresh } from '../leaderboard/keep.ts'
import { boardTypes, peopleConcernedBy } from '../leaderboard/recount.ts'
import { announceAll } from '../notifications/announcements.ts'
import { followReviewer, isReviewer } from '../notifications/membership.ts'
import { sendAll } from '../notifications/send.ts'
import { followAssetText } from '../projects/assets/texts.ts'
import { followProject } from '../projects/derived.ts'
import { announceReview } from '../projects/review-webhook.ts'
import { claimsIn } from '../records/claim-packs.ts'
import { moveHistory } from '../records/history-audience.ts'
import { flag, type RecordItem, recordItem } from '../records/items.ts'
import { claimEdges, followCards, followEdges, publicEdges } from '../records/links.ts'
import { noticesOfChange, notifiedTypes, type PendingNotice, type SharedReads } from './notify.ts'

/** The effects of a change, by item type. Each gets both images and is safe to repeat. */
const effects: Readonly<Record<string, (images: Images) => Promise<void>>> = {
  record: async ({ before, after }) => {
    const [old, next] = [headIn(before), headIn(after)]
    // prove: links
    await followEdges(publicEdges(old), publicEdges(next))
    await followCards(old, next)
    await followLinks(old, next)
    // prove: comments-audience
    await moveComments(old, next)
    // prove: history-audience
    await moveHistory(old, next)
  },
  claims: async ({ before, after }) => {
    const [old = [], next = []] = [before && claimsIn(before), after && claimsIn(after)]
    await followEdges(old.flatMap(claimEdges), next.flatMap(claimEdges))
  },
  flag: async ({ after }) => (after ? proposeCandidate(parse(flag, after)) : undefined),
  project: followProject,
  project_asset: followAssetText,
}

/** By item type: the records whose values may rest on other sources after a change. */
const footed: Readonly<Record<string, (images: Images) => readonly string[]>> = {
  record: ({ before, after }) => {
    const [old, next] = [headIn(before), headIn(after)]
    return concernsFootings(old, next) ? [next ?? old].flatMap((it) => it?.entity_id ?? []) : []
  },
  claims: ({ before, after }) =>
    [after, before]
      .flatMap((it) => (it ? claimsIn(it) : []))
      .filter(isOfIdentity)
      .map(({ entity_id }) => entity_id),
}

/** Effects that only a replay adds. A replay has no image from before, so it cannot see that an audience changed. */
const placements: Readonly<Record<string, (after: Stored) => Promise<void>>> = {
  record: (after) => placeComments(parse(recordItem, after).entity_id),
}

/** Messages to other servers, by item type. */
const messages: Readonly<Record<string, (images: Images) => Promise<void>>> = { project_activity: announceReview }

/** The types of items whose changes have effects. */
export const effectTypes: readonly string[] = [
  ...new Set([...Object.keys(effects), ...Object.keys(messages), ...boardTypes(), ...notifiedTypes()]),
]

/** What one change adds to the work that several changes share. `doSharedWork` does that work once for all of them. */
export type SharedWork = {
  /** People whose figures may change. */
  people: readonly string[]
  /** People who may have begun or ended reviewing. */
  reviewers: readonly string[]
  notices: readonly PendingNotice[]
  /** Records whose values may rest on other sources now. */
  footed: readonly string[]
}
export const noSharedWork: SharedWork = { people: [], reviewers: [], notices: [], footed: [] }

/** Applies the effects of one change. Returns its part of the shared work. */
export async function applyEffects(images: Images, reads: SharedReads = {}): Promise<SharedWork> {
  const type = typeOf(images)
  await effects[type]?.(images)
  const notices = await sendMessages(images, reads)
  return { ...(await sharedOf(images)), reviewers: reviewersIn(type, images), notices }
}

async function sharedOf(images: Images): Promise<Pick<SharedWork, 'people' | 'footed'>> {
  const type = typeOf(images)
  return { people: await peopleConcernedBy(type, images), footed: footed[type]?.(images) ?? [] }
}

/** The user who began or ended reviewing with this change, if any. */
function reviewersIn(type: string, { before, after }: Images): string[] {
  if (type !== 'user' || !after) return []
  const was = before !== undefined && isReviewer(userOf(before))
  return isReviewer(userOf(after)) === was ? [] : [userOf(after).id]
}

/** Sends the messages of one change to other servers. Returns the notifications for people. A repeated change gives the same notifications. */
export async function sendMessages(images: Images, reads: SharedReads = {}): Promise<readonly PendingNotice[]> {
  const type = typeOf(images)
  await messages[type]?.(images)
  return noticesOfChange(type, images, reads)
}

/** Does the shared work of several changes: stores who reviews and what rests on which source, refreshes figures, and sends notifications. */
export async function doSharedWork({ people, reviewers, notices, footed: records }: SharedWork): Promise<void> {
  await followFootings(records)
  for (const user_id of new Set(reviewers)) await followReviewer(user_id)
  const refresh = await prepareRefresh([...new Set(people)])
  for (const user_id of new Set(people)) await refresh(user_id)
  for (const [user_id, them] of Map.groupBy(notices, (it) => it.user_id)) await notify(user_id, them)
}

/** Notifies one person, or all reviewers (`null`), in order. */
const notify = (user_id: string | null, pending: readonly PendingNotice[]): Promise<void> =>
  user_id === null
    ? announceAll(pending.map(({ user_id: _, ...it }) => it))
    : sendAll(
        user_id,
        pending.map(({ not_for: _, ...it }) => it),
      )

/** Applies the effects of an item as if it were new. Notifies nobody. Returns its part of the shared work. */
export async function applyAnew(after: Stored): Promise<SharedWork> {
  const images = { before: undefined, after }
  const type = typeOf(images)
  await effects[type]?.(images)
  await placements[type]?.(after)
  const reviewers = type === 'user' ? [userOf(after).id] : []
  return { ...(await sharedOf(images)), reviewers, notices: [] }
}

const typeOf = ({ before, after }: Images): string => String((after ?? before)?.type)
const headIn = (stored: Stored | undefined): RecordItem | undefined => stored && parse(recordItem, stored)
