import * as v from 'valibot'
import type { routes } from '../../../functions/users.ts'
import { type Answers, ok, page } from '../answer.ts'
import { Account, Profile } from '../shapes/account.ts'
import { UserCard } from '../shapes/common.ts'

const change = {
  says: 'Change the own profile',
  more: 'Only the members that are sent change. `language` (`en`, `ne`) is the one in which the service speaks to the caller whatever `Accept-Language` says, `calendar` the one in which it shows dates where no query names one; empty or null takes the setting back. Only the person sees them.',
  gives: ok(Profile),
}
const rename = {
  says: 'Change the own username',
  gives: ok(v.object({ username: v.string() })),
  refuses: [409],
} as const

export const users: Answers<typeof routes> = {
  'GET /api/user/info/': { says: 'Read the own account', gives: ok(Account) },
  'GET /data/testme/': {
    says: 'Ask whether a token is good',
    gives: ok(v.object({ message: v.string(), roles: v.array(v.string()) })),
  },
  'GET /data/testthelogin/': { says: 'List the users', gives: page(UserCard) },
  'GET /data/user/me/': { says: 'Read the own profile', gives: ok(Profile) },
  'GET /data/user/{slug}/': { says: 'Read a profile by the id of its user', gives: ok(Profile) },
  'GET /data/user/by-username/{username}/': { says: 'Read a profile by username', gives: ok(Profile) },
  'POST /data/user/{slug}/': change,
  'PUT /data/user/{slug}/': change,
  'PATCH /data/user/{slug}/': change,
  'PATCH /user/username/': rename,
  'PUT /user/username/': rename,
}
