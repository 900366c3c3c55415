import type { Key } from '../../engines/table/index.ts'
import type { User } from '../users/users.ts'

/** The parts of a request that may identify its caller. */
export type Credentials = {
  headers: Readonly<Record<string, string>>
  cookie?: string | undefined
  method: string
  origin: string
  /** Keys of items that the request needs later. For our own tokens, the call that reads the caller reads these items, too. */
  extraKeys?: readonly Key[]
}
/** Credentials with the bearer token, which is empty if there is none. */
export type ShownCredentials = Credentials & { token: string }
/**
 * Returns the user of these credentials, or undefined. Never throws for a token of another issuer. Fails with `ProviderAway` if the
 * provider that must check the token does not answer. Fails with `LinkRefused` if the provider confirms the person, but the account with
 * their address is another's.
 */
export type Authenticator = (shown: ShownCredentials) => Promise<User | undefined>
