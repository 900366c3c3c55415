import Negotiator from 'negotiator'

/** Longer headers are cut: no honest client sends one. */
const MOST_CHARACTERS = 1000

/** A header without a media range excludes nothing. */
const MEDIA_RANGE = /(?:^|,)\s*[\w!#$&.+^*-]+\/[\w!#$&.+^*-]+\s*(?:;|,|$)/
/** Parameters of a range that are no weight. They are ignored, since the offered types have none. Example: `profile="..."`. */
const OTHER_PARAMETER = /;(?!\s*q=[01](?:\.\d{0,3})?\s*(?:[;,]|$))[^;,="]*(?:=(?:"[^"]*"|[^;,]*))?/gi

/**
 * Chooses the media type for an Accept header (RFC 9110, 12.5.1). The highest weight wins, then the most exact range, then the first in the
 * header, then the first offered. Without a media range it is the first offered. Undefined if the header excludes all of them.
 */
export function preferredType(header = '', offered: readonly string[]): string | undefined {
  const accept = header.slice(0, MOST_CHARACTERS).replace(OTHER_PARAMETER, '')
  if (!MEDIA_RANGE.test(accept)) return offered[0]
  return new Negotiator({ headers: { accept } }).mediaType([...offered])
}
