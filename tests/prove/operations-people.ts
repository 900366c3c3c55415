import { argon2Sync } from 'node:crypto'
import { type Base, verdict } from './base.ts'
import { at, post, type Row } from './operation.ts'
import type { Answer } from './requests.ts'
import { moduleIn } from './world/processes.ts'
import type { World } from './world/world.ts'

/** What people do about themselves, their tokens and each other, and what they are refused. */
const last = (made: readonly Answer[]) => made.at(-1)?.body ?? {}
const signedIn = () => post('dev', '/api/dev/login/', { email: 'dev@heritage.test' })
const refreshed = (b: Base) => post('dev', '/api/token/refresh/', { refresh: b.tokens.refresh })
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const cookieOf = (answer: Answer | undefined) => answer?.cookies[0]?.split(';')[0] ?? ''

/** What the address of a letter ends in, of the last one to somebody in which there is one. */
function tokenIn(world: World, who: string, page: string): string {
  const own = world.letters.filter(({ to }) => to === `${who}@heritage.test`)
  const found = own.map((it) =>
    new RegExp(`letters/${page}/\\?token=([^\\s>]+)`).exec(it.text + JSON.stringify(it.headers)),
  )
  return found.findLast(Boolean)?.[1] ?? ''
}
/** Somebody wants letters, and has got the one that asks whose the address is. */
const asked = (who: string) => [
  { does: (world: World) => amendUser(world, `${who}@heritage.test`, { email_verified: false }) },
  { who, method: 'PUT', path: '/data/notifications/letters/', sent: { body: { mode: 'at_once' } } },
  {
    does: async (world: World, made: readonly Answer[]) => {
      await world.function('letters')
      Object.assign(last(made), { token: tokenIn(world, who, 'confirm') })
    },
  },
]

/** Changes a user as the service itself may have done long ago. */
async function amendUser(world: World, email: string, changes: object): Promise<void> {
  const users = await moduleIn(0, 'lib/platform/users/users.ts')
  const { inUnit } = await moduleIn(0, 'lib/platform/unit-of-work.ts')
  await world.run({ name: 'long ago', process: 0 }, async () => {
    const { id } = await users.loadUserByEmail(email)
    return inUnit((unit: object) => users.amendUser(unit, id, () => changes))
  })
}
const INFO = () => '/api/user/info/'

