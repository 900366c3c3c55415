import { edtfDate, thingName } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { locationName, riteFields } from './schema/slots.ts'

export const ritual = defineRecordKind({
  key: 'ritual',
  code: 9,
  segment: 'rituals',
  label: 'Ritual Event',
  labelPlural: 'Ritual Events',
  description: 'Worship or a rite, as it is done at a place and a time.',
  classUri: 'heritageGraph:RitualEvent',
  className: 'RitualEvent',
  typeScope: 'ritualevent',
  category: 'event',
  icon: 'flame-kindling',
  navigable: true,
  queueCategory: 'ritual',
  fields: {
    ...riteFields,
    date: edtfDate('Date', 'When it is held, in the words of those who hold it.', { example: 'Baisakh 1' }),
    performed_by: thingName('Performed by', 'Those who perform it, in words.'),
    location_name: locationName,
  },
  search: ['name', 'name_ne', 'alternate_names', 'location_name', 'performed_by', 'description'],
  hub: {
    hubCategory: 'events',
    emoji: '🔥',
    shortDescription: 'A puja, a rite, a fire offering',
    description: 'Add a rite: the deity, the place, the day and those who perform it.',
    difficulty: 'intermediate',
  },
})
