// To ask: the model of this process, and answers that it gave a moment ago.

export { answerCache } from './answer-cache.ts'
export { needsSearch, openSearchModel, openSearchModelIfAny } from './open.ts'
export type { Facets, Hit, MapResult, Model, SearchQuery, SearchResult, SortOrder } from './query.ts'
export { isSomewhere, readWhere, type WhereQuery as Where, whereEntries } from './where.ts'

// To tell: documents, and changes of them.

export { type DocumentChange as Change, provideDocuments, type SearchDocument as Document } from './document.ts'
export { appendChanges } from './log.ts'

// Words of the field: `provideVocabulary` takes them. `meaningOf` serves those who compare names.

export { meaningOf } from './synonyms.ts'
export { type Concept, provideVocabulary, type SearchVocabulary as Vocabulary } from './vocabulary.ts'
