import * as v from 'valibot'
import { newId } from '../../base/clock.ts'
import { isDone, orUndo } from '../../base/errors.ts'
import * as s from '../../base/shapes.ts'
import { log } from '../../base/telemetry/log.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import { nextTake, put, remove, type Write, withNextVersion, workOnJobs } from '../../engines/table/index.ts'
import type { FeedEntry } from '../feed/items.ts'
import { listChangesAfter } from '../feed/read.ts'
import { changeView } from '../feed/view.ts'
import { type Delivery, deadDelivery, deliveryFor } from '../webhooks/deliveries.ts'
import { sendMessage } from '../webhooks/send.ts'
import { findVoidHooks, type Hook, hook, isGuarded, listHooksAfter, loadHook, secretOf } from './hooks.ts'

/** Hooks read by one query. */
const HOOKS_IN_PAGE = 50
/** Changes put into one message. */
const CHANGES_IN_MESSAGE = 100
/** The most messages of one hook in one run. */
const MOST_MESSAGES = 10

/**
 * Stores messages for all hooks with the changes that each has not received, in the order of the feed, until `until`, in
 * milliseconds of `performance.now()`. Hooks that are void are removed. Returns the number of messages. Hooks that fail delay no others: each
 * failure is logged, and all are thrown at the end.
 */
export async function fillBoxes(until: number): Promise<number> {
  const failed: unknown[] = []
  const fillOrNote = (it: Hook): Promise<number> =>
    fillBox(it).catch((error: unknown) => {
      log({ level: 'error', message: 'hook', error: `${it.id}: ${error instanceof Error ? error.message : 'unknown'}` })
      failed.push(error)
      return 0
    })
  let stored = 0
  let after: string | undefined
  for (;;) {
    const { hooks, last } = await listHooksAfter(after, HOOKS_IN_PAGE)
    const voidHooks = await findVoidHooks(hooks)
    for (const it of voidHooks) await isDone(commitWrites([remove(hook, it)]))
    const fillable = hooks.filter((it) => !voidHooks.includes(it))
    for (const messages of await workOnJobs(fillable, HOOKS_IN_PAGE, until, fillOrNote)) stored += messages
    if (hooks.length < HOOKS_IN_PAGE || performance.now() >= until) break
    after = last
  }
  if (failed.length > 0) throw new AggregateError(failed, 'hooks that got no message')
  return stored
}

async function fillBox({ id }: Hook): Promise<number> {
  let stored = 0
  for (let message = 0; message < MOST_MESSAGES; message += 1) {
    const current = await loadHook(id)
    const entries = current ? await listChangesAfter(current.position, CHANGES_IN_MESSAGE) : []
    if (!current || entries.length === 0) return stored
    stored += await storeMessage(current, entries)
  }
  return stored
}

/**
 * Stores the message and the new position in one transaction, so no change is sent twice or left out. If three runs in a row ended before
 * that, it stores a dead delivery without changes. Returns how many messages were stored: none after a conflict, if another run was faster
 * or the hook has just been removed.
 */
async function storeMessage(receiver: Hook, entries: readonly FeedEntry[]): Promise<number> {
  const position = entries.at(-1)?.number ?? receiver.position
  const chosen = entries.filter(
    ({ change, kind }) => receiver.changes.includes(change) && receiver.kinds.includes(kind),
  )
  if (chosen.length === 0) {
    await isDone(commitWrites([put(hook, withNextVersion<Hook>(receiver, { position }), receiver)]))
    return 0
  }
  const message = { id: newId(), event: 'records.changed' }
  const takes = nextTake(receiver.takes)
  if (takes === undefined) {
    const body = JSON.stringify({ hook: receiver.id, changes: [] })
    return storeAt(receiver, position, deadDelivery(receiver.id, { ...message, body }, MAKER_ENDED))
  }
  const begun = withNextVersion<Hook>(receiver, { takes })
  if (!(await isDone(commitWrites([put(hook, begun, receiver)])))) return 0
  const work = async () => {
    const changes = chosen.map((entry) => changeView(entry, receiver.origin))
    const body = JSON.stringify({ hook: receiver.id, changes })
    return storeAt(begun, position, deliveryFor(receiver.id, { ...message, body }))
  }
  return orUndo(work, () => commitWrites([put(hook, withNextVersion<Hook>(begun, { takes: 0 }), begun)]))
}

const MAKER_ENDED =
  'The process that put this message together ended three times. These changes stand in /data/changes/.'

/** Stores a message with the position of its hook after it. Returns how many messages were stored. */
async function storeAt(old: Hook, position: number, message: Write): Promise<number> {
  const next = withNextVersion<Hook>(old, { position, takes: 0 })
  return (await isDone(commitWrites([put(hook, next, old), message]))) ? 1 : 0
}

/**
 * Sends a message to its hook. If the hook has been removed or is void, nothing is sent and the delivery counts as done. Fails if the message
 * cannot be signed.
 */
export async function sendToHook(delivery: Delivery): Promise<void> {
  const receiver = delivery.hook_id === null ? undefined : await loadHook(delivery.hook_id)
  if (!receiver || (await findVoidHooks([receiver])).length > 0) return
  const secret = secretOf(receiver)
  if (secret === undefined) throw new Error(SECRET_LOST)
  await sendMessage(receiver.url, delivery, { secret, guarded: isGuarded() })
}

const SECRET_LOST = 'The secret of this hook cannot be read any more, so nothing is signed. Make a new hook.'

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
