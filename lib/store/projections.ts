import { parse } from '../table/item.ts'
import type { Stored } from '../table/read.ts'
import type { Images } from '../table/stream.ts'
import { followAssetText } from './asset-texts.ts'
import { recount } from './board-effects.ts'
import { followStanding } from './comment-standing.ts'
import { announce } from './deliveries.ts'
import { edgeOf, edgesOf, relink, showBeside } from './links.ts'
import { tell } from './notices.ts'
import { discount } from './notifications.ts'
import { followProject } from './project-follow.ts'
import { assertion, type Head, head } from './record-items.ts'
import { followRename } from './renames.ts'

/** What others must learn of a change, after its commit: each effect by item type, from both images, safe to repeat. */
const effects: Readonly<Record<string, (images: Images) => Promise<void>>> = {
  record: async ({ before, after }) => {
    const [old, next] = [headIn(before), headIn(after)]
    await relink(edgesOf(old), edgesOf(next))
    await showBeside(old, next)
    await followStanding(old, next)
  },
  assertion: async ({ before, after }) => {
    const [old, next] = [before && parse(assertion, before), after && parse(assertion, after)]
    await relink(edgeOf(old), edgeOf(next))
  },
  user: async ({ before, after }) => {
    if (before && after && before.username !== after.username)
      await followRename(String(after.id), String(after.username))
  },
  project: followProject,
  project_asset: followAssetText,
  project_activity: announce,
  // Only time takes notifications away.
  notification: async ({ before, after }) => {
    if (before && !after) await discount(before)
  },
}

/** Applies the effects of one change, and tells people of it. */
export async function project(images: Images): Promise<void> {
  const type = String((images.after ?? images.before)?.type)
  await effects[type]?.(images)
  await recount(type, images)
  await tell(type, images)
}

const headIn = (stored: Stored | undefined): Head | undefined => stored && parse(head, stored)
