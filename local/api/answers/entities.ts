import * as v from 'valibot'
import type { routes } from '../../../functions/entities.ts'
import { LINKED, MAPPED } from '../../../lib/http/media.ts'
import { type Answers, made, nothing, ok, page, represented } from '../answer.ts'
import { Message, uuid, Values } from '../shapes/common.ts'
import { Contribution, ContributionDetail, OwnContribution, Revision } from '../shapes/entity.ts'
import { featureOf, featuresOf, LinkedData, LinkedList } from '../shapes/linked.ts'
import { Facets } from '../shapes/search.ts'
import { otherwise } from './records.ts'

/** The values of the record's kind, at the top or wrapped. */
const ValuesOfKind = v.looseObject({ form_data: v.nullish(Values), data: v.nullish(Values) })
const wrapped = "The members are those of the record's kind, at the top or wrapped in `form_data` or `data`."

export const entities: Answers<typeof routes> = {
  'GET /data/cultural-entities/': {
    says: 'List the contributions of every kind',
    more: `With \`search\`, the best fit comes first. ${otherwise}`,
    gives: represented(page(Contribution, { facets: v.optional(Facets) }), {
      [LINKED]: LinkedList,
      [MAPPED]: featuresOf(uuid, Contribution),
    }),
  },
  'POST /data/cultural-entities/': {
    says: 'Contribute a cultural entity',
    more: wrapped,
    gives: made(ContributionDetail),
    takes: ValuesOfKind,
  },
  'GET /data/cultural-entities/my_contributions/': { says: 'List the own contributions', gives: page(OwnContribution) },
  'GET /data/cultural-entities/{entity_id}/': {
    says: 'Read a contribution with its history',
    more: `${otherwise} Linked data is of the published values, under the address of the record.`,
    gives: represented(ok(ContributionDetail), {
      [LINKED]: LinkedData,
      [MAPPED]: featureOf(uuid, ContributionDetail),
    }),
  },
  'PUT /data/cultural-entities/{entity_id}/': {
    says: 'Replace the values of a contribution',
    more: wrapped,
    gives: ok(ContributionDetail),
    takes: ValuesOfKind,
  },
  'PATCH /data/cultural-entities/{entity_id}/': {
    says: 'Change values of a contribution',
    more: wrapped,
    gives: ok(ContributionDetail),
    takes: ValuesOfKind,
  },
  'DELETE /data/cultural-entities/{entity_id}/': { says: 'Delete a contribution', gives: nothing },
  'POST /data/cultural-entities/{entity_id}/restore/': {
    says: 'Restore a contribution',
    gives: ok(ContributionDetail),
  },
  'POST /data/cultural-entities/{entity_id}/create_revision/': {
    says: 'Propose a revision',
    more: `Of what is published, changes are sent to its own address. ${wrapped}`,
    gives: made(Revision),
    takes: ValuesOfKind,
  },
  'POST /data/cultural-entities/{entity_id}/submit_for_review/': {
    says: 'Send a draft into review',
    gives: ok(Message),
    shows: () => ({ message: 'Submitted for review.' }),
  },
}
