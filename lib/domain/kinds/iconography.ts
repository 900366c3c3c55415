import { edtfDate, relation, relations, text, thingName } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { datingFields, locationName, note, objectFields } from './schema/slots.ts'

export const iconography = defineRecordKind({
  key: 'iconography',
  code: 15,
  segment: 'iconographic_objects',
  label: 'Iconographic Object',
  labelPlural: 'Iconographic Objects',
  description: 'A statue, scroll painting or other image of the sacred.',
  classUri: 'heritageGraph:IconographicObject',
  className: 'IconographicObject',
  typeScope: 'iconographicobject',
  category: 'tangible',
  icon: 'image',
  navigable: true,
  queueCategory: 'artifact',
  fields: {
    note,
    object_type: text('Object type', 'What it is: a murti, a paubha.', {
      slot_uri: 'crm:P2_has_type',
      maxLength: 100,
    }),
    depicts_deity: relations('deity', 'Deity', 'Depicts', 'The deities it shows.', { slot_uri: 'crm:P62_depicts' }),
    creation_date: edtfDate('Date', 'When it was made.', { example: 'c. 17th century CE' }),
    technique: text('Technique', 'How and of what it was made.', { slot_uri: 'crm:P32_used_general_technique' }),
    location_name: locationName,
    has_current_location: relation('location', 'Place', 'Current location', 'The place where it is kept.', {
      slot_uri: 'crm:P55_has_current_location',
      inlineAuthoring: true,
    }),
    used_by: thingName('Used by', 'The people or groups who use it.', {
      slot_uri: 'crm:P16i_was_used_for',
      multivalued: true,
    }),
    ...objectFields,
    ...datingFields,
  },
  search: ['name', 'name_ne', 'alternate_names', 'depicts_deity', 'description'],
  hub: {
    hubCategory: 'tangible',
    emoji: '🖼️',
    shortDescription: 'A statue or scroll painting',
    description: 'Add a sacred image: whom it shows, where it is, how it was made.',
    difficulty: 'beginner',
  },
})
