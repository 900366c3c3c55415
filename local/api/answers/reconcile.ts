import * as v from 'valibot'
import type { routes } from '../../../functions/reconcile.ts'
import { type Answers, content, ok } from '../answer.ts'
import {
  Candidates,
  Extended,
  Manifest,
  ProposedProperties,
  ResolvedLink,
  SuggestedEntities,
  SuggestedTypes,
} from '../shapes/doors.ts'

const asked = v.union([Candidates, Extended])

export const reconcile: Answers<typeof routes> = {
  'GET /data/reconcile/': {
    says: 'Describe the reconciliation service, or ask it by a query',
    more: 'Give this address to OpenRefine as that of a service.',
    gives: ok(v.union([Manifest, asked])),
  },
  'POST /data/reconcile/': {
    says: 'Match names with records, or take values from records',
    more: 'Up to 100 `queries`, each answered by its name, or `extend` with up to 500 ids: as a form, or as JSON.',
    gives: ok(asked),
  },
  'GET /data/reconcile/suggest/entity/': { says: 'Complete the name of a record', gives: ok(SuggestedEntities) },
  'GET /data/reconcile/suggest/property/': { says: 'Complete the name of a property', gives: ok(SuggestedTypes) },
  'GET /data/reconcile/suggest/type/': { says: 'Complete the name of a type', gives: ok(SuggestedTypes) },
  'GET /data/reconcile/properties/': { says: 'List what records of a type say', gives: ok(ProposedProperties) },
  'GET /data/resolve/': {
    says: 'Find the records that claim to be a thing of another collection',
    more: 'However the link is written: `wd:Q37`, `https://www.wikidata.org/wiki/Q37`, `gn:1283240`, `aat:300007544`.',
    gives: ok(ResolvedLink),
  },
  'GET /data/resolve/shared/': {
    says: 'List links that several records claim',
    more: 'At most one of them is right, or they are about one thing. Follow `next`; a part may be empty.',
    gives: ok(v.object({ results: v.array(ResolvedLink), next: v.nullable(v.string()) })),
  },
  'GET /data/reconcile/preview/{entity_id}/': { says: 'Show a record in a frame', gives: content('text/html') },
}
