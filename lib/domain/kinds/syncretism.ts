import { syncreticType } from './schema/enums.ts'
import { relation, relations, select, thingName } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { documentedBy, note } from './schema/slots.ts'

// The name is required here too, although older forms leave it out: a list of nameless pairs helps nobody.
export const syncretism = defineRecordKind({
  key: 'syncretism',
  code: 20,
  segment: 'syncretic_relationships',
  label: 'Syncretic Relationship',
  labelPlural: 'Syncretic Relationships',
  description: 'The claim that deities of different traditions are one, or became one.',
  classUri: 'heritageGraph:SyncreticRelationship',
  className: 'SyncreticRelationship',
  typeScope: 'syncreticrelationship',
  category: 'conceptual',
  icon: 'shuffle',
  navigable: true,
  queueCategory: 'other',
  fields: {
    note,
    assigned_to_deity: relation('deity', 'Deity', 'Deity', 'The deity of whom it is claimed.', {
      slot_uri: 'crm:P140_assigned_attribute_to',
    }),
    assigned_equivalent: relations('deity', 'Deity', 'Equivalents', 'The deities with whom it is matched.', {
      slot_uri: 'crm:P141_assigned',
    }),
    syncretic_type: select('Type', 'What kind of match it is.', syncreticType, { slot_uri: 'crm:P2_has_type' }),
    documented_in_source: relations('data_source', 'DataSource', 'Documented in', 'Sources that describe it.', {
      slot_uri: 'crm:P70i_is_documented_in',
    }),
    was_derived_from_source: relations('data_source', 'DataSource', 'Derived from', 'Sources from which it follows.', {
      slot_uri: 'prov:wasDerivedFrom',
    }),
    was_documented_by: documentedBy,
    assertion_author: thingName('Claimed by', 'The scholar or tradition that makes the claim.'),
  },
  search: ['name', 'name_ne', 'alternate_names', 'assigned_to_deity', 'description'],
  hub: {
    hubCategory: 'conceptual',
    emoji: '🔀',
    shortDescription: 'One deity under two names',
    description: 'Add how deities of two traditions are held to be one.',
    difficulty: 'advanced',
  },
})
