import { relation, relations } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { documentedBy, note, timespanFields } from './schema/slots.ts'

export const kumari_tenure = defineRecordKind({
  key: 'kumari_tenure',
  code: 17,
  segment: 'kumari_tenures',
  label: 'Kumari Tenure',
  labelPlural: 'Kumari Tenures',
  description: 'The years in which a girl embodies a goddess.',
  classUri: 'heritageGraph:LivingGoddessTenure',
  className: 'LivingGoddessTenure',
  typeScope: 'kumaritenure',
  category: 'kumari',
  icon: 'crown',
  navigable: true,
  queueCategory: 'ritual',
  fields: {
    note,
    had_participant: relations('person', 'Person', 'Kumari', 'The girl who held the office.', {
      slot_uri: 'crm:P11_had_participant',
      aliases: ['has_participant'],
    }),
    embodied_deity: relation('deity', 'Deity', 'Embodied deity', 'The goddess whom she embodied.', {
      slot_uri: 'heritageGraph:embodied_deity',
    }),
    residence_structure: relation('structure', 'ArchitecturalStructure', 'Residence', 'The house in which she lived.', {
      slot_uri: 'crm:P74_has_current_or_former_residence',
    }),
    ...timespanFields,
    supported_by_institution: relations('guthi', 'Guthi', 'Supported by', 'The guthis that paid for the office.', {
      slot_uri: 'heritageGraph:supported_by_institution',
    }),
    has_retirement_event: relation('kumari_retirement', 'LivingGoddessRetirement', 'Retirement', 'How it ended.', {
      slot_uri: 'heritageGraph:has_retirement_event',
    }),
    was_documented_by: documentedBy,
  },
  search: ['name', 'name_ne', 'alternate_names', 'had_participant', 'description'],
  hub: {
    hubCategory: 'kumari',
    emoji: '👑',
    shortDescription: 'The years of a living goddess',
    description: 'Add the tenure of a Kumari: the goddess, the house, the years.',
    difficulty: 'advanced',
  },
})
