import { text } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { note } from './schema/slots.ts'

export const caste_group = defineRecordKind({
  key: 'caste_group',
  code: 21,
  segment: 'caste_groups',
  label: 'Caste Group',
  labelPlural: 'Caste Groups',
  description: 'A community of birth with its own part in rites and crafts.',
  classUri: 'heritageGraph:CasteGroup',
  className: 'CasteGroup',
  typeScope: 'castegroup',
  category: 'social',
  icon: 'users',
  navigable: true,
  queueCategory: 'other',
  fields: {
    note,
    traditional_role: text('Traditional role', 'Its part in rites, crafts or service.', {
      slot_uri: 'heritageGraph:traditional_role',
    }),
  },
  search: ['name', 'name_ne', 'alternate_names', 'traditional_role', 'description'],
  hub: {
    hubCategory: 'social',
    emoji: '👥',
    shortDescription: 'A community and its role',
    description: 'Add a community and the part it has in rites and crafts.',
    difficulty: 'intermediate',
  },
})
