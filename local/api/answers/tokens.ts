import type { routes } from '../../../functions/tokens.ts'
import { type Answers, made, ok } from '../answer.ts'
import { Registered, Tokens } from '../shapes/account.ts'
import { Detail } from '../shapes/common.ts'

const register = {
  says: 'Make an account',
  more: 'Without a username one is made from the email address.',
  gives: made(Registered),
}

export const tokens: Answers<typeof routes> = {
  'POST /api/token/': {
    says: 'Sign in',
    more: 'By `email` or `username`, and password.',
    gives: ok(Tokens),
    refuses: [401],
  },
  'POST /api/token/refresh/': {
    says: 'Renew the access token',
    more: 'The refresh token is renewed too: one that is used twice ends its whole session.',
    gives: ok(Tokens),
    refuses: [401],
  },
  'POST /data/blacklist/': {
    says: 'Sign out: end the session of a token',
    more: 'One of the three members is needed; access tokens are taken too.',
    gives: ok(Detail),
  },
  'POST /api/register/': register,
  'POST /data/register/': register,
  'POST /api/dev/login/': {
    says: 'Sign in as a seeded user, in dev mode',
    more: 'Also sets the cookie of a session. Outside of dev mode it is refused.',
    gives: ok(Tokens),
    refuses: [403],
  },
  'POST /api/dev/logout/': { says: 'End the session of the cookie, in dev mode', gives: ok(Detail), refuses: [403] },
}
