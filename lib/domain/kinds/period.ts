import { edtfDate } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { datingFields, note, timespanFields } from './schema/slots.ts'

export const period = defineRecordKind({
  key: 'period',
  code: 23,
  segment: 'historical_periods',
  label: 'Historical Period',
  labelPlural: 'Historical Periods',
  description: 'A span of history that goes by one name.',
  classUri: 'heritageGraph:HistoricalPeriod',
  className: 'HistoricalPeriod',
  typeScope: 'historicalperiod',
  category: 'spatiotemporal',
  icon: 'clock',
  navigable: true,
  queueCategory: 'other',
  fields: {
    note,
    start_year: edtfDate('Start', 'The year in which it begins.', {
      slot_uri: 'crm:P82a_begin_of_the_begin',
      example: 'c. 1200',
    }),
    end_year: edtfDate('End', 'The year in which it ends.', { slot_uri: 'crm:P82b_end_of_the_end', example: '1769' }),
    has_timespan: timespanFields.has_timespan,
    ...datingFields,
  },
  search: ['name', 'name_ne', 'alternate_names', 'description'],
  hub: {
    hubCategory: 'spatiotemporal',
    emoji: '⏳',
    shortDescription: 'A dynasty or an age',
    description: 'Add a period, so that events and people can be placed in it.',
    difficulty: 'beginner',
  },
})
