/**
 * The identity provider of the world: a token `of-NAME` is of the person with that name, whose address it vouches for. Answers
 * what it says of them, or nothing.
 */
export function provider({ headers }: RequestInit): unknown {
  const [, name] = /^Bearer of-(\w+)$/.exec(new Headers(headers).get('authorization') ?? '') ?? []
  const email = `${name}@heritage.test`
  return name && { sub: `subject-${name}`, email, email_verified: true, given_name: name, family_name: 'Shakya' }
}
