import { recordId } from '../../lib/base/ids/address.ts'
import { vocabulary } from '../../lib/domain/search-words/vocabulary.ts'
import type { SearchDocument } from '../../lib/engines/search/document.ts'
import { provideVocabulary } from '../../lib/engines/search/vocabulary.ts'

provideVocabulary(vocabulary)

const at = '2025-01-01T00:00:00.000Z'

/** The search document of a public structure with a title only. `also` replaces or adds members. */
export const documentOf = (number: number, title: string, also: Partial<SearchDocument> = {}): SearchDocument => ({
  id: recordId(8, number),
  resource: 'structures',
  object_pk: String(number),
  title,
  names: [],
  summary: '',
  text: '',
  location_hint: '',
  point: null,
  status: 'accepted',
  is_published: true,
  access_tier: 'public',
  contributor_id: null,
  created_at: at,
  updated_at: at,
  popularity_score: 0,
  version: 1,
  ...also,
})
