import Negotiator from 'negotiator'
import { type Language, languages } from './languages.ts'

/** No honest header is longer; the rest is not read. */
const LONGEST = 500

/**
 * The language that an Accept-Language header asks for (RFC 9110, 12.5.4). What is malformed or unknown asks for
 * English.
 */
export function preferredLanguage(header: string | undefined): Language {
  if (header === undefined) return 'en'
  const asked = new Negotiator({ headers: { 'accept-language': header.slice(0, LONGEST) } })
  const found = asked.language([...languages])
  return languages.find((it) => it === found) ?? 'en'
}
