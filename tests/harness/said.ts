import { speakerOf } from '../../lib/base/language/catalogue.ts'
import { nepali } from '../../lib/base/language/nepali.ts'

/** Fails if an error or a warning of an answer has no Nepali in the catalogue. */
export function expectSayable(it: { method: string; path: string; status: number; body: unknown }): void {
  const untranslated = messagesIn(it).filter(
    (text) => text !== '' && say(text) === text && !/\p{Script=Devanagari}/u.test(text),
  )
  if (untranslated.length === 0) return
  throw new Error(
    `lib/base/language/nepali has no Nepali for the answer of ${it.method} ${it.path} (${it.status}): ${JSON.stringify(untranslated)}`,
  )
}

const say = speakerOf(nepali)

/** The texts of an error with status 4xx, and the warnings of any answer. */
function messagesIn({ status, body }: { status: number; body: unknown }): string[] {
  if (!isObject(body)) return []
  const { warnings, ...rest } = body
  const warningTexts = Array.isArray(warnings) ? warnings.map(({ message }) => String(message)) : []
  if (status < 400 || status > 499) return warningTexts
  return [...warningTexts, ...(typeof rest.detail === 'string' ? [rest.detail] : textsIn(rest))]
}

const isObject = (it: unknown): it is Record<string, unknown> =>
  typeof it === 'object' && it !== null && !Array.isArray(it)

const textsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : []
