import { base } from './schema/base.ts'
import { calendarSystem, confidence, datePrecision, reconciliationStatus, sourceType } from './schema/enums.ts'
import {
  date,
  edtfDate,
  fraction,
  relation,
  relations,
  select,
  text,
  textarea,
  thingName,
  url,
} from './schema/fields.ts'
import { defineKind } from './schema/kind.ts'

export const assertion = defineKind({
  key: 'assertion',
  code: 24,
  segment: 'assertions',
  label: 'Heritage Assertion',
  labelPlural: 'Heritage Assertions',
  description: 'One claim about one record, with its source and how sure it is.',
  classUri: 'crminf:I2_Belief',
  className: 'HeritageAssertion',
  typeScope: null,
  category: 'provenance',
  icon: 'badge-check',
  navigable: true,
  queueCategory: 'other',
  nameField: 'assertion_content',
  fields: {
    asserted_property: text(
      'Property',
      'The member of the record that the claim is about, or relationship.PREDICATE.',
      {
        required: true,
        maxLength: 100,
        aliases: ['property'],
      },
    ),
    asserted_value: textarea('Value', 'What is claimed. A relationship may name the other record instead.', {
      required: true,
      numeric: true,
      unless: 'object_entity_id',
      aliases: ['value'],
    }),
    assertion_content: textarea('Claim', 'The claim as a sentence.', { slot_uri: 'prov:value' }),
    entity_type: text('Kind', 'The registry key of the record that the claim is about.', { maxLength: 100 }),
    entity_id: text('Record', 'The id of the record that the claim is about.', { maxLength: 100, numeric: true }),
    cultural_entity_id: text('Review identity', 'The review identity of the record, instead of kind and id.', {
      maxLength: 100,
    }),
    object_entity_type: text('Other kind', 'The registry key of the other record of a relationship.', {
      maxLength: 100,
    }),
    object_entity_id: text('Other record', 'The id of the other record of a relationship.', {
      maxLength: 100,
      numeric: true,
    }),
    source_type: select('Source type', 'What kind of source it is.', sourceType, { section: 'provenance' }),
    source_citation: textarea('Source citation', 'The source, worded as a citation.', { section: 'provenance' }),
    source_url: url('Source address', 'Where the source can be read.', { section: 'provenance' }),
    source: relation('data_source', 'DataSource', 'Source', 'The registered source of the claim.', {
      slot_uri: 'prov:wasDerivedFrom',
      section: 'provenance',
    }),
    confidence: select('Confidence', 'How sure the claim is.', confidence, { section: 'provenance' }),
    confidence_score: fraction('Confidence score', 'How sure the claim is, from 0 to 1.', {
      slot_uri: 'heritageGraph:confidence_score',
      section: 'provenance',
    }),
    data_quality_note: textarea('Data quality', 'What should be checked or known about the data.', {
      slot_uri: 'heritageGraph:data_quality_note',
      section: 'provenance',
    }),
    justification_note: textarea('Justification', 'Why the claim is held.', { section: 'provenance' }),
    reconciliation_status: select('Standing', 'How the claim stands beside its rivals.', reconciliationStatus, {
      slot_uri: 'heritageGraph:reconciliation_status',
      section: 'provenance',
    }),
    temporal_scope_edtf: edtfDate('Valid for', 'The time for which the claim holds.', { maxLength: 255 }),
    calendar_system: select('Calendar', 'The calendar in which dates are given.', calendarSystem, {
      slot_uri: 'heritageGraph:calendar_system',
    }),
    date_precision: select('Precision of dates', 'How exactly dates are known.', datePrecision, {
      slot_uri: 'heritageGraph:date_precision',
    }),
    generated_at_time: date('Made on', 'When the claim was made.', { slot_uri: 'prov:generatedAtTime' }),
    crminf_conclusion: text('Conclusion', 'The belief value, in the words of CRMinf.', { maxLength: 64 }),
    asserts_about_entity: thingName('About', 'The thing that the claim is about, in words.', {
      slot_uri: 'crm:P140_assigned_attribute_to',
    }),
    asserts_about_event: relation('ritual', 'RitualEvent', 'About ritual', 'The ritual that the claim is about.', {
      slot_uri: 'crm:P140_assigned_attribute_to',
    }),
    was_derived_from_source: relations('data_source', 'DataSource', 'Derived from', 'Sources on which it rests.', {
      slot_uri: 'prov:wasDerivedFrom',
      section: 'provenance',
      aliases: ['supporting_sources'],
    }),
    was_attributed_to_agent: relations('person', 'Person', 'Attributed to', 'The people who make the claim.', {
      slot_uri: 'prov:wasAttributedTo',
      section: 'provenance',
    }),
    identifier: base.identifier,
    attributed_to_agent: text('Attributed to, in words', 'Who makes the claim, in words.', {
      section: 'provenance',
      maxLength: 200,
    }),
    supersedes: relation('assertion', 'HeritageAssertion', 'Replaces', 'The claim that this one replaces.', {
      slot_uri: 'prov:invalidated',
      section: 'provenance',
      aliases: ['supersedes_assertion'],
    }),
    entity_cluster: relation('entity_cluster', 'EntityCluster', 'Cluster', 'The cluster, for claims of identity.', {
      section: 'provenance',
    }),
  },
  search: ['asserted_property', 'asserted_value', 'assertion_content'],
  hub: {
    hubCategory: 'provenance',
    emoji: '✅',
    shortDescription: 'One claim and its source',
    description: 'Add a single claim about a record that is already there.',
    difficulty: 'advanced',
  },
})
