import './name-words.ts'
import type { Vocabulary } from '../../engines/search/index.ts'
import { concepts, conceptsByResource, sortByResource } from './concepts.ts'
import { facets } from './facets.ts'
import { grammar } from './grammar/grammar.ts'
import { superlatives } from './grammar/superlatives.ts'
import { reaches } from './reaches.ts'

/** The vocabulary of heritage. lib/domain/composition.ts hands it to the search engine. */
export const vocabulary = (): Vocabulary => ({
  concepts: concepts(),
  sortByResource,
  conceptsByResource: conceptsByResource(),
  facets,
  placeFacet: 'place',
  sample,
  grammar: grammar(),
  reaches,
  superlatives,
  peopleResources: ['persons'],
  madeResources: ['structures', 'monuments', 'iconographic_objects', 'productions'],
})

/** Text that is typical of documents. The engine makes its compression dictionary from it. */
const sample = `temple in the valley of Nepal, built by, of stone and brick, is worshipped during the festival, ward, Durbar Square,
  {"type":["Temple"],"place":["Kathmandu, Bhaktapur, Lalitpur"],"style":["Pagoda"],"period":["Malla"],"deity":["Shiva"]}
  {"from":1600,"to":1699,"approximate":true} मन्दिर users persons cultural_entities locations review_queue "pending_review",false,
  ["00000000-0000-8000-8000-000000000000","structures","1"," Temple",[],"",{"lat":27.67,"lng":85.32},"accepted",true,"public",null,"2025-01-01T10:00:00.000Z","2025-01-01T10:00:00.000Z",0,1,null,null,{},null,""]`
