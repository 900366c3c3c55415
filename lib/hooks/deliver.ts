import type { Entry } from '../changes/items.ts'
import { changesAfter } from '../changes/read.ts'
import { changeView } from '../changes/view.ts'
import { newId } from '../clock.ts'
import { isDone } from '../errors.ts'
import { send } from '../projects/webhook.ts'
import { type Delivery, deliveryFor } from '../projects/webhook-deliveries.ts'
import { amended, put } from '../table/item.ts'
import { transact } from '../table/write.ts'
import { type Hook, hook, isGuarded, load, nextHooks, secretOf } from './hooks.ts'

/** So many hooks are looked at together, and so many changes are in a message. */
const AT_ONCE = 50
const PAGE = 100
/** So many pages of the feed are read for one hook in one visit. */
const MOST_PAGES = 10

/** Puts what hooks are to hear of into the box, in the order of the feed. Answers how many messages that are. */
export async function fillBoxes(): Promise<number> {
  let filled = 0
  for (let beyond: string | undefined, more = true; more; ) {
    const { hooks, at } = await nextHooks(beyond, AT_ONCE)
    for (const each of await Promise.all(hooks.map(fillBox))) filled += each
    more = hooks.length === AT_ONCE
    beyond = at
  }
  return filled
}

async function fillBox(found: Hook): Promise<number> {
  let filled = 0
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const it = await load(found.id)
    const entries = it ? await changesAfter(it.position, PAGE) : []
    if (!it || entries.length === 0) return filled
    filled += await moveOn(it, entries)
  }
  return filled
}

/** The message and the place behind it are one write: so nothing is told twice or left out. */
async function moveOn(it: Hook, entries: readonly Entry[]): Promise<number> {
  const wanted = entries.filter(({ change, kind }) => it.changes.includes(change) && it.kinds.includes(kind))
  const next = amended<Hook>(it, { position: entries.at(-1)?.number ?? it.position })
  const body = JSON.stringify({ hook: it.id, changes: wanted.map((each) => changeView(each, it.origin)) })
  const message = wanted.length > 0 ? [deliveryFor(it.id, { id: newId(), event: 'records.changed', body })] : []
  // Another visit was faster, or the hook has just been removed.
  return (await isDone(transact([put(hook, next, it), ...message]))) ? message.length : 0
}

/** Sends a message to the hook that it is for; a hook that is gone gets nothing, and that is the end of it. */
export async function sendToHook(it: Delivery): Promise<void> {
  const to = it.hook_id === null ? undefined : await load(it.hook_id)
  if (to) await send(to.url, it, { secret: secretOf(to), guarded: isGuarded() })
}

/** A message as its owner reads the log. */
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
