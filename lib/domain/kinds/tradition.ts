import { traditionType } from './schema/enums.ts'
import { select, text } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { note } from './schema/slots.ts'

export const tradition = defineRecordKind({
  key: 'tradition',
  code: 4,
  segment: 'traditions',
  label: 'Tradition',
  labelPlural: 'Traditions',
  description: 'A religion, craft, art or custom that is handed on.',
  classUri: 'crm:E55_Type',
  className: 'ReligiousTradition',
  typeScope: 'tradition',
  category: 'conceptual',
  icon: 'sparkles',
  navigable: true,
  queueCategory: 'tradition',
  fields: {
    note,
    type: select('Type', 'What kind of tradition it is.', traditionType, {
      slot_uri: 'crm:P2_has_type',
      aliases: ['tradition_type'],
    }),
    associated_materials: text('Materials', 'What is made, worn or used in it, separated by commas.', {
      multivalued: true,
      maxLength: 2000,
    }),
  },
  search: ['name', 'name_ne', 'alternate_names', 'description'],
  hub: {
    hubCategory: 'conceptual',
    emoji: '🪔',
    shortDescription: 'A craft, dance or faith',
    description: 'Add a living tradition and what belongs to it.',
    difficulty: 'beginner',
  },
})
