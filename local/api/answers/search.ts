import type { routes } from '../../../functions/search.ts'
import { MAPPED } from '../../../lib/http/media.ts'
import { type Answers, ok, represented, tabled } from '../answer.ts'
import { Completions, Discovery, SearchedByKind, SearchMap, SearchResults } from '../shapes/search.ts'

export const search: Answers<typeof routes> = {
  'GET /data/search/': {
    says: 'Find records, projects and people',
    more: 'In any script and spelling. Whoever is not signed in is shown what is published. `facets` is null unless it is asked for. `interpreted` tells which words were taken for a place, a sort of thing, a deity or a time; `literal=true` takes every word as it is. `bbox` is west,south,east,north; `near` is latitude,longitude; `from` and `to` are years of our era, Bikram Sambat (BS 1759) or Nepal Sambat (NS 822). Without `q` one of these is needed. With `application/geo+json` all that has a place comes at once, or, beyond 5,000 points, cells of a geohash grid.',
    gives: tabled(represented(ok(SearchResults), { [MAPPED]: SearchMap })),
    headers: ['X-Cache'],
  },
  'GET /data/search/suggest/': { says: 'Complete what is being typed', gives: ok(Completions), headers: ['X-Cache'] },
  'GET /cidoc/search/': {
    says: 'Find records of ten kinds in which a text stands as it was typed',
    more: 'Of each kind fifty at most, the newest first.',
    gives: ok(SearchedByKind),
    id: 'getCidocSearch',
  },
  'GET /cidoc/discovery/': {
    says: 'List the newest of what is published, or what fits a text',
    more: 'A hundred at most. `counts` says how many there are of each sort, whatever `type` is.',
    gives: tabled(ok(Discovery)),
  },
}
