import * as v from 'valibot'
import type { Say } from '../../base/language/catalogue.ts'
import * as s from '../../base/shapes.ts'
import { getMany, itemIn, type Key, type Stored } from '../../engines/table/index.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { kindOfScope } from '../kinds/index.ts'
import { recordItem } from '../records/items.ts'
import { dataSource } from '../sources/sources.ts'
import { type Watch, watchSorts } from './items.ts'
import { feedLink, stopWatchingLink } from './links.ts'

/** A watch of the caller. `name` is null if the caller may not see the thing any more. */
export const WatchView = s.shape('Watch', () =>
  v.object({
    id: s.uuid,
    what: s.oneOf(watchSorts),
    about: s.text,
    name: s.maybe(s.text),
    feed_url: s.text,
    stop_url: s.text,
    created_at: s.time,
  }),
)
/** Whether the link that stops watching has stopped it. */
export const WatchingStoppedView = s.shape('WatchingStopped', () => v.object({ stopped: v.boolean() }))

/** Loads the items from which `watchedName` takes names. One call for each hundred. */
export const loadWatchedThings = (watches: readonly Watch[]): Promise<Map<string, Stored>> =>
  getMany(watches.flatMap(keysOf), true)

const keysOf = ({ what, about }: Watch): Key[] => {
  if (what === 'record' || what === 'place') return [key.head(about)]
  return what === 'source' ? [key.source(about)] : []
}

/** The name of a watched thing as this reader may see it. Null if they may not see it. */
export function watchedName(
  { what, about }: Watch,
  found: ReadonlyMap<string, Stored>,
  { actor, say }: { actor: Actor | null; say: Say },
): string | null {
  if (what === 'search') return about
  if (what === 'kind') return say(kindOfScope(about)?.label ?? about)
  if (what === 'source') {
    const source = itemIn(found, dataSource, { id: about })
    return source && maySee(actor, source) ? source.name : null
  }
  const head = itemIn(found, recordItem, { entity_id: about })
  return head && maySee(actor, head) ? head.name : null
}

/** A watch as its owner sees it. */
export const watchView = (it: Watch, name: string | null, origin: string): s.Output<typeof WatchView> => ({
  id: it.id,
  what: it.what,
  about: it.about,
  name,
  feed_url: feedLink(origin, it.user_id, it.id),
  stop_url: stopWatchingLink(origin, it.user_id, it.id),
  created_at: it.created_at,
})
