import { AsyncLocalStorage } from 'node:async_hooks'
import { cut } from '../../engines/matching/index.ts'

/** A remark on a member of a request that has no effect or is doubtful. `member` is its path, such as `assertion.confidense`. */
export type Warning = { member: string; message: string }

const storage = new AsyncLocalStorage<Warning[]>()

/** Runs the work of one request. Warnings of the work are added to `warnings`. */
export const gatherWarnings = <T>(warnings: Warning[], work: () => Promise<T>): Promise<T> =>
  storage.run(warnings, work)

/** Adds a warning to the answer of the present request, unless it is there already: a unit of work that is retried warns again. */
export function warn(warning: Warning): void {
  const warnings = storage.getStore()
  const isSame = ({ member, message }: Warning) => member === warning.member && message === warning.message
  if (warnings?.some(isSame) === false) warnings.push(warning)
}

/** Adds the warnings of the present request to a JSON object, as its member `warnings`. Other bodies stay as they are. */
export function withWarnings(body: unknown): unknown {
  const warnings = storage.getStore() ?? []
  return warnings.length > 0 && isPlain(body) && !('warnings' in body) ? { ...body, warnings: [...warnings] } : body
}

/** The header `Warning` for a body that is not a JSON object: warn-code 299 of RFC 7234, in ASCII. */
export function warningHeader(body: unknown): Record<string, string> {
  const warnings = storage.getStore() ?? []
  if (warnings.length === 0 || isPlain(body)) return {}
  const texts = warnings
    .slice(0, 5)
    .map(({ member, message }) => `299 - ${JSON.stringify(ascii(`${member}: ${message}`))}`)
  return { warning: texts.join(', ') }
}

const isPlain = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && !Array.isArray(body) && !(body instanceof Uint8Array)
const ascii = (text: string) => cut(text, 200).replace(/[^\x20-\x7e]/g, '?')

/** Whether `Prefer: handling=strict` refuses unknown and malformed members (RFC 7240). The first `handling` counts. */
export const isStrict = ({ headers }: { headers: Readonly<Record<string, string>> }): boolean =>
  /(?:^|[,;\s])handling\s*=\s*"?([a-z]+)"?/i.exec(headers.prefer ?? '')?.[1]?.toLowerCase() === 'strict'
