import { locationStatus, locationType } from './schema/enums.ts'
import { relations, select } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { note, point } from './schema/slots.ts'

export const location = defineRecordKind({
  key: 'location',
  code: 2,
  segment: 'locations',
  label: 'Place / Location',
  labelPlural: 'Places / Locations',
  description: 'A place where heritage stands or happens.',
  classUri: 'crm:E53_Place',
  className: 'Place',
  typeScope: 'location',
  category: 'spatiotemporal',
  icon: 'map-pin',
  navigable: true,
  queueCategory: 'other',
  fields: {
    coordinates: point,
    type: select('Type', 'What kind of place it is.', locationType, {
      slot_uri: 'crm:P2_has_type',
      aliases: ['place_type', 'location_type'],
    }),
    current_status: select('State', 'The state it is in today.', locationStatus),
    note,
    contains_structure: relations('structure', 'ArchitecturalStructure', 'Contains', 'Structures that stand there.', {
      slot_uri: 'crm:P53i_is_former_or_current_location_of',
    }),
  },
  search: ['name', 'name_ne', 'alternate_names', 'description'],
  hub: {
    hubCategory: 'spatiotemporal',
    emoji: '📍',
    shortDescription: 'A square, town or site',
    description: 'Add a place, so that buildings, festivals and people can be tied to it.',
    difficulty: 'beginner',
  },
})
