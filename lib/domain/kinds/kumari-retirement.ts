import { relation, relations } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { riteFields, tookPlaceAt } from './schema/slots.ts'

export const kumari_retirement = defineRecordKind({
  key: 'kumari_retirement',
  code: 19,
  segment: 'kumari_retirements',
  label: 'Kumari Retirement',
  labelPlural: 'Kumari Retirements',
  description: 'The end of a tenure, when the goddess is held to leave the girl.',
  classUri: 'heritageGraph:LivingGoddessRetirement',
  className: 'LivingGoddessRetirement',
  typeScope: 'kumariretirement',
  category: 'kumari',
  icon: 'crown',
  navigable: true,
  queueCategory: 'ritual',
  fields: {
    ended_tenure_of: relation('kumari_tenure', 'LivingGoddessTenure', 'Ended tenure', 'The tenure it ended.', {
      slot_uri: 'heritageGraph:ended_tenure_of',
    }),
    took_place_at: tookPlaceAt,
    ...riteFields,
    carried_out_by: relations('person', 'Person', 'Carried out by', 'The people who carried it out.', {
      slot_uri: 'crm:P14_carried_out_by',
    }),
  },
  search: ['name', 'name_ne', 'alternate_names', 'ended_tenure_of', 'description'],
  hub: {
    hubCategory: 'kumari',
    emoji: '🍂',
    shortDescription: 'How a tenure ends',
    description: 'Add the retirement of a Kumari and the tenure it ended.',
    difficulty: 'advanced',
  },
})
