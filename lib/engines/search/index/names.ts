import type { SearchDocument } from '../document.ts'
import { type ConceptSource, loadedVocabulary } from '../vocabulary.ts'
import { splitWords, type Word } from './words.ts'

// The documents of some resources are concepts by their names: a question that names Patan means all that belongs to Patan. These documents
// are listed under their whole names as terms. So the next question finds what was added a moment ago, and no list of names is held in
// memory.

/** The term of a whole name. No word begins with `~`. */
export const nameTerm = (terms: string): string => `~${terms}`

/** The most names of a document by which it is a concept, and the most words of such a name. */
const MOST_NAMES = 12
const MOST_WORDS = 4
/** The fewest letters of such a name. A shorter word too often means something else. */
const SHORTEST = 3

/** How the documents of a resource are concepts. Undefined if they are none. */
export const conceptSource = (resource: string): ConceptSource | undefined =>
  loadedVocabulary().conceptsByResource?.[resource]

const namesByDocument = new WeakMap<SearchDocument, string[][]>()

/** The names by which a document is a concept. Remembered with the document, since a question asks for them often. */
export function conceptNames(document: SearchDocument): string[][] {
  const known = namesByDocument.get(document)
  if (known) return known
  const names = listConceptNames(document)
  namesByDocument.set(document, names)
  return names
}

/**
 * The names by which a document is a concept, each as the terms of its words. A remark in parentheses is a name, too. So is the part before
 * a comma, and a name without its spare words: "Vendar Era" is also "Vendar".
 */
function listConceptNames({ resource, title, names }: SearchDocument): string[][] {
  const source = conceptSource(resource)
  if (!source) return []
  const spare = new Set(source.spareWords?.flatMap((word) => splitWords(word).map(({ term }) => term)))
  const found = new Map<string, string[]>()
  const add = (words: readonly Word[]) => {
    const terms = words.map(({ term }) => term)
    const key = terms.join(' ')
    if (words[0]?.aside === false && key.length >= SHORTEST && terms.length <= MOST_WORDS) found.set(key, terms)
  }
  const all = [title, ...names].slice(0, MOST_NAMES)
  for (const words of withoutSpareInOtherScripts(all, spare)) add(words)
  for (const name of all)
    for (const part of partsOf(name)) {
      const words = splitWords(part)
      add(words)
      // A question drops repeated words, such as the second "of" in "temples of the lord of storms". So the name is also listed without fillers.
      add(words.filter(({ aside }) => !aside))
      add(words.filter(({ term, aside }) => !aside && !spare.has(term)))
    }
  return [...found.values()]
}

/**
 * Shortens names in other scripts by a spare word, such as "Era". The spare word is at the same end as in the title: "ვენდარის ხანა"
 * becomes "ვენდარის", as "Vendar Era" becomes "Vendar".
 */
function withoutSpareInOtherScripts([title = '', ...names]: readonly string[], spare: ReadonlySet<string>): Word[][] {
  const titled = splitWords(title)
  const isSpare = (at: number) => spare.has(titled.at(at)?.term ?? '')
  const [first, last] = [isSpare(0), isSpare(-1)]
  if (titled.length < 2 || first === last) return []
  return names.flatMap((name) => {
    const words = inLatin.test(name) ? [] : splitWords(name)
    return words.length === titled.length ? [first ? words.slice(1) : words.slice(0, -1)] : []
  })
}
const inLatin = /\p{Script=Latin}/u

/** A name without its remark and without what follows a comma, and its remark. */
function partsOf(name: string): string[] {
  const [, before = '', remark = ''] = /^([^(]{0,300})\(([^)]{1,300})\)/.exec(name) ?? []
  const outside = before === '' ? name : before
  return [outside.replace(/,.*$/s, ''), remark]
}

/** The terms of the whole names of a document. */
export const conceptNameTerms = (document: SearchDocument): string[] =>
  conceptNames(document).map((terms) => nameTerm(terms.join(' ')))
