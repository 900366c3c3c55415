import type { Key } from '../../engines/table/index.ts'
import type { User } from '../users/users.ts'

/** What a request shows of its caller. */
export type Credentials = {
  headers: Readonly<Record<string, string>>
  cookie?: string | undefined
  method: string
  origin: string
  /** What the request will ask for once more: read together with the caller, where one call reads the caller. */
  beside?: readonly Key[]
}
/** Credentials with the bearer token taken out: text that may be a token, or empty. */
export type ShownCredentials = Credentials & { token: string }
/** Answers the user whose credentials these are, or nothing. Never throws for a token that is not its own. */
export type Authenticator = (shown: ShownCredentials) => Promise<User | undefined>
