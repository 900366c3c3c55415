import { provideDocuments, provideVocabulary } from '../engines/search/index.ts'
import { documentOf, documentTypes } from './effects/search-documents.ts'

/*
 * Where the engine of search learns what it works on: which items are documents, and which words mean what. Every function that may
 * search imports this file first. The table engine learns its layout in `lib/platform/table/lists.ts`.
 */

provideDocuments({ types: documentTypes, documentOf })
// The words are imported with the first search, so that no start reads them.
provideVocabulary(() => import('./search-words/vocabulary.ts').then(({ vocabulary }) => vocabulary()))
