import { later, now } from '../../base/clock.ts'
import { isDone } from '../../base/errors.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import { parse, put, walk, withNextVersion } from '../../engines/table/index.ts'
import type { WatchNotice } from '../notifications/events.ts'
import { type News, sendAll } from '../notifications/send.ts'
import { listSeenChanges, type SeenChange, withNews } from './changes.ts'
import { loadNotedThrough } from './follow.ts'
import { DUE, type Watcher, watcher } from './items.ts'
import { BULLETIN_PERIOD_S, loadWatches } from './watches.ts'

/** People whose bulletins are made in one visit. */
const MOST_BULLETINS = 200
/** The most records that a bulletin names. It gives only the number of the others. */
const MOST_NAMED = 10

/**
 * Makes the bulletins that are due. Returns how many people got notices. A bulletin is at most eleven notices in the inbox; letters follow
 * from the inbox. While nothing has changed, it costs two reads and a write for each person, and a search for each watched search.
 */
export async function tellWatchers(): Promise<number> {
  const due = (await walk({ index: 'gsi2', pk: DUE, forward: true, limit: MOST_BULLETINS }))
    .map((item) => parse(watcher, item))
    .filter(({ due_at }) => due_at <= now())
  const through = due.length > 0 ? await loadNotedThrough() : 0
  let told = 0
  for (const { user_id } of due) if (await tellWatcher(user_id, through)) told += 1
  return told
}

/**
 * Makes the bulletin of one person, of the changes up to `through`. The ids of the notices are derived from the changes. So after a
 * failure the bulletin is made again, and no notice appears twice.
 */
async function tellWatcher(user_id: string, through: number): Promise<boolean> {
  const { watches, head } = await loadWatches(user_id)
  if (!head || head.due_at > now()) return false
  const seen = await listSeenChanges(await withNews(watches, head.told), head.told, through)
  await sendAll(user_id, newsOf(seen))
  const next = withNextVersion<Watcher>(head, {
    told: Math.max(head.told, through),
    due_at: later(BULLETIN_PERIOD_S),
  })
  await isDone(commitWrites([put(watcher, next, head)]))
  return seen.length > 0
}

type WatchNews = News & { notice: WatchNotice }

/** The notices of a bulletin, the latest change last, as an inbox takes them. */
function newsOf(changes: readonly SeenChange[]): WatchNews[] {
  const named = changes.slice(0, MOST_NAMED).map(
    ({ id, number, at }): WatchNews => ({
      notice: 'watched',
      event: `watched#${id}#${number}`,
      actor_id: null,
      entity_id: id,
      detail: '',
      created_at: at,
    }),
  )
  const [first, ...others] = changes.slice(MOST_NAMED)
  const rest: WatchNews[] = first
    ? [
        {
          notice: 'watched_more',
          event: `watched_more#${first.number}`,
          actor_id: null,
          entity_id: null,
          detail: String(others.length + 1),
          created_at: first.at,
        },
      ]
    : []
  return [...rest, ...named.reverse()]
}
