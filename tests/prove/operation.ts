import type { Base } from './base.ts'
import type { Answer, Request } from './requests.ts'
import type { Step } from './steps.ts'

/** A sort of change that the service makes, as one request to the world as it begins. */
export type Operation = {
  name: string
  /** `made`: what has come of the requests before it. */
  request: (base: Base, made: readonly Answer[]) => Request
  gives: number
  /** What is done before, one after the other. */
  before: (base: Base) => readonly Step[]
  /** Whether something that lasts must have changed when it is answered. */
  changes: boolean
  /** Whether it comes at once, before what follows of what was done before. */
  atOnce: boolean
  /** What its answer must say. */
  says: RegExp
  /** It does without calls of this sort: where one fails, it is answered all the same. */
  spares: RegExp | undefined
  /** It names the version that was read: whoever was overtaken since is refused, also the second time. */
  namesVersion: boolean
}

/** A row: who, method, path, body, and what it gives; what is done before, with nothing going wrong. */
export type Row = [
  name: string,
  gives: number,
  who: string | null,
  method: string,
  path: (base: Base, made: readonly Answer[]) => string,
  body?: ((base: Base, made: readonly Answer[]) => unknown) | undefined,
  before?: ((base: Base) => readonly Step[]) | undefined,
  more?: {
    /** A caller that takes it up again comes without a key. */
    keyless?: boolean
    /** It is refused, or it only reads. */
    changes?: boolean
    atOnce?: boolean
    says?: RegExp
    spares?: RegExp
    namesVersion?: boolean
    headers?: (base: Base, made: readonly Answer[]) => Record<string, string>
  },
]

export const operationOf = ([name, gives, who, method, path, body, before, more = {}]: Row): Operation => ({
  name,
  gives,
  changes: more.changes ?? true,
  atOnce: more.atOnce ?? false,
  says: more.says ?? /^/,
  spares: more.spares,
  namesVersion: more.namesVersion ?? false,
  before: (base) => before?.(base) ?? [],
  request: (base, made) => {
    const isKeyed = method === 'POST' && !more.keyless
    const headers = {
      ...(isKeyed && { 'idempotency-key': `once-${name.replaceAll(' ', '-')}` }),
      ...more.headers?.(base, made),
    }
    return {
      who,
      method,
      path: path(base, made),
      sent: { ...(body && { body: body(base, made) }), ...(Object.keys(headers).length > 0 && { headers }) },
    }
  },
})

/** A project's address. */
export const at = (slug: string, rest = ''): string => `/data/projects/${slug}/${rest}`
export const remove = (who: string, path: string): Request => ({ who, method: 'DELETE', path })
export const post = (who: string, path: string, body?: unknown): Request => ({
  who,
  method: 'POST',
  path,
  sent: body === undefined ? {} : { body },
})
export const patch = (who: string, path: string, body: unknown): Request => ({
  who,
  method: 'PATCH',
  path,
  sent: { body },
})

/** A form with one file in it. */
export function fileForm(
  bytes: Uint8Array,
  name: string,
  type: string,
  more: Record<string, string> = {},
  member = 'file',
) {
  const form = new FormData()
  form.set(member, new File([Uint8Array.from(bytes)], name, { type }))
  for (const [key, value] of Object.entries(more)) form.set(key, value)
  return form
}
