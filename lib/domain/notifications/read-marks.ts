import * as v from 'valibot'
import { defineItem, parse, put, queryAllBetween, type Write } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { expiryOf } from './items.ts'

/** The mark that one reader has read one announcement. Only announcements later than the inbox's `read_through` need one. */
export const readMark = defineItem({
  type: 'read_mark',
  schema: v.object({
    user_id: v.string(),
    notification_id: v.string(),
    created_at: v.string(),
    version: v.number(),
  }),
  key: (it: { user_id: string; notification_id: string }) => key.readMark(it.user_id, it.notification_id),
  expires: expiryOf,
})

/** The write that marks an announcement as read. The transaction fails with `conflict` if it is marked already. */
export const addReadMark = (user_id: string, it: { notification_id: string; created_at: string }): Write =>
  put(readMark, { user_id, notification_id: it.notification_id, created_at: it.created_at, version: 1 }, undefined)

/** Loads the ids of the announcements that the reader has marked, from the first to the last of these ids. One call, or none without ids. */
export async function loadReadMarks(user_id: string, ids: readonly string[]): Promise<Set<string>> {
  const sorted = ids.toSorted()
  const [first, last] = [sorted.at(0), sorted.at(-1)]
  if (first === undefined || last === undefined) return new Set()
  const { pk, sk } = key.readMark(user_id, first)
  const items = await queryAllBetween(pk, sk, key.readMark(user_id, last).sk)
  return new Set(items.map((item) => parse(readMark, item).notification_id))
}
