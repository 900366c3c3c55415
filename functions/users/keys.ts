import * as v from 'valibot'
import { removeHooksOfKey } from '../../lib/domain/hooks/hooks.ts'
import { creation, empty, ok } from '../../lib/platform/http/answer.ts'

import { line, members, REQUIRED } from '../../lib/platform/http/body.ts'
import { ById } from '../../lib/platform/http/params.ts'
import { replyCreated, replyNoContent } from '../../lib/platform/http/reply.ts'
import { actorRoute, changeRoute, type Routes } from '../../lib/platform/http/route.ts'
import { keyScopes } from '../../lib/platform/permissions.ts'
import { createKey, KeyView, keyView, listKeys, loadKey, NewKeyView, revokeKey } from '../../lib/platform/users/keys.ts'

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
export const keys = {
  'GET /api/user/keys/': actorRoute({
    permission: 'key.own',
    summary: 'List the own keys',
    answer: ok(v.object({ results: v.array(KeyView) })),
    handle: async ({ actor }) => ({ results: (await listKeys(actor)).map(keyView) }),
  }),

  // No other answer contains the token.
  'POST /api/user/keys/': actorRoute({
    permission: 'key.own',
    summary: 'Make a key',
    description: [
      'The token is shown once: keep it. It is sent as `Authorization: Bearer`, and has no rights of staff or reviewers. `read`',
      'reads what its owner reads, `propose` sends in records, edits, claims, sources and flags, `import` fills projects, `hook`',
      'makes and removes hooks of its own. What was sent with it names the key in its provenance (`software`).',
    ].join(' '),
    answer: creation(NewKeyView),
    body: NewKey,
    handle: async ({ unit, actor, body }) => {
      const { made, token } = await createKey(unit, actor, body)
      return replyCreated({ ...keyView(made), token })
    },
  }),

  'DELETE /api/user/keys/{id}/': changeRoute({
    permission: 'key.revoke',
    summary: 'Revoke a key',
    description: 'The hooks that were made with it go at once.',
    answer: empty,
    params: ById,
    subject: async ({ id }) => {
      const found = await loadKey(id)
      return found && { ...found, contributor_id: found.user_id, public: false }
    },
    handle: async ({ unit, subject: { id, user_id } }) => {
      await revokeKey(unit, id)
      await removeHooksOfKey(unit, { id, user_id })
      return replyNoContent()
    },
  }),
} satisfies Routes
