import { moveComments, placeComments } from '../comments/visibility.ts'
import { figuresOf } from '../leaderboard/keep.ts'
import { concernedBy, countedTypes } from '../leaderboard/recount.ts'
import { announceAll } from '../notifications/announcements.ts'
import { followReviewer, reviews } from '../notifications/membership.ts'
import { sendAll, uncountExpired } from '../notifications/send.ts'
import { followAssetText } from '../projects/assets/texts.ts'
import { followProject } from '../projects/derived.ts'
import { announce } from '../projects/webhook-deliveries.ts'
import { claimsIn } from '../records/claim-packs.ts'
import { moveHistory } from '../records/history-audience.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import { edgeOf, edgesOf, followEdges, showBeside } from '../records/links.ts'
import { parse } from '../table/item.ts'
import type { Stored } from '../table/read.ts'
import type { Images } from '../table/stream.ts'
import { userOf } from '../users/users.ts'
import { type Memo, notificationsOf, type Telling, toldTypes } from './notify.ts'

/** What others must learn of a change, after its commit: each effect by item type, from both images, safe to repeat. */
const effects: Readonly<Record<string, (images: Images) => Promise<void>>> = {
  record: async ({ before, after }) => {
    const [old, next] = [headIn(before), headIn(after)]
    await followEdges(edgesOf(old), edgesOf(next))
    await showBeside(old, next)
    await moveComments(old, next)
    await moveHistory(old, next)
  },
  claims: async ({ before, after }) => {
    const [old = [], next = []] = [before && claimsIn(before), after && claimsIn(after)]
    await followEdges(old.flatMap(edgeOf), next.flatMap(edgeOf))
  },
  project: followProject,
  project_asset: followAssetText,
  // Only time takes notifications away.
  notification: async ({ before, after }) => {
    if (before && !after) await uncountExpired(before)
  },
}

/** What follows of an item as it is, where only a change would show it. */
const placements: Readonly<Record<string, (after: Stored) => Promise<void>>> = {
  record: (after) => placeComments(parse(recordItem, after).entity_id),
}

/** What leaves the service, or reaches people, when something has happened. */
const messages: Readonly<Record<string, (images: Images) => Promise<void>>> = { project_activity: announce }

/** The types of items whose changes have effects. */
export const effectTypes: readonly string[] = [
  ...new Set([...Object.keys(effects), ...Object.keys(messages), ...countedTypes(), ...toldTypes()]),
]

/** What several changes may have in common, and is done once for all of them, one after the other; see `finish`. */
export type Common = {
  /** Whose figures are concerned. */
  people: readonly string[]
  /** Who may have begun or ended reviewing. */
  reviewers: readonly string[]
  told: readonly Telling[]
}
export const nothing: Common = { people: [], reviewers: [], told: [] }

/** Applies the effects of one change, up to what it has in common with others. */
export async function applyEffects(images: Images, memo: Memo = {}): Promise<Common> {
  const type = typeOf(images)
  await effects[type]?.(images)
  const told = await sendMessages(images, memo)
  return { people: await concernedBy(type, images), reviewers: reviewersIn(type, images), told }
}

/** Who reviews since a change, or no longer. */
function reviewersIn(type: string, { before, after }: Images): string[] {
  if (type !== 'user' || !after) return []
  const was = before !== undefined && reviews(userOf(before))
  return reviews(userOf(after)) === was ? [] : [userOf(after).id]
}

/** Tells receivers of one change, and answers what people are to be told; heard again, it is the same. */
export async function sendMessages(images: Images, memo: Memo = {}): Promise<readonly Telling[]> {
  const type = typeOf(images)
  await messages[type]?.(images)
  return notificationsOf(type, images, memo)
}

/** Does what changes have in common: counts whom they concern, notes who reviews, and tells people, each once. */
export async function finish({ people, reviewers, told }: Common): Promise<void> {
  for (const user_id of new Set(reviewers)) await followReviewer(user_id)
  const refresh = await figuresOf([...new Set(people)])
  for (const user_id of new Set(people)) await refresh(user_id)
  for (const [user_id, them] of Map.groupBy(told, (it) => it.user_id)) await tell(user_id, them)
}

/** Tells someone, or all reviewers, of some things, in order. */
const tell = (user_id: string | null, news: readonly Telling[]): Promise<void> =>
  user_id === null
    ? announceAll(news.map(({ user_id: _, ...it }) => it))
    : sendAll(
        user_id,
        news.map(({ not_for: _, ...it }) => it),
      )

/** Applies the effects of an item as it is, as if it had just come, but for what it has in common with others. */
export async function applyAnew(after: Stored): Promise<Common> {
  const images = { before: undefined, after }
  const type = typeOf(images)
  await effects[type]?.(images)
  await placements[type]?.(after)
  const reviewers = type === 'user' ? [userOf(after).id] : []
  return { people: await concernedBy(type, images), reviewers, told: [] }
}

const typeOf = ({ before, after }: Images): string => String((after ?? before)?.type)
const headIn = (stored: Stored | undefined): RecordItem | undefined => stored && parse(recordItem, stored)
