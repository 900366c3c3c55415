import { moveComments } from '../comments/visibility.ts'
import { recount } from '../leaderboard/recount.ts'
import { uncountExpired } from '../notifications/notifications.ts'
import { followAssetText } from '../projects/assets/texts.ts'
import { followProject } from '../projects/derived.ts'
import { announce } from '../projects/webhook-deliveries.ts'
import { moveHistory } from '../records/history-audience.ts'
import { assertion, type RecordItem, recordItem } from '../records/items.ts'
import { edgeOf, edgesOf, linkWrites, showBeside } from '../records/links.ts'
import { parse } from '../table/item.ts'
import type { Stored } from '../table/read.ts'
import type { Images } from '../table/stream.ts'
import { notify } from './notify.ts'

/** What others must learn of a change, after its commit: each effect by item type, from both images, safe to repeat. */
const effects: Readonly<Record<string, (images: Images) => Promise<void>>> = {
  record: async ({ before, after }) => {
    const [old, next] = [headIn(before), headIn(after)]
    await linkWrites(edgesOf(old), edgesOf(next))
    await showBeside(old, next)
    await moveComments(old, next)
    await moveHistory(old, next)
  },
  assertion: async ({ before, after }) => {
    const [old, next] = [before && parse(assertion, before), after && parse(assertion, after)]
    await linkWrites(edgeOf(old), edgeOf(next))
  },
  project: followProject,
  project_asset: followAssetText,
  project_activity: announce,
  // Only time takes notifications away.
  notification: async ({ before, after }) => {
    if (before && !after) await uncountExpired(before)
  },
}

/** Applies the effects of one change, and tells people of it. */
export async function applyEffects(images: Images): Promise<void> {
  const type = String((images.after ?? images.before)?.type)
  await effects[type]?.(images)
  await recount(type, images)
  await notify(type, images)
}

const headIn = (stored: Stored | undefined): RecordItem | undefined => stored && parse(recordItem, stored)
