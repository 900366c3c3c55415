import { amended, parse, put, says } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { get, queryAll } from '../table/read.ts'
import { changeInbox, type Inbox, inbox, isRead, notification, plus } from './notifications.ts'

/**
 * Puts right how many an inbox holds, and how many of them are unread, by what is there. Whoever adds or marks one meanwhile changes the
 * inbox, so that it is counted anew. Answers whether it was wrong.
 */
export const recountInbox = (user_id: string): Promise<boolean> =>
  changeInbox(async () => {
    const box = await get(inbox, { user_id })
    if (!box) return { result: false, writes: [] }
    const items = await queryAll(key.notification(user_id, '').pk, '')
    const all = items.filter(({ type }) => type === notification.type).map((item) => parse(notification, item))
    const counted = { held: sizesOf(all), unread: sizesOf(all.filter((it) => !isRead(it, box))) }
    // A type of which none is left may stand as none.
    if (says({ held: nonZero(box.held), unread: nonZero(box.unread) }, counted)) return { result: false, writes: [] }
    return { result: true, writes: [put(inbox, amended<Inbox>(box, counted), box)] }
  })

const sizesOf = (some: readonly { notification_type: string }[]): Record<string, number> =>
  some.reduce<Record<string, number>>((sizes, it) => plus(sizes, it.notification_type, 1), {})

const nonZero = (sizes: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(sizes).filter(([, n]) => n !== 0))
