import { edtfDate, number, relations } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { datingFields, note } from './schema/slots.ts'

export const calendar = defineRecordKind({
  key: 'calendar',
  code: 22,
  segment: 'calendar_systems',
  label: 'Calendar System',
  labelPlural: 'Calendar Systems',
  description: 'A way of counting years and days.',
  classUri: 'time:Calendar',
  className: 'CalendarSystem',
  typeScope: 'calendarsystem',
  category: 'spatiotemporal',
  icon: 'calendar-days',
  navigable: true,
  queueCategory: 'other',
  fields: {
    note,
    calendar_system: datingFields.calendar_system,
    epoch_date_gregorian: edtfDate('Epoch', 'The day of the common calendar from which it counts.', {
      slot_uri: 'heritageGraph:epoch_date_gregorian',
      example: '0879-10-20',
    }),
    year_offset_from_gregorian: number('Years ahead', 'Years to add to a year of the common calendar.', 6, {
      slot_uri: 'heritageGraph:year_offset_from_gregorian',
    }),
    is_primary_for_tradition: relations(
      'tradition',
      'ReligiousTradition',
      'Used by',
      'Traditions that reckon by it first of all.',
      { slot_uri: 'heritageGraph:is_primary_for_tradition' },
    ),
  },
  search: ['name', 'name_ne', 'alternate_names', 'description'],
  hub: {
    hubCategory: 'spatiotemporal',
    emoji: '🗓️',
    shortDescription: 'A way of counting years',
    description: 'Add a calendar and how it relates to the common one.',
    difficulty: 'advanced',
  },
})
