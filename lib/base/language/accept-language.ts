import Negotiator from 'negotiator'
import { type Language, languages } from './languages.ts'

/** Longer headers are cut before they are parsed. */
const MOST_CHARACTERS_OF_HEADER = 500

/**
 * The language that an Accept-Language header prefers (RFC 9110, 12.5.4). English if the header is malformed, or names no language of the
 * service.
 */
export function preferredLanguage(header: string | undefined): Language {
  if (header === undefined) return 'en'
  const negotiator = new Negotiator({ headers: { 'accept-language': header.slice(0, MOST_CHARACTERS_OF_HEADER) } })
  const language = negotiator.language([...languages])
  return languages.find((it) => it === language) ?? 'en'
}
