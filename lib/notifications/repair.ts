import { amended, parse, put, says } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { getMany, itemIn, queryAll } from '../table/read.ts'
import { endIn, withheld } from './announcements.ts'
import { changeInbox, type Inbox, inbox, isRead, notification } from './items.ts'
import type { Announced } from './places.ts'
import { markedBetween } from './read-marks.ts'
import { plus, type Sizes, sumOf } from './sizes.ts'

/**
 * Puts right how many an inbox holds, how many of them are unread, and what of the announcements is read or withheld, by what is there.
 * Whoever adds or marks one meanwhile changes the inbox, so that it is counted anew. Answers whether it was wrong.
 */
export const recountInbox = (user_id: string): Promise<boolean> =>
  changeInbox(async () => {
    const found = await getMany([key.inbox(user_id), key.announcedEnd], true)
    const box = itemIn(found, inbox, { user_id })
    if (!box) return { result: false, writes: [] }
    const items = await queryAll(key.notification(user_id, '').pk, '')
    const all = items.filter(({ type }) => type === notification.type).map((item) => parse(notification, item))
    const announced = box.announced && (await recounted(user_id, box.announced, endIn(found).n))
    const counted = { held: sizesOf(all), unread: sizesOf(all.filter((it) => !isRead(it, box))), announced }
    // A type of which none is left may stand as none.
    if (says(inShort(box), inShort(counted))) return { result: false, writes: [] }
    return { result: true, writes: [put(inbox, amended<Inbox>(box, counted), box)] }
  })

/** What the marks of an inbox come to. Those that have expired are not counted, and nothing asks for them any more. */
async function recounted(user_id: string, it: Announced, end: number): Promise<Announced> {
  const { pk, sk } = key.withheld(user_id, '')
  const apart = (await queryAll(pk, sk)).map((item) => parse(withheld, item))
  const unread = apart.filter(({ n }) => n > it.read_through.n)
  const passed = sumOf([sizesOf(unread), await markedBetween(user_id, it.read_through.n, end)])
  return { ...it, passed, withheld: apart.at(-1)?.by ?? it.withheld }
}

const sizesOf = (some: readonly { notification_type: string }[]): Record<string, number> =>
  some.reduce<Record<string, number>>((sizes, it) => plus(sizes, it.notification_type, 1), {})

const inShort = ({ held, unread, announced }: Pick<Inbox, 'held' | 'unread' | 'announced'>) => ({
  ...{ held: nonZero(held), unread: nonZero(unread) },
  ...{ passed: nonZero(announced?.passed ?? {}), withheld: nonZero(announced?.withheld ?? {}) },
})
const nonZero = (sizes: Sizes) => Object.fromEntries(Object.entries(sizes).filter(([, n]) => n !== 0))
