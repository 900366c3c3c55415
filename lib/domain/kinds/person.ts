import { calendarSystem, datePrecision } from './schema/enums.ts'
import { edtfDate, labels, relations, select, text, textarea } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { note } from './schema/slots.ts'

export const person = defineRecordKind({
  key: 'person',
  code: 1,
  segment: 'persons',
  label: 'Historical Person',
  labelPlural: 'Historical Persons',
  description: 'Someone who made, paid for, ruled over, served or recorded heritage.',
  classUri: 'crm:E21_Person',
  className: 'Person',
  typeScope: 'person',
  category: 'social',
  icon: 'user',
  navigable: true,
  queueCategory: 'other',
  fields: {
    note,
    birth_date: edtfDate('Born', 'When the person was born.', {
      slot_uri: 'crm:P98i_was_born',
      aliases: ['birth_timespan'],
      example: '1245 CE',
    }),
    death_date: edtfDate('Died', 'When the person died.', {
      slot_uri: 'crm:P100i_died_in',
      aliases: ['death_timespan'],
    }),
    occupation: text('Occupation', 'What the person did, separated by commas.', { multivalued: true }),
    biography: textarea('Biography', 'The life of the person.'),
    institutional_affiliation: text('Institution', 'The court, monastery, office or school the person belonged to.'),
    expertise_area: text('Expertise', 'What the person was skilled in.', { multivalued: true }),
    member_of_group: relations('guthi', 'Guthi', 'Member of', 'Guthis to which the person belonged.', {
      slot_uri: 'crm:P107i_is_current_or_former_member_of',
    }),
    carried_out_activity: relations('ritual', 'RitualEvent', 'Performed', 'Rituals that the person performed.', {
      slot_uri: 'crm:P14i_performed',
    }),
    calendar_system: select('Calendar', 'The calendar in which the dates are given.', calendarSystem, {
      slot_uri: 'heritageGraph:calendar_system',
    }),
    birth_precision: select('Precision of birth date', 'How exactly the date of birth is known.', datePrecision),
    death_precision: select('Precision of death date', 'How exactly the date of death is known.', datePrecision),
    alternate_names: labels('Alternate names', 'Other names and spellings, separated by commas.', {
      slot_uri: 'skos:altLabel',
      section: 'names',
      aliases: ['aliases'],
    }),
  },
  search: ['name', 'name_ne', 'alternate_names', 'occupation', 'description'],
  hub: {
    hubCategory: 'social',
    emoji: '👤',
    shortDescription: 'A maker, patron, ruler or priest',
    description: 'Add someone whose life is tied to a place, an object or a rite.',
    difficulty: 'beginner',
  },
})
