import type { routes } from '../../../functions/assertions.ts'
import { LINKED } from '../../../lib/http/media.ts'
import { type Answers, made, ok, page, represented } from '../answer.ts'
import { LinkedClaim, LinkedClaims } from '../shapes/linked.ts'
import { Assertion, NewAssertion } from '../shapes/record.ts'
import { Predicate } from '../shapes/service.ts'

export const linkedToo = 'With `Accept: application/ld+json` as linked data (CIDOC-CRM, PROV-O).'

export const assertions: Answers<typeof routes> = {
  'GET /cidoc/assertions/': {
    says: 'List the claims, of a record or of all',
    more: linkedToo,
    gives: represented(page(Assertion), { [LINKED]: LinkedClaims }),
  },
  'POST /cidoc/assertions/': {
    says: 'Claim something about a record',
    more: 'It waits for review and meets the conflict check. A relationship has the property `relationship.CODE` and the other record in `object_entity_type` and `object_entity_id`.',
    gives: made(NewAssertion),
  },
  'GET /cidoc/assertions/{id}/': {
    says: 'Read a claim',
    more: linkedToo,
    gives: represented(ok(Assertion), { [LINKED]: LinkedClaim }),
  },
  'PATCH /cidoc/assertions/{id}/': { says: 'Settle a claim', gives: ok(Assertion) },
  'GET /cidoc/relationship-predicates/': { says: 'List the relationships that there can be', gives: page(Predicate) },
}
