// To search: the model of this process, and a cache for its answers.

export { answerCache } from './answer-cache.ts'
export { needsSearch, openSearchModel, openSearchModelIfAny } from './open.ts'
export type { Facets, Hit, MapResult, Meaning, Model, SearchQuery, SearchResult, SortOrder } from './query.ts'
export { isSomewhere, MOST_KM, readWhere, type WhereQuery as Where, whereEntries } from './where.ts'

// To write: documents and their changes.

export { appendChanges } from './append.ts'
export { type DocumentChange as Change, provideDocuments, type SearchDocument as Document } from './document.ts'
export { withholdHidden } from './withhold.ts'

// To keep the engine in order: snapshots, rebuilds, health.

export { checkSearch, compactIfDue, compactSearch, describeSearch, rebuildSearch, rollBackSearch } from './upkeep.ts'

// Words of the field: the application hands them in by `provideVocabulary`. `synonyms.ts` is an
// entry of its own: it folds names to their meaning.

export {
  type Concept,
  type ConceptSource,
  type GrammarPhrase,
  type GrammarRole,
  type GrammarSide,
  grammarRoles,
  grammarSides,
  provideVocabulary,
  type SearchVocabulary as Vocabulary,
} from './vocabulary.ts'
