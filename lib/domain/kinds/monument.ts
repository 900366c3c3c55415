import { text } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { buildingFields } from './schema/slots.ts'

export const monument = defineRecordKind({
  key: 'monument',
  code: 16,
  segment: 'monuments',
  label: 'Monument',
  labelPlural: 'Monuments',
  description: 'A stupa, chaitya or other Buddhist monument.',
  classUri: 'heritageGraph:BuddhistMonument',
  className: 'BuddhistMonument',
  typeScope: 'monument',
  category: 'tangible',
  icon: 'landmark',
  navigable: true,
  queueCategory: 'monument',
  fields: {
    monument_type: text('Monument type', 'What it is: a stupa, a chaitya.', { maxLength: 100 }),
    ...buildingFields,
  },
  search: ['name', 'name_ne', 'alternate_names', 'location_name', 'description'],
  hub: {
    hubCategory: 'tangible',
    emoji: '⛩️',
    shortDescription: 'A stupa or chaitya',
    description: 'Add a monument with its place, date and state.',
    difficulty: 'beginner',
  },
})
