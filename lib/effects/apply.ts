import { moveComments, placeComments } from '../comments/visibility.ts'
import { refreshFigures } from '../leaderboard/keep.ts'
import { concernedBy, countedTypes } from '../leaderboard/recount.ts'
import { type NewNotification, sendAll, uncountExpired } from '../notifications/notifications.ts'
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
import { type Memo, notificationsOf, toldTypes } from './notify.ts'

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

/** What several changes may have in common, and is done once for all of them; see `finish`. */
export type Common = { people: readonly string[]; told: readonly NewNotification[] }

/** Applies the effects of one change, up to what it has in common with others. */
export async function applyEffects(images: Images, memo: Memo = {}): Promise<Common> {
  const type = typeOf(images)
  await effects[type]?.(images)
  return { people: await concernedBy(type, images), told: await sendMessages(images, memo) }
}

/** Tells receivers of one change, and answers what people are to be told; heard again, it is the same. */
export async function sendMessages(images: Images, memo: Memo = {}): Promise<readonly NewNotification[]> {
  const type = typeOf(images)
  await messages[type]?.(images)
  return notificationsOf(type, images, memo)
}

/** Does what changes have in common: counts whom they concern, and tells people, each once. */
export async function finish({ people, told }: Common): Promise<void> {
  for (const user_id of new Set(people)) await refreshFigures(user_id)
  for (const [user_id, them] of Map.groupBy(told, (it) => it.user_id)) await sendAll(user_id, them)
}

/** Applies the effects of an item as it is, as if it had just come. Answers whose figures it concerns. */
export async function applyAnew(after: Stored): Promise<string[]> {
  const images = { before: undefined, after }
  const type = typeOf(images)
  await effects[type]?.(images)
  await placements[type]?.(after)
  return concernedBy(type, images)
}

const typeOf = ({ before, after }: Images): string => String((after ?? before)?.type)
const headIn = (stored: Stored | undefined): RecordItem | undefined => stored && parse(recordItem, stored)
