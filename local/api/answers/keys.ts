import * as v from 'valibot'
import type { routes } from '../../../functions/keys.ts'
import { type Answers, made, nothing, ok } from '../answer.ts'
import { Key, NewKey } from '../shapes/doors.ts'

export const keys: Answers<typeof routes> = {
  'GET /api/user/keys/': { says: 'List the own keys', gives: ok(v.object({ results: v.array(Key) })) },
  'POST /api/user/keys/': {
    says: 'Make a key',
    more: [
      'The token is shown once: keep it. It is sent as `Authorization: Bearer`, and has no rights of staff or reviewers. `read`',
      'reads what its owner reads, `propose` sends in records, edits, claims, sources and flags, `import` fills projects. What',
      'was sent with it names the key in its provenance (`software`).',
    ].join(' '),
    gives: made(NewKey),
  },
  'DELETE /api/user/keys/{id}/': { says: 'Revoke a key', gives: nothing },
}
