import type { SearchDocument } from '../document.ts'

// A document contains the ids of the records that it links to, not their names. Names are looked up with each question. So
// a new name is found at once, and nobody sees the name of a hidden record.

/** The term of a link. No word begins with `@`. */
export const linkTerm = (id: string): string => `@${id}`
const isLinkTerm = (term: string): boolean => term.startsWith('@')

/** The label under which a facet counts a document: its first value, with the link of that value before it. */
export function facetLabel({ links, values }: SearchDocument, facet: string): string {
  const value = values?.[facet]?.[0] ?? ''
  const link = links?.find((candidate) => candidate.facet === facet)
  return link ? `${linkTerm(link.id)} ${value}` : value
}

/** Takes a label apart into the id of the link, if it has one, and the words. */
export function parseFacetLabel(label: string): { id: string | undefined; words: string } {
  if (!isLinkTerm(label)) return { id: undefined, words: label }
  const end = label.indexOf(' ')
  return { id: label.slice(1, end), words: label.slice(end + 1) }
}
