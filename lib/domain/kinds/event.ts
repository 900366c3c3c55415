import { eventType, recurrence } from './schema/enums.ts'
import { edtfDate, relations, select } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { datingFields, locationName, note, timespanFields, tookPlaceAt } from './schema/slots.ts'

export const event = defineRecordKind({
  key: 'event',
  code: 3,
  segment: 'events',
  label: 'Historical Event',
  labelPlural: 'Historical Events',
  description: 'Something that happened and left its mark on places or customs.',
  classUri: 'crm:E5_Event',
  className: 'HistoricalEvent',
  typeScope: 'event',
  category: 'event',
  icon: 'calendar',
  navigable: true,
  queueCategory: 'other',
  fields: {
    note,
    type: select('Type', 'What kind of event it was.', eventType, {
      slot_uri: 'crm:P2_has_type',
      aliases: ['event_type'],
    }),
    start_date: edtfDate('Start', 'When it began.', {
      slot_uri: 'crm:P82a_begin_of_the_begin',
      aliases: ['begin_date', 'date_earliest'],
    }),
    end_date: edtfDate('End', 'When it ended.', { slot_uri: 'crm:P82b_end_of_the_end', aliases: ['date_latest'] }),
    recurrence: select('Recurrence', 'How often it comes round.', recurrence),
    has_timespan: timespanFields.has_timespan,
    took_place_at: tookPlaceAt,
    location_name: locationName,
    architectural_structures: relations(
      'structure',
      'ArchitecturalStructure',
      'Structures',
      'Structures that it touched.',
      { slot_uri: 'crm:P12_occurred_in_the_presence_of' },
    ),
    includes_ritual_event: relations('ritual', 'RitualEvent', 'Rituals', 'Rituals that were part of it.', {
      slot_uri: 'crm:P9_consists_of',
    }),
    ...datingFields,
  },
  search: ['name', 'name_ne', 'alternate_names', 'description'],
  hub: {
    hubCategory: 'events',
    emoji: '📅',
    shortDescription: 'An earthquake, a coronation, a war',
    description: 'Add something that happened, with its date and the places it touched.',
    difficulty: 'beginner',
  },
})
