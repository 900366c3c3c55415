import { guthiType } from './schema/enums.ts'
import { relations, select, text } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { note } from './schema/slots.ts'

export const guthi = defineRecordKind({
  key: 'guthi',
  code: 7,
  segment: 'guthis',
  label: 'Guthi',
  labelPlural: 'Guthis',
  description: 'A trust whose members keep up temples, rites and the land that pays for them.',
  classUri: 'crm:E74_Group',
  className: 'Guthi',
  typeScope: 'guthi',
  category: 'social',
  icon: 'users',
  navigable: true,
  queueCategory: 'tradition',
  fields: {
    note,
    guthi_type: select('Type', 'What the guthi is for.', guthiType, { slot_uri: 'crm:P2_has_type' }),
    location: text('Location', 'Where it is at home, in words.', { maxLength: 200, aliases: ['location_name'] }),
    managed_structures: text('Looks after', 'What it keeps up, separated by commas.', {
      multivalued: true,
      maxLength: 2000,
    }),
    has_land_endowment: text('Land', 'The land with which it is endowed.', {
      slot_uri: 'heritageGraph:has_land_endowment',
    }),
    performs_ritual: relations('ritual', 'RitualEvent', 'Performs', 'Rituals that it performs.', {
      slot_uri: 'crm:P14i_performed',
    }),
    holds_custody_of: relations('structure', 'ArchitecturalStructure', 'Has in custody', 'Structures in its care.', {
      slot_uri: 'crm:P50i_is_current_keeper_of',
    }),
    has_membership: relations('person', 'Person', 'Members', 'People who belong or belonged to it.', {
      slot_uri: 'crm:P107_has_current_or_former_member',
    }),
  },
  search: ['name', 'name_ne', 'alternate_names', 'location', 'description'],
  hub: {
    hubCategory: 'social',
    emoji: '🤝',
    shortDescription: 'A trust that keeps up rites and temples',
    description: 'Add a guthi, its members and what it looks after.',
    difficulty: 'intermediate',
  },
})
