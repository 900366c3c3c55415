import type { routes } from '../../../functions/assertions.ts'
import { type Answers, made, ok, page } from '../answer.ts'
import { Assertion, NewAssertion } from '../shapes/record.ts'
import { Predicate } from '../shapes/service.ts'

export const assertions: Answers<typeof routes> = {
  'GET /cidoc/assertions/': { says: 'List the claims, of a record or of all', gives: page(Assertion) },
  'POST /cidoc/assertions/': {
    says: 'Claim something about a record',
    more: 'It waits for review and meets the conflict check. A relationship has the property `relationship.CODE` and the other record in `object_entity_type` and `object_entity_id`.',
    gives: made(NewAssertion),
  },
  'GET /cidoc/assertions/{id}/': { says: 'Read a claim', gives: ok(Assertion) },
  'PATCH /cidoc/assertions/{id}/': { says: 'Settle a claim', gives: ok(Assertion) },
  'GET /cidoc/relationship-predicates/': { says: 'List the relationships that there can be', gives: page(Predicate) },
}
