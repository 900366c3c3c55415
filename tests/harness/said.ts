import { speakerOf } from '../../lib/base/language/catalogue.ts'
import { nepali } from '../../lib/base/language/nepali.ts'

/** Fails where an answer tells its reader something in English that the catalogue cannot say in Nepali. */
export function expectSayable(it: { method: string; path: string; status: number; body: unknown }): void {
  const unsaid = toldIn(it).filter((text) => text !== '' && say(text) === text && !/\p{Script=Devanagari}/u.test(text))
  if (unsaid.length === 0) return
  throw new Error(
    `lib/base/language/nepali has nothing for what ${it.method} ${it.path} answers (${it.status}): ${JSON.stringify(unsaid)}`,
  )
}

const say = speakerOf(nepali)

/** The texts of an error, and the warnings of any answer. */
function toldIn({ status, body }: { status: number; body: unknown }): string[] {
  if (!isObject(body)) return []
  const { warnings, ...rest } = body
  const warned = Array.isArray(warnings) ? warnings.map(({ message }) => String(message)) : []
  if (status < 400 || status > 499) return warned
  return [...warned, ...(typeof rest.detail === 'string' ? [rest.detail] : textsIn(rest))]
}

const isObject = (it: unknown): it is Record<string, unknown> =>
  typeof it === 'object' && it !== null && !Array.isArray(it)

const textsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : []
