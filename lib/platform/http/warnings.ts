import { AsyncLocalStorage } from 'node:async_hooks'
import { cut } from '../../engines/matching/index.ts'

/** What a request says that has no effect, or that is doubtful; `member` is its path, as in `assertion.confidense`. */
export type Warning = { member: string; message: string }

const storage = new AsyncLocalStorage<Warning[]>()

/** Runs the work of one request; `given` gathers what is warned of meanwhile. */
export const gatherWarnings = <T>(given: Warning[], work: () => Promise<T>): Promise<T> => storage.run(given, work)

/** Adds a warning to the answer of the present request. A plan that is made anew warns once. */
export function warn(warning: Warning): void {
  const given = storage.getStore()
  if (given?.some((it) => it.member === warning.member && it.message === warning.message) === false) given.push(warning)
}

/** An answer with the warnings of the present request: a member of JSON objects, a header of all others. */
export function withWarnings(body: unknown): unknown {
  const given = storage.getStore() ?? []
  return given.length > 0 && isPlain(body) && !('warnings' in body) ? { ...body, warnings: [...given] } : body
}

/** The same for an answer that has no members: warn-code 299 of RFC 7234, in ASCII. */
export function warningHeader(body: unknown): Record<string, string> {
  const given = storage.getStore() ?? []
  if (given.length === 0 || isPlain(body)) return {}
  const texts = given
    .slice(0, 5)
    .map(({ member, message }) => `299 - ${JSON.stringify(ascii(`${member}: ${message}`))}`)
  return { warning: texts.join(', ') }
}

const isPlain = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && !Array.isArray(body) && !(body instanceof Uint8Array)
const ascii = (text: string) => cut(text, 200).replace(/[^\x20-\x7e]/g, '?')

/** Whether the client wants what is unknown or malformed refused (RFC 7240). Of several wishes the first counts. */
export const isStrict = ({ headers }: { headers: Readonly<Record<string, string>> }): boolean =>
  /(?:^|[,;\s])handling\s*=\s*"?([a-z]+)"?/i.exec(headers.prefer ?? '')?.[1]?.toLowerCase() === 'strict'
