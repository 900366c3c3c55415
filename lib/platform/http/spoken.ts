import type { Say } from '../../base/language/catalogue.ts'
import { sayIn } from '../../base/language/say.ts'
import { Reply } from './reply.ts'
import type { Request } from './request.ts'

/**
 * Answers are made in English, kept so, and said in the language of their reader at the very end: errors and warnings of
 * all, of others the members that their routes name (`says`).
 */

/**
 * A reply in the language of the request; `says` are paths of members that hold texts of ours, `results.*.message`;
 * an empty list is that of a route which speaks by itself.
 */
export async function translateReply(reply: Reply, request: Request, says?: readonly string[]): Promise<Reply> {
  const { status, body, headers, cookies } = reply
  if (!isTold(reply) && says === undefined && !request.spoke) return reply
  const own = { 'content-language': request.language, ...headers }
  if (request.language === 'en' || !isPlain(body)) return new Reply(status, body, own, cookies)
  const say = await sayIn(request.language)
  const all = status < 400 ? [...(says ?? []), WARNED] : 'detail' in body ? ['detail', WARNED] : undefined
  const said = all ? all.reduce<unknown>((it, path) => saidAt(it, path.split('.'), say), body) : saidAll(body, say)
  return new Reply(status, said, own, cookies)
}

const WARNED = 'warnings.*.message'

/** Whether a reply is an error, or warns: these are words for a reader. */
const isTold = ({ status, body }: Reply) => isPlain(body) && (status >= 400 || 'warnings' in body)

const isPlain = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && !Array.isArray(body) && !(body instanceof Uint8Array)

/** Texts at a path; `*` is each member of what stands there. */
function saidAt(value: unknown, [name, ...rest]: readonly string[], say: Say): unknown {
  if (name === undefined) return typeof value === 'string' ? say(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return name === '*' ? value.map((it) => saidAt(it, rest, say)) : value
  const said = Object.entries(value).map(([key, it]) => [
    key,
    name === '*' || name === key ? saidAt(it, rest, say) : it,
  ])
  return Object.fromEntries(said)
}

/** Every text, however deep it lies: errors by member hold nothing else. */
function saidAll(value: unknown, say: Say): unknown {
  if (typeof value === 'string') return say(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((it) => saidAll(it, say))
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, saidAll(it, say)]))
}
