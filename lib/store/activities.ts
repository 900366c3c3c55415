import type { Actor } from '../permissions.ts'
import { maySee } from '../permissions.ts'
import { parse } from '../table/item.ts'
import { key } from '../table/keys.ts'
import type { Stored } from '../table/read.ts'
import { type Place, readList } from './lists.ts'
import { type Activity, activity, activityList, activityTypes, type Head, head } from './record-items.ts'
import { keyOf, loadByUsername } from './users.ts'

export type Filter = {
  username?: string | undefined
  activity_type?: string | undefined
  forward?: boolean | undefined
}
export type Feed = {
  count: number
  results: { activity: Activity; about: Head | undefined }[]
  found: ReadonlyMap<string, Stored>
  first?: string | undefined
  last?: string | undefined
}

/**
 * One page of the feed of everyone, or of one person, or of one type: a call for the rows, and one for the size with
 * the records and people they name. `about` is missing where the caller may not see the record.
 */
export async function list(
  { username, activity_type, forward }: Filter,
  actor: Actor | null,
  place: Place,
): Promise<Feed> {
  const by = username === undefined ? undefined : await loadByUsername(username)
  const nobody = username !== undefined && !by
  if (nobody || (activity_type && !activityTypes.some((it) => it === activity_type)))
    return { count: 0, results: [], found: new Map() }
  const pk = activityList(by?.id, activity_type)
  const index = by ? (activity_type ? 'owner_kind' : 'owner') : activity_type ? 'kind' : 'every'
  const listing = await readList(
    { partitions: [{ index, pk }], counted: [pk], ...(forward && { forward }) },
    place,
    (items) => items.map((item) => parse(activity, item)).flatMap((it) => [key.head(it.entity_id), keyOf(it.user_id)]),
  )
  const results = listing.items.map((item) => {
    const row = parse(activity, item)
    const { pk: at, sk } = key.head(row.entity_id)
    const stored = listing.found.get(`${at} ${sk}`)
    const about = stored && parse(head, stored)
    return { activity: row, about: about && maySee(actor, about) ? about : undefined }
  })
  return { ...listing, results }
}
