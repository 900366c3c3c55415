import * as v from 'valibot'
import { sealText, unsealText } from '../../platform/http/seal.ts'

/** Addresses that work without signing in. Their tokens are sealed, so nobody can guess a token, or read from it whose it is. */

const [FEED, STOP] = ['watch feed', 'stop watching']

/** The address of a watch for a reader of Atom feeds. It works until the watch is stopped. */
export const feedLink = (origin: string, user_id: string, id: string): string =>
  `${origin}/data/watches/feed/?token=${sealText(JSON.stringify([user_id, id]), FEED)}`

/** The link that stops one watch, or without `id` all that the person watches. */
export const stopWatchingLink = (origin: string, user_id: string, id?: string): string =>
  `${origin}/data/watches/stop/?token=${sealText(JSON.stringify(id === undefined ? [user_id] : [user_id, id]), STOP)}`

type Linked = { user_id: string; id: string | undefined }
const Payload = v.union([v.strictTuple([v.string()]), v.strictTuple([v.string(), v.string()])])

const readToken = (token: string, context: string): Linked | undefined => {
  const plain = unsealText(token, context)
  const payload = plain === undefined ? undefined : v.safeParse(Payload, JSON.parse(plain))
  if (!payload?.success) return undefined
  const [user_id, id] = payload.output
  return { user_id, id }
}

/** The watch that a token of a feed names. Undefined if the token is invalid. */
export function readFeedToken(token: string): { user_id: string; id: string } | undefined {
  const linked = readToken(token, FEED)
  return linked?.id === undefined ? undefined : { user_id: linked.user_id, id: linked.id }
}

/** What a token stops: one watch, or all of a person. Undefined if the token is invalid. */
export const readStopWatchingToken = (token: string): Linked | undefined => readToken(token, STOP)
