import type { Say } from '../../base/language/catalogue.ts'
import { sayIn } from '../../base/language/say.ts'
import { Reply } from './reply.ts'
import type { Request } from './request.ts'

/**
 * Replies are made and stored in English. `translateReply` translates at the end of a request: error texts, warnings, and the members in
 * `translatedPaths` of the route.
 */

/**
 * Translates a reply into the language of the request. `paths` lead to its translatable texts, such as `results.*.message`. An empty
 * list means that the handler has translated the reply itself.
 */
export async function translateReply(reply: Reply, request: Request, paths?: readonly string[]): Promise<Reply> {
  const { status, body, headers, cookies } = reply
  if (!isErrorOrWarns(reply) && paths === undefined && !request.isTranslated) return reply
  const allHeaders = { 'content-language': request.language, ...headers }
  if (request.language === 'en' || !isPlain(body)) return new Reply(status, body, allHeaders, cookies)
  const say = await sayIn(request.language)
  return new Reply(status, translateBody(status, body, paths ?? [], say), allHeaders, cookies)
}

const WARNING_PATH = 'warnings.*.message'

function translateBody(status: number, body: object, paths: readonly string[], say: Say): unknown {
  if (status >= 400 && !('detail' in body)) return translateAll(body, say)
  const all = status < 400 ? [...paths, WARNING_PATH] : ['detail', WARNING_PATH]
  return all.reduce<unknown>((translated, path) => translateAtPath(translated, path.split('.'), say), body)
}

/** Whether a reply has texts for a reader in any case: it is an error, or has warnings. */
const isErrorOrWarns = ({ status, body }: Reply) => isPlain(body) && (status >= 400 || 'warnings' in body)

const isPlain = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && !Array.isArray(body) && !(body instanceof Uint8Array)

/** Translates the texts at a path. `*` means every element of a list and every member of an object. */
function translateAtPath(value: unknown, [name, ...deeper]: readonly string[], say: Say): unknown {
  if (name === undefined) return typeof value === 'string' ? say(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return name === '*' ? value.map((item) => translateAtPath(item, deeper, say)) : value
  const members = Object.entries(value).map(([key, member]) => [
    key,
    name === '*' || name === key ? translateAtPath(member, deeper, say) : member,
  ])
  return Object.fromEntries(members)
}

/** Translates every text, at any depth. An error by member holds nothing but texts. */
function translateAll(value: unknown, say: Say): unknown {
  if (typeof value === 'string') return say(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => translateAll(item, say))
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, translateAll(member, say)]))
}
