import * as v from 'valibot'
import { notFound } from '../lib/base/errors.ts'
import { changeSorts } from '../lib/domain/feed/items.ts'
import { DeliveryView, deliveryView } from '../lib/domain/hooks/deliver.ts'
import * as hooks from '../lib/domain/hooks/hooks.ts'
import { HookView, NewHookView } from '../lib/domain/hooks/hooks.ts'
import { listDeliveriesTo, sendAgain } from '../lib/domain/webhooks/deliveries.ts'
import { creation, empty, ok } from '../lib/platform/http/answer.ts'

import { members, REQUIRED, webAddress } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { ById, uuidText } from '../lib/platform/http/params.ts'
import { replyCreated, replyNoContent } from '../lib/platform/http/reply.ts'
import { actorRoute, changeRoute, type Routes, readRoute } from '../lib/platform/http/route.ts'

/** Some options of a list, each once; all of them if the member is missing. */
const someOf = <const Options extends readonly string[]>(options: Options) => {
  const choices = `Choose one or more of: ${options.join(', ')}.`
  return v.pipe(
    v.optional(v.array(v.picklist(options, choices), choices), () => [...options]),
    v.minLength(1, choices),
    v.transform((it) => [...new Set(it)]),
  )
}
const NewHook = members({
  url: v.pipe(
    v.string(REQUIRED),
    webAddress(1000),
    v.check((it) => it !== '', REQUIRED),
  ),
  changes: someOf(changeSorts),
  kinds: someOf(hooks.hookKinds),
})

const MOST_SHOWN = 100
const OfHook = v.object({ id: uuidText, delivery_id: uuidText })

const subject = async ({ id }: { id: string }) => {
  const found = await hooks.loadHook(id)
  return found && { ...found, contributor_id: found.user_id, public: false }
}

/** Hooks: addresses to which changes of public records are sent. */
export const routes = {
  'GET /api/user/hooks/': actorRoute({
    permission: 'hook.own',
    summary: 'List the own hooks',
    answer: ok(v.object({ results: v.array(HookView) })),
    handle: async ({ actor }) => ({ results: (await hooks.listHooks(actor)).map(hooks.hookView) }),
  }),

  // No other answer contains the secret.
  'POST /api/user/hooks/': actorRoute({
    permission: 'hook.own',
    summary: 'Be told of changes of public records',
    description: [
      'Within a minute the address gets `{hook, changes}` by POST, up to 100 changes as the feed tells them, in its order, with',
      '`X-Signature: sha256=<HMAC of the body>`, `X-Delivery-Id` and `X-Event`. Five seconds each; again after 30 s, 2 min,',
      '10 min, 1 h and 4 h, then it is given up. Only public addresses that begin with https:, no redirects. The secret of the',
      'signature is shown once. A message may come twice, with the same `X-Delivery-Id`, and out of order: compare the `number`',
      'of each change. What was given up stands in `GET /data/changes/`.',
    ].join(' '),
    answer: creation(NewHookView),
    body: NewHook,
    handle: async ({ unit, actor, body, request }) => {
      const { created, secret } = await hooks.createHook(unit, actor, body, request.origin)
      return replyCreated({ ...hooks.hookView(created), secret })
    },
  }),

  'GET /api/user/hooks/{id}/': readRoute({
    permission: 'hook.read',
    summary: 'Read a hook',
    answer: ok(HookView),
    params: ById,
    subject,
    handle: async ({ subject: it }) => hooks.hookView(it),
  }),

  'DELETE /api/user/hooks/{id}/': changeRoute({
    permission: 'hook.change',
    summary: 'Remove a hook',
    answer: empty,
    params: ById,
    subject,
    handle: async ({ unit, subject: it }) => {
      await hooks.removeHook(unit, it.id)
      return replyNoContent()
    },
  }),

  'GET /api/user/hooks/{id}/deliveries/': readRoute({
    permission: 'hook.read',
    summary: 'Read what was sent to a hook',
    description: 'The newest hundred of the last 30 days.',
    answer: ok(v.object({ results: v.array(DeliveryView) })),
    params: ById,
    subject,
    handle: async ({ subject: it }) => ({ results: (await listDeliveriesTo(it.id, MOST_SHOWN)).map(deliveryView) }),
  }),

  'POST /api/user/hooks/{id}/deliveries/{delivery_id}/send/': changeRoute({
    permission: 'hook.change',
    summary: 'Send a message again',
    answer: ok(DeliveryView),
    params: OfHook,
    subject,
    handle: async ({ unit, subject: it, params: { delivery_id } }) => {
      const next = await sendAgain(unit, delivery_id, it.id)
      if (!next) throw notFound()
      return deliveryView(next)
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)
