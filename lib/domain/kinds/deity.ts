import { relations, text } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { note } from './schema/slots.ts'

export const deity = defineRecordKind({
  key: 'deity',
  code: 6,
  segment: 'deities',
  label: 'Deity',
  labelPlural: 'Deities',
  description: 'A god, goddess, buddha or bodhisattva, apart from any image of them.',
  classUri: 'crm:E28_Conceptual_Object',
  className: 'Deity',
  typeScope: 'deity',
  category: 'conceptual',
  icon: 'sun',
  navigable: true,
  queueCategory: 'other',
  fields: {
    note,
    religious_tradition: text('Tradition', 'The traditions that worship the deity, separated by commas.', {
      multivalued: true,
    }),
    has_religious_tradition: relations(
      'tradition',
      'ReligiousTradition',
      'Traditions',
      'Recorded traditions to which the deity belongs.',
      { slot_uri: 'crm:P2_has_type' },
    ),
    is_depicted_in: relations('iconography', 'IconographicObject', 'Depicted in', 'Images of the deity.', {
      slot_uri: 'crm:P62i_is_depicted_by',
    }),
    is_invoked_in_ritual: relations('ritual', 'RitualEvent', 'Invoked in', 'Rituals that invoke the deity.', {
      slot_uri: 'crm:P12i_was_present_at',
    }),
    is_enshrined_through_event: relations(
      'enshrinement',
      'Enshrinement',
      'Enshrined in',
      'Events by which the deity came to dwell in a shrine.',
      { slot_uri: 'heritageGraph:is_enshrined_through_event' },
    ),
  },
  search: ['name', 'name_ne', 'alternate_names', 'religious_tradition', 'description'],
  hub: {
    hubCategory: 'conceptual',
    emoji: '🕉️',
    shortDescription: 'A god, goddess or bodhisattva',
    description: 'Add a deity, so that shrines, images and rites can name it.',
    difficulty: 'beginner',
  },
})
