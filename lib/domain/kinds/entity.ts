import { base } from './schema/base.ts'
import { entityCategory } from './schema/enums.ts'
import { name, select, textarea } from './schema/fields.ts'
import { defineKind } from './schema/kind.ts'

export const entity = defineKind({
  key: 'entity',
  code: 27,
  segment: 'cultural-entities',
  apiEndpoint: '/data/api/cultural-entities/',
  label: 'Cultural Entity',
  labelPlural: 'Cultural Entities',
  description: 'Anything of cultural worth that fits no other kind yet.',
  classUri: 'heritageGraph:CulturalEntity',
  className: 'CulturalEntity',
  typeScope: null,
  category: 'tangible',
  icon: 'landmark',
  navigable: true,
  queueCategory: 'other',
  nameField: 'name',
  fields: {
    name: name(255),
    category: select('Category', 'What it is, roughly.', entityCategory, { required: true }),
    description: textarea('Description', 'What it is and why it matters.', {
      slot_uri: 'dcterms:description',
      required: true,
    }),
    name_ne: base.name_ne,
    alternate_names: base.alternate_names,
    images: base.images,
  },
  search: ['name', 'name_ne', 'alternate_names', 'description'],
  hub: {
    hubCategory: 'general',
    route: '/contribute/cultural-entity',
    emoji: '🏺',
    shortDescription: 'Anything, in three fields',
    description: 'Add something of cultural worth without choosing a kind.',
    difficulty: 'beginner',
  },
})
