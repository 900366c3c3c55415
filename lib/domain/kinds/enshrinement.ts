import { relation } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { carriedOutBy, note, timespanFields } from './schema/slots.ts'

export const enshrinement = defineRecordKind({
  key: 'enshrinement',
  code: 13,
  segment: 'enshrinements',
  label: 'Enshrinement',
  labelPlural: 'Enshrinements',
  description: 'The installing of a deity in a shrine.',
  classUri: 'heritageGraph:Enshrinement',
  className: 'Enshrinement',
  typeScope: 'enshrinement',
  category: 'event',
  icon: 'landmark',
  navigable: true,
  queueCategory: 'enshrinement',
  fields: {
    note,
    enshrined_deity: relation('deity', 'Deity', 'Deity', 'The deity who was installed.', {
      slot_uri: 'crm:P12_occurred_in_the_presence_of',
      aliases: ['deity'],
    }),
    enshrined_in_structure: relation('structure', 'Temple', 'Enshrined in', 'The shrine.', {
      slot_uri: 'crm:P8_took_place_on_or_within',
    }),
    carried_out_by: carriedOutBy,
    ...timespanFields,
  },
  search: ['name', 'name_ne', 'alternate_names', 'description'],
  hub: {
    hubCategory: 'events',
    emoji: '🏛️',
    shortDescription: 'A deity is installed in a shrine',
    description: 'Add the event by which a deity came to a shrine.',
    difficulty: 'advanced',
  },
})
