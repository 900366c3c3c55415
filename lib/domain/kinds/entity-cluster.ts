import { boolean, labels, text } from './schema/fields.ts'
import { defineKind } from './schema/kind.ts'
import { note } from './schema/slots.ts'

// Clusters are made by curators on their own pages, so the contribution hub does not offer them.
export const entity_cluster = defineKind({
  key: 'entity_cluster',
  code: 25,
  segment: 'entity-clusters',
  label: 'Entity Cluster',
  labelPlural: 'Entity Clusters',
  description: 'Records of one kind that are held to be about the same thing.',
  classUri: 'heritageGraph:EntityCluster',
  className: 'EntityCluster',
  typeScope: null,
  category: 'provenance',
  icon: 'fingerprint',
  navigable: true,
  queueCategory: 'other',
  nameField: 'canonical_label',
  fields: {
    canonical_label: text('Name', 'The name by which the thing is best known.', {
      slot_uri: 'rdfs:label',
      required: true,
      maxLength: 500,
    }),
    type_scope: text('Kind', 'The kind of record that it gathers.', { required: true, maxLength: 100 }),
    locked: boolean('Locked', 'Whether only curators may change it.'),
    note,
    curated_aliases: labels('Other names', 'Other names of the thing, separated by commas.', {
      slot_uri: 'skos:altLabel',
    }),
  },
  search: ['canonical_label', 'type_scope'],
})
