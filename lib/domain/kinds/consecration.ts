import { relation } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { carriedOutBy, note, timespanFields, tookPlaceAt } from './schema/slots.ts'

export const consecration = defineRecordKind({
  key: 'consecration',
  code: 12,
  segment: 'consecrations',
  label: 'Consecration',
  labelPlural: 'Consecrations',
  description: 'The rite that makes an object a seat of a deity.',
  classUri: 'heritageGraph:Consecration',
  className: 'Consecration',
  typeScope: 'consecration',
  category: 'event',
  icon: 'sparkles',
  navigable: true,
  queueCategory: 'consecration',
  fields: {
    note,
    consecrated_object: relation('iconography', 'Murti', 'Consecrated', 'The object that was consecrated.', {
      slot_uri: 'crm:P31_has_modified',
    }),
    makes_deity_present: relation('deity', 'Deity', 'Makes present', 'The deity who came to dwell in it.', {
      slot_uri: 'heritageGraph:makes_deity_present',
      aliases: ['deity'],
    }),
    carried_out_by: carriedOutBy,
    took_place_at: tookPlaceAt,
    ...timespanFields,
  },
  search: ['name', 'name_ne', 'alternate_names', 'description'],
  hub: {
    hubCategory: 'events',
    emoji: '✨',
    shortDescription: 'An image is given life',
    description: 'Add the rite by which an image became the seat of a deity.',
    difficulty: 'advanced',
  },
})
