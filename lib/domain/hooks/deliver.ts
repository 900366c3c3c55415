import * as v from 'valibot'
import { newId } from '../../base/clock.ts'
import { isDone } from '../../base/errors.ts'
import * as s from '../../base/shapes.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import { put, withNextVersion } from '../../engines/table/index.ts'
import type { Entry } from '../feed/items.ts'
import { listChangesAfter } from '../feed/read.ts'
import { changeView } from '../feed/view.ts'
import { type Delivery, deliveryFor } from '../webhooks/deliveries.ts'
import { send } from '../webhooks/send.ts'
import { type Hook, hook, isGuarded, loadHook, nextHooks, secretOf } from './hooks.ts'

/** Hooks read with one query, and changes put into one message. */
const HOOKS_AT_ONCE = 50
const PAGE = 100
/** Pages of the feed read for one hook in one visit. */
const MOST_PAGES = 10

/** Stores messages for all hooks with the changes that each has not got yet, in the order of the feed. Returns how many. */
export async function fillBoxes(): Promise<number> {
  let filled = 0
  for (let beyond: string | undefined, more = true; more; ) {
    const { hooks, at } = await nextHooks(beyond, HOOKS_AT_ONCE)
    for (const each of await Promise.all(hooks.map(fillBox))) filled += each
    more = hooks.length === HOOKS_AT_ONCE
    beyond = at
  }
  return filled
}

async function fillBox(found: Hook): Promise<number> {
  let filled = 0
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const it = await loadHook(found.id)
    const entries = it ? await listChangesAfter(it.position, PAGE) : []
    if (!it || entries.length === 0) return filled
    filled += await storeMessage(it, entries)
  }
  return filled
}

/** Stores the message and the new position in one transaction, so no change is sent twice or left out. */
async function storeMessage(it: Hook, entries: readonly Entry[]): Promise<number> {
  const wanted = entries.filter(({ change, kind }) => it.changes.includes(change) && it.kinds.includes(kind))
  const next = withNextVersion<Hook>(it, { position: entries.at(-1)?.number ?? it.position })
  const body = JSON.stringify({ hook: it.id, changes: wanted.map((each) => changeView(each, it.origin)) })
  const message = wanted.length > 0 ? [deliveryFor(it.id, { id: newId(), event: 'records.changed', body })] : []
  // A conflict: another visit was faster, or the hook has just been removed.
  return (await isDone(commitWrites([put(hook, next, it), ...message]))) ? message.length : 0
}

/** Sends a message to its hook. If the hook has been removed, nothing is sent and the delivery counts as done. */
export async function sendToHook(it: Delivery): Promise<void> {
  const to = it.hook_id === null ? undefined : await loadHook(it.hook_id)
  if (to) await send(to.url, it, { secret: secretOf(to), guarded: isGuarded() })
}

export const DeliveryView = s.shape('Delivery', () =>
  v.object({
    id: s.uuid,
    event: s.text,
    state: s.oneOf(['waiting', 'delivered', 'dead']),
    attempts: s.whole,
    next_at: s.maybe(s.time),
    last_error: s.maybe(s.text),
    created_at: s.time,
    body: s.text,
  }),
)

/** A delivery as the owner of the hook sees it. */
export const deliveryView = (it: Delivery) => ({
  id: it.id,
  event: it.event,
  state: it.state,
  attempts: it.attempts,
  next_at: it.state === 'waiting' ? it.next_at : null,
  last_error: it.last_error || null,
  created_at: it.created_at,
  body: it.body,
})
