import { edtfDate, relations, text } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { locationName, riteFields } from './schema/slots.ts'

export const festival = defineRecordKind({
  key: 'festival',
  code: 10,
  segment: 'festivals',
  label: 'Festival',
  labelPlural: 'Festivals',
  description: 'A celebration of a whole town or people, with its processions, music and dances.',
  classUri: 'heritageGraph:Festival',
  className: 'Festival',
  typeScope: 'festival',
  category: 'event',
  icon: 'party-popper',
  navigable: true,
  queueCategory: 'festival',
  fields: {
    festival_type: text('Festival type', 'What kind of festival it is: a chariot festival, a masked dance.', {
      maxLength: 100,
    }),
    date: edtfDate('Date', 'When it is held.', { example: 'Baisakh 1 (mid-April)' }),
    duration: text('Duration', 'How long it lasts.', { maxLength: 100 }),
    location_name: locationName,
    includes_ritual_event: relations('ritual', 'RitualEvent', 'Rituals', 'Rituals that are part of it.', {
      slot_uri: 'crm:P9_consists_of',
    }),
    ...riteFields,
  },
  search: ['name', 'name_ne', 'alternate_names', 'location_name', 'description'],
  hub: {
    hubCategory: 'events',
    emoji: '🎉',
    shortDescription: 'A jatra, a chariot pull, a masked dance',
    description: 'Add a festival with its days, its route and its rites.',
    difficulty: 'intermediate',
  },
})
