import { relation, thingName } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { carriedOutBy, documentedBy, note, provenAssertions, timespanFields, tookPlaceAt } from './schema/slots.ts'

export const production = defineRecordKind({
  key: 'production',
  code: 11,
  segment: 'productions',
  label: 'Production Event',
  labelPlural: 'Production Events',
  description: 'The making or rebuilding of a structure or an object.',
  classUri: 'crm:E12_Production',
  className: 'Production',
  typeScope: 'production',
  category: 'event',
  icon: 'hammer',
  navigable: true,
  queueCategory: 'production',
  fields: {
    note,
    produced_object: relation('structure', 'PhysicalHeritageThing', 'Produced', 'The structure that was made.', {
      slot_uri: 'crm:P108_has_produced',
    }),
    carried_out_by: carriedOutBy,
    commissioned_by: thingName('Commissioned by', 'Who ordered or paid for it.', {
      slot_uri: 'crm:P17_was_motivated_by',
      multivalued: true,
    }),
    used_technique: thingName('Techniques', 'How it was made.', {
      slot_uri: 'crm:P32_used_general_technique',
      multivalued: true,
    }),
    took_place_at: tookPlaceAt,
    ...timespanFields,
    was_documented_by: documentedBy,
    has_provenance_assertion: provenAssertions,
  },
  search: ['name', 'name_ne', 'alternate_names', 'carried_out_by', 'description'],
  hub: {
    hubCategory: 'events',
    emoji: '🔨',
    shortDescription: 'How something was built or made',
    description: 'Add the making of a structure: who, when, how and for whom.',
    difficulty: 'intermediate',
  },
})