export const peopleRows: readonly Row[] = [
  [
    'hook an address with a password',
    400,
    'dev',
    'POST',
    () => '/api/user/hooks/',
    () => ({ url: 'http://someone:secret@receiver.example/' }),
    undefined,
    { changes: false },
  ],
  ['sign out', 200, 'dev', 'POST', () => '/data/blacklist/', (b) => ({ refresh: b.tokens.refresh })],
  ['give up an access token', 200, 'dev', 'POST', () => '/data/blacklist/', (b) => ({ token: b.tokens.access })],
  [
    'sign out of the browser',
    200,
    null,
    'POST',
    () => '/api/dev/logout/',
    undefined,
    () => [signedIn()],
    { headers: (_, made) => ({ cookie: cookieOf(made[0]) }) },
  ],
  [
    'use a token that was used',
    401,
    null,
    'POST',
    () => '/api/token/refresh/',
    (b) => ({ refresh: b.tokens.refresh }),
    (b) => [refreshed(b)],
  ],
  [
    'ask with a key',
    200,
    null,
    'GET',
    () => '/api/user/info/',
    undefined,
    undefined,
    { headers: (b) => bearer(b.key.token) },
  ],
  [
    'confirm an address',
    200,
    null,
    'POST',
    (_, made) => `/data/notifications/letters/confirm/?token=${last(made).token}`,
    () => ({}),
    () => asked('reviewer'),
  ],
  [
    'confirm an address in a browser',
    303,
    null,
    'POST',
    (_, made) => `/data/notifications/letters/confirm/?token=${last(made).token}`,
    () => ({}),
    () => asked('reviewer'),
    { headers: () => ({ accept: 'text/html' }) },
  ],
  [
    'dismiss a member',
    204,
    'dev',
    'DELETE',
    (b, made) => at(b.projects.draft, `memberships/${last(made).id}/`),
    undefined,
    (b) => [post('dev', at(b.projects.draft, 'memberships/'), { user_id: b.ids.other, role: 'editor' })],
  ],
  [
    'unsay in a project',
    204,
    'dev',
    'DELETE',
    (b, made) => at(b.projects.draft, `comments/${last(made).id ?? last(made).comment_id}/`),
    undefined,
    (b) => [post('dev', at(b.projects.draft, 'comments/'), { comment: 'Who comes along?' })],
  ],
  [
    'moderate',
    200,
    'staff',
    'POST',
    (b) => `/data/contribution-queue/${b.pending.cultural_entity_id}/moderate/`,
    () => ({ action: 'accept', comment: '' }),
  ],
  [
    'delete by its other address',
    204,
    'staff',
    'DELETE',
    (b) => `/data/cultural-entities/${b.second.cultural_entity_id}/`,
  ],
  [
    'say what is flagged already',
    400,
    'reviewer',
    'PATCH',
    (_, made) => `/data/review-flags/${last(made).id}/`,
    () => ({ flag_type: 'other' }),
    (b) => [
      post('reviewer', '/data/review-flags/', {
        entity: b.pending.cultural_entity_id,
        flag_type: 'low_confidence',
        reason: 'Hm.',
      }),
    ],
    { changes: false },
  ],
  [
    'flag twice',
    400,
    'reviewer',
    'POST',
    () => '/data/review-flags/',
    (b) => ({ entity: b.pending.cultural_entity_id, flag_type: 'other', reason: 'Again.' }),
    undefined,
    { changes: false },
  ],
  [
    'decide on what is decided',
    409,
    'expert',
    'POST',
    (b) => verdict(b.pending, {}).path,
    () => ({ verdict: 'accept' }),
    (b) => [verdict(b.pending, { verdict: 'accept' })],
    { changes: false },
  ],
  [
    'claim what another has',
    409,
    'expert',
    'POST',
    (b) => `/data/review-queue/${b.pending.cultural_entity_id}/claim/`,
    undefined,
    (b) => [post('reviewer', `/data/review-queue/${b.pending.cultural_entity_id}/claim/`)],
    { changes: false },
  ],
  [
    'sign in with a password',
    200,
    null,
    'POST',
    () => '/api/token/',
    () => ({ username: 'new', password: WORDS }),
    () => [post('dev', '/api/register/', { email: 'new@heritage.test', password: WORDS })],
  ],
  [
    'sign in with a password that was hashed for less',
    200,
    null,
    'POST',
    () => '/api/token/',
    () => ({ username: 'new', password: WORDS }),
    () => [
      post('dev', '/api/register/', { email: 'new@heritage.test', password: WORDS }),
      { does: (world) => amendUser(world, 'new@heritage.test', { password: HASHED_FOR_LESS }) },
    ],
  ],
  [
    'register where somebody has the name',
    201,
    null,
    'POST',
    () => '/api/register/',
    () => ({ email: 'dev@elsewhere.test', password: WORDS }),
  ],
  ['come from the provider', 200, null, 'GET', INFO, undefined, undefined, { headers: () => bearer('of-maya') }],
  [
    'come from the provider as somebody who is known',
    200,
    null,
    'GET',
    INFO,
    undefined,
    undefined,
    { headers: () => bearer('of-other') },
  ],
]
const WORDS = 'a pass phrase of many words'
const SALT = Buffer.from('sixteen letters.')
const TAG = argon2Sync('argon2id', {
  ...{ message: Buffer.from(WORDS), nonce: SALT, tagLength: 32 },
  ...{ memory: 8192, passes: 1, parallelism: 1 },
})
const inPhc = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
const HASHED_FOR_LESS = `$argon2id$v=19$m=8192,t=1,p=1$${inPhc(SALT)}$${inPhc(TAG)}`
