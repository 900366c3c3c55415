import type { routes } from '../../../functions/search.ts'
import { type Answers, ok } from '../answer.ts'
import { Completions, Discovery, SearchedByKind, SearchResults } from '../shapes/search.ts'

export const search: Answers<typeof routes> = {
  'GET /data/search/': {
    says: 'Find records, projects and people',
    more: 'In any script and spelling. Whoever is not signed in is shown what is published. `facets` is null unless it is asked for.',
    gives: ok(SearchResults),
  },
  'GET /data/search/suggest/': { says: 'Complete what is being typed', gives: ok(Completions) },
  'GET /cidoc/search/': {
    says: 'Find records of ten kinds in which a text stands as it was typed',
    more: 'Of each kind fifty at most, the newest first.',
    gives: ok(SearchedByKind),
    id: 'getCidocSearch',
  },
  'GET /cidoc/discovery/': {
    says: 'List the newest of what is published, or what fits a text',
    more: 'A hundred at most. `counts` says how many there are of each sort, whatever `type` is.',
    gives: ok(Discovery),
  },
}
