import * as v from 'valibot'
import type { routes } from '../../../functions/hooks.ts'
import { type Answers, made, nothing, ok } from '../answer.ts'
import { Delivery, Hook, NewHook } from '../shapes/doors.ts'

export const hooks: Answers<typeof routes> = {
  'GET /api/user/hooks/': { says: 'List the own hooks', gives: ok(v.object({ results: v.array(Hook) })) },
  'POST /api/user/hooks/': {
    says: 'Be told of changes of public records',
    more: [
      'Within a minute the address gets `{hook, changes}` by POST, up to 100 changes as the feed tells them, in its order, with',
      '`X-Signature: sha256=<HMAC of the body>`, `X-Delivery-Id` and `X-Event`. Five seconds each; again after 30 s, 2 min,',
      '10 min, 1 h and 4 h, then it is given up. Only public addresses that begin with https:, no redirects. The secret of the',
      'signature is shown once.',
    ].join(' '),
    gives: made(NewHook),
  },
  'GET /api/user/hooks/{id}/': { says: 'Read a hook', gives: ok(Hook) },
  'DELETE /api/user/hooks/{id}/': { says: 'Remove a hook', gives: nothing },
  'GET /api/user/hooks/{id}/deliveries/': {
    says: 'Read what was sent to a hook',
    more: 'The newest hundred of the last 30 days.',
    gives: ok(v.object({ results: v.array(Delivery) })),
  },
  'POST /api/user/hooks/{id}/deliveries/{delivery_id}/send/': { says: 'Send a message again', gives: ok(Delivery) },
}
