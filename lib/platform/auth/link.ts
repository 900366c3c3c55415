import { config } from '../../base/config.ts'
import type { LinkRefusal } from '../../base/errors.ts'
import { subjectWrites, type User, type UserPlan } from '../users/users.ts'

/** The identity providers, the strongest first. A weaker one never signs in to an account that is linked to a stronger one. */
export const providers = ['idp', 'secondary'] as const
export type Provider = (typeof providers)[number]

/** The issuer of a provider. Without a configured issuer it is the name of the provider. */
export const issuerOf = (provider: Provider): string =>
  (provider === 'idp' ? config.IDP_ISSUER : config.SECONDARY_ISSUER) || provider

/** The subject that a provider knows an account by. Older accounts have it under the name of the provider. */
const subjectOf = ({ subjects }: User, provider: Provider): string | undefined =>
  subjects[issuerOf(provider)] ?? subjects[provider]

/**
 * Whether a provider says which address an account has. It must be the strongest provider that is linked to the account, and the account
 * must have no password. The person can then change the address only at the provider.
 */
export const saysAddress = (user: User, provider: Provider): boolean =>
  user.password === '' && providers.find((each) => subjectOf(user, each) !== undefined) === provider

/**
 * The reason why a person of a provider does not get the account with their address. Either another person of this provider has it, or a
 * stronger provider is linked to it. Undefined if the account is theirs, or nobody's yet. OpenID Connect Core 5.7.
 */
export function whyNotLinked(user: User, provider: Provider, sub: string): LinkRefusal | undefined {
  const known = subjectOf(user, provider)
  if (known !== undefined) return known === sub ? undefined : 'another_subject'
  const stronger = providers.slice(0, providers.indexOf(provider))
  return stronger.some((each) => subjectOf(user, each) !== undefined) ? 'weaker_provider' : undefined
}

/**
 * Links an account to a person of a provider. Somebody else may have registered the account with this person's address, so whatever acts
 * for the account ends. This is the password, all sessions and reset links (`token_generation`), keys, hooks, waiting uploads and jobs
 * (`ownership`), and subjects of weaker providers. Seeded users, and accounts that are already linked to this person, lose only subjects of
 * weaker providers.
 */
export function linkPlan(user: User, provider: Provider, sub: string): UserPlan {
  const weaker = providers.slice(providers.indexOf(provider) + 1)
  const replaced = new Set([provider, issuerOf(provider), ...weaker.flatMap((each) => [each, issuerOf(each)])])
  const kept = Object.entries(user.subjects).filter(([issuer]) => !replaced.has(issuer))
  const subjects = { ...Object.fromEntries(kept), [issuerOf(provider)]: sub }
  const isSame = subjectOf(user, provider) === sub
  const ends = isSame || user.seeded ? {} : everythingEnds(user)
  return { changes: { subjects, email_verified: true, ...ends }, also: subjectWrites(user, subjects) }
}

/** The changes that end everything that acts for an account: password, sessions, reset links, keys, hooks, uploads and jobs. */
const everythingEnds = (user: User) => ({
  password: '',
  token_generation: user.token_generation + 1,
  ownership: user.ownership + 1,
})
