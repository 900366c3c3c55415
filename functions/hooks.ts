import * as v from 'valibot'
import { changeSorts } from '../lib/changes/items.ts'
import { notFound } from '../lib/errors.ts'
import { deliveryView } from '../lib/hooks/deliver.ts'
import * as hooks from '../lib/hooks/hooks.ts'
import { answering, creating } from '../lib/http/answering.ts'
import { members, REQUIRED, webAddress } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { ById, uuid } from '../lib/http/params.ts'
import { noContent } from '../lib/http/reply.ts'
import { actorRoute, changeRoute, type Routes, readRoute } from '../lib/http/route.ts'
import { loadDelivery, sendAgain, sentTo } from '../lib/projects/webhook-deliveries.ts'

/** Some of a list, each once; all of it where nothing is said. */
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
const OfHook = v.object({ id: uuid, delivery_id: uuid })

const subject = async ({ id }: { id: string }) => {
  const found = await hooks.load(id)
  return found && { ...found, contributor_id: found.user_id, public: false }
}

/** Where people and their programs want to be told of changes of public records. */
export const routes = {
  'GET /api/user/hooks/': actorRoute({
    permission: 'hook.own',
    handle: async ({ actor }) => ({ results: (await hooks.list(actor.id)).map(hooks.hookView) }),
  }),

  // The secret is in this answer and in no other.
  'POST /api/user/hooks/': actorRoute({
    permission: 'hook.own',
    body: NewHook,
    handle: async ({ actor, body, request }) =>
      creating(
        () => hooks.create(actor, body, request.origin),
        ({ made, secret }) => ({ ...hooks.hookView(made), secret }),
      ),
  }),

  'GET /api/user/hooks/{id}/': readRoute({
    permission: 'hook.read',
    params: ById,
    subject,
    handle: async ({ subject: it }) => hooks.hookView(it),
  }),

  'DELETE /api/user/hooks/{id}/': changeRoute({
    permission: 'hook.change',
    params: ById,
    subject,
    handle: async ({ subject: it }) => {
      await hooks.removeHook(it.id)
      return noContent()
    },
  }),

  'GET /api/user/hooks/{id}/deliveries/': readRoute({
    permission: 'hook.read',
    params: ById,
    subject,
    handle: async ({ subject: it }) => ({ results: (await sentTo(it.id, MOST_SHOWN)).map(deliveryView) }),
  }),

  'POST /api/user/hooks/{id}/deliveries/{delivery_id}/send/': changeRoute({
    permission: 'hook.change',
    params: OfHook,
    subject,
    handle: async ({ subject: it, params: { delivery_id } }) => {
      if (!(await loadDelivery(delivery_id, it.id))) throw notFound()
      return answering(
        () => sendAgain(delivery_id),
        (next) => next && deliveryView(next),
      )
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)
