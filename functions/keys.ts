import * as v from 'valibot'
import { creating } from '../lib/http/answering.ts'
import { line, members, REQUIRED } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { ById } from '../lib/http/params.ts'
import { noContent } from '../lib/http/reply.ts'
import { actorRoute, changeRoute, type Routes } from '../lib/http/route.ts'
import { keyScopes } from '../lib/permissions.ts'
import { keyView, list, load, make, revoke } from '../lib/users/keys.ts'

const scopes = `Name one or more of: ${keyScopes.join(', ')}.`
const NewKey = members({
  name: v.pipe(
    v.string(REQUIRED),
    line(100),
    v.trim(),
    v.check((it) => it !== '', 'Say what the key is for.'),
  ),
  scopes: v.pipe(v.array(v.picklist(keyScopes, scopes), scopes), v.minLength(1, scopes), v.transform(unique)),
  days: v.pipe(
    v.optional(v.number('Give a number of days.'), 90),
    v.integer('Give a whole number of days.'),
    v.minValue(1, 'A key is good for one day at least.'),
    v.maxValue(366, 'A key is good for 366 days at most.'),
  ),
})

function unique<T>(all: T[]): T[] {
  return [...new Set(all)]
}

/** Keys with which programs call in the name of a person. */
export const routes = {
  'GET /api/user/keys/': actorRoute({
    permission: 'key.own',
    handle: async ({ actor }) => ({ results: (await list(actor.id)).map(keyView) }),
  }),

  // The token is in this answer and in no other.
  'POST /api/user/keys/': actorRoute({
    permission: 'key.own',
    body: NewKey,
    handle: async ({ actor, body }) =>
      creating(
        () => make(actor, body),
        ({ made, token }) => ({ ...keyView(made), token }),
      ),
  }),

  'DELETE /api/user/keys/{id}/': changeRoute({
    permission: 'key.revoke',
    params: ById,
    subject: async ({ id }) => {
      const found = await load(id)
      return found && { ...found, contributor_id: found.user_id, public: false }
    },
    handle: async ({ params: { id } }) => {
      await revoke(id)
      return noContent()
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)
