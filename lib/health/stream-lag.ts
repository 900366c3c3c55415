import { clock } from '../clock.ts'
import { activityList, historyAudiences } from '../records/items.ts'
import { key } from '../table/keys.ts'
import { getMany, itemAt, type Stored, walk } from '../table/read.ts'
import { raise } from '../table/write.ts'

/** So long a change may wait before the projector counts as late: the stream itself takes a second or two. */
const PATIENCE_MS = 60_000

/** Writes down that the projector has taken in what was changed until then, in milliseconds since 1970. */
export const follow = (through: number): Promise<void> => raise(key.progress(), through)

/** Whether changes under this partition key are to be taken in: all but how far it has come and what it tells search. */
export const isFollowed = (pk: string | undefined): boolean => pk === undefined || !own.has(pk)

const own = new Set([key.progress(), key.searchEnd(), key.searchEntry(0)].map(({ pk }) => pk))

export type Lag = { late: boolean; seconds: number }

/** How far the projector is behind the newest activity. A query for each audience of the feed and one read, whatever the size of the table. */
export async function lag(): Promise<Lag> {
  const at = key.progress()
  const [newest, found] = await Promise.all([newestActivities(), getMany([at])])
  const times = newest.map(timeOf).filter((time) => time !== undefined)
  const changed = times.length > 0 ? Math.max(...times) : undefined
  const through = Number(itemAt(found, at)?.n ?? 0)
  // The stream counts whole seconds.
  const behind = changed !== undefined && Math.floor(changed / 1000) > Math.floor(through / 1000)
  const waited = behind ? clock.now().getTime() - changed : 0
  return { late: waited > PATIENCE_MS, seconds: Math.max(0, Math.round(waited / 1000)) }
}

const newestActivities = async () => {
  const lists = historyAudiences.map((audience) => activityList(audience))
  return (await Promise.all(lists.map((pk) => walk({ index: 'gsi2', pk, forward: false, limit: 1 }, 1)))).flat()
}

const timeOf = (activity: Stored | undefined): number | undefined =>
  activity === undefined ? undefined : Date.parse(String(activity.created_at))
