import { boolean, relation, text } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { riteFields, tookPlaceAt } from './schema/slots.ts'

export const kumari_selection = defineRecordKind({
  key: 'kumari_selection',
  code: 18,
  segment: 'kumari_selections',
  label: 'Kumari Selection',
  labelPlural: 'Kumari Selections',
  description: 'The rites and tests by which a new living goddess is found.',
  classUri: 'heritageGraph:LivingGoddessSelection',
  className: 'LivingGoddessSelection',
  typeScope: 'kumariselection',
  category: 'kumari',
  icon: 'crown',
  navigable: true,
  queueCategory: 'ritual',
  fields: {
    selected_person: relation('person', 'Person', 'Selected', 'The girl who was chosen.', {
      slot_uri: 'heritageGraph:selected_person',
    }),
    initiated_tenure: relation('kumari_tenure', 'LivingGoddessTenure', 'Began tenure', 'The tenure it began.', {
      slot_uri: 'heritageGraph:initiated_tenure',
    }),
    selection_criteria_met: text('Criteria met', 'The signs and tests that were met.', {
      slot_uri: 'heritageGraph:selection_criteria_met',
      multivalued: true,
      maxLength: 2000,
    }),
    took_place_at: tookPlaceAt,
    is_critical_for_festival: boolean('Needed for a festival', 'Whether a festival depends on it.', {
      slot_uri: 'heritageGraph:is_critical_for_festival',
    }),
    ...riteFields,
  },
  search: ['name', 'name_ne', 'alternate_names', 'selected_person', 'description'],
  hub: {
    hubCategory: 'kumari',
    emoji: '🌺',
    shortDescription: 'How a living goddess is chosen',
    description: 'Add the selection of a Kumari: the signs, the tests, the tenure it began.',
    difficulty: 'advanced',
  },
})
