import { provideDocuments, provideVocabulary, withholdHidden } from '../engines/search/index.ts'
import { provideWithholding } from '../platform/unit-of-work.ts'

/*
 * Tells the search engine which items are documents, and which words mean what. Every function that may search, or hide what search
 * finds, imports this file first. `lib/platform/table/lists.ts` does the same for the table engine.
 */

// Only a change of what stands, and a search without a snapshot, make documents.
provideDocuments(async () => {
  const { documentTypes, documentOf } = await import('./effects/search-documents.ts')
  return { types: documentTypes, documentOf }
})
provideWithholding(async (writes) => {
  await withholdHidden(writes)
  // Only a change of a record can hide a node of the graph, so other writes never load this code.
  if (!writes.some(({ type, replaces }) => type === 'record' && replaces)) return
  const { withholdFromGraph } = await import('./graph/withhold.ts')
  await withholdFromGraph(writes)
})
// The words are imported with the first search, so that no start loads them.
provideVocabulary(() => import('./search-words/vocabulary.ts').then(({ vocabulary }) => vocabulary()))
