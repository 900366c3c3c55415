import { defineRecordKind } from './schema/kind.ts'
import { buildingFields } from './schema/slots.ts'

export const structure = defineRecordKind({
  key: 'structure',
  code: 8,
  segment: 'structures',
  label: 'Architectural Structure',
  labelPlural: 'Architectural Structures',
  description: 'A temple, rest house, fountain, pond or other thing that was built.',
  classUri: 'heritageGraph:ArchitecturalStructure',
  className: 'ArchitecturalStructure',
  typeScope: 'architecturalstructure',
  category: 'tangible',
  icon: 'landmark',
  navigable: true,
  queueCategory: 'monument',
  fields: buildingFields,
  search: ['name', 'name_ne', 'alternate_names', 'location_name', 'description'],
  hub: {
    hubCategory: 'tangible',
    emoji: '🛕',
    shortDescription: 'A temple, rest house or fountain',
    description: 'Add a building with its place, style, date and state.',
    difficulty: 'beginner',
  },
})
