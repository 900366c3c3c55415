import type { Document, FacetName } from '../document.ts'

/**
 * A document holds the ids of the records that it links to, not their names: these are documents themselves, looked up when a
 * question is asked. So a new name counts at once for all that link to it, and a hidden one is told to nobody.
 */

/** The term under which documents are listed that link to a record; no word is spelt so. */
export const linkTerm = (id: string): string => `@${id}`
export const isLinkTerm = (term: string): boolean => term.startsWith('@')

/** What a document is counted under in a facet: the first of its values, behind the link that it is the words for. */
export function labelOf({ links, values }: Document, facet: FacetName): string {
  const words = values?.[facet]?.[0] ?? ''
  const link = links?.find((it) => it.facet === facet)
  return link ? `${linkTerm(link.id)} ${words}` : words
}

/** The two parts of such a label. */
export function linkIn(label: string): { id: string | undefined; words: string } {
  if (!isLinkTerm(label)) return { id: undefined, words: label }
  const end = label.indexOf(' ')
  return { id: label.slice(1, end), words: label.slice(end + 1) }
}
