import type { SearchDocument } from '../document.ts'

/**
 * A document holds the ids of the records that it links to, not their names. Names are looked up when a question is
 * asked. So a new name counts at once for all that link to it, and a hidden name is shown to nobody.
 */

/** The term under which documents that link to a record are listed. No word begins with `@`. */
export const linkTerm = (id: string): string => `@${id}`
export const isLinkTerm = (term: string): boolean => term.startsWith('@')

/**
 * The label under which a facet counts a document: the first of its values, behind the link that these words stand for.
 */
export function facetLabel({ links, values }: SearchDocument, facet: string): string {
  const words = values?.[facet]?.[0] ?? ''
  const link = links?.find((it) => it.facet === facet)
  return link ? `${linkTerm(link.id)} ${words}` : words
}

/** The two parts of such a label. */
export function parseFacetLabel(label: string): { id: string | undefined; words: string } {
  if (!isLinkTerm(label)) return { id: undefined, words: label }
  const end = label.indexOf(' ')
  return { id: label.slice(1, end), words: label.slice(end + 1) }
}
