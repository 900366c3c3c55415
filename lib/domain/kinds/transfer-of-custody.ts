import { relation, thingName } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { note, timespanFields, tookPlaceAt } from './schema/slots.ts'

export const transfer_of_custody = defineRecordKind({
  key: 'transfer_of_custody',
  code: 14,
  segment: 'transfers_of_custody',
  label: 'Transfer of Custody',
  labelPlural: 'Transfers of Custody',
  description: 'The passing of the care of something from one keeper to another.',
  classUri: 'crm:E10_Transfer_of_Custody',
  className: 'TransferOfCustody',
  typeScope: 'transferofcustody',
  category: 'event',
  icon: 'arrow-left-right',
  navigable: true,
  queueCategory: 'transfer_of_custody',
  fields: {
    note,
    transferred_object: relation('structure', 'PhysicalHeritageThing', 'Transferred', 'What changed hands.', {
      slot_uri: 'crm:P30_transferred_custody_of',
    }),
    transferred_from_actor: thingName('From', 'Who gave it up.', { slot_uri: 'crm:P28_custody_surrendered_by' }),
    transferred_to_actor: thingName('To', 'Who took it over.', { slot_uri: 'crm:P29_custody_received_by' }),
    transferred_to_guthi: relation('guthi', 'Guthi', 'To guthi', 'The guthi that took it over.', {
      slot_uri: 'crm:P29_custody_received_by',
    }),
    took_place_at: tookPlaceAt,
    ...timespanFields,
  },
  search: ['name', 'name_ne', 'alternate_names', 'transferred_from_actor', 'transferred_to_actor', 'description'],
  hub: {
    hubCategory: 'events',
    emoji: '🔁',
    shortDescription: 'Care passes into other hands',
    description: 'Add when the care of a structure passed from one keeper to another.',
    difficulty: 'advanced',
  },
})
