import { dataciteResourceType, sourceAccessTier, sourceType } from './schema/enums.ts'
import { edtfDate, labels, name, number, select, text, textarea, thingName, url } from './schema/fields.ts'
import { defineKind } from './schema/kind.ts'
import { note } from './schema/slots.ts'

export const data_source = defineKind({
  key: 'data_source',
  code: 26,
  segment: 'data_sources',
  label: 'Data Source',
  labelPlural: 'Data Sources',
  description: 'A book, survey, collection or other origin of facts, registered once and named by many records.',
  classUri: 'heritageGraph:DataSource',
  className: 'DataSource',
  typeScope: null,
  category: 'provenance',
  icon: 'database',
  navigable: false,
  queueCategory: 'other',
  nameField: 'name',
  fields: {
    name: name(300),
    source_type: select('Source type', 'What kind of source it is.', sourceType),
    citation: textarea('Citation', 'The source, worded as a citation.', { aliases: ['source_citation'] }),
    url: url('Address', 'Where the source can be read.', {
      slot_uri: 'heritageGraph:source_url',
      aliases: ['source_url', 'url_of_source'],
    }),
    author: text('Authors', 'Who wrote or made it, separated by commas.', { multivalued: true }),
    publication_year: edtfDate('Year', 'When it was published or made.', { example: '1975' }),
    language: text('Language', 'The language in which it is written.', {
      slot_uri: 'crm:P72_has_language',
      maxLength: 100,
      aliases: ['source_language'],
    }),
    note,
    archival_location: text('Archive', 'The library or archive that keeps it.'),
    digitization_activity: text('Digitised by', 'How and by whom it was digitised.'),
    iiif_manifest_url: url('IIIF manifest', 'The address of its IIIF manifest.'),
    publication_timespan: edtfDate('Time of publication', 'The span over which it appeared.', {
      slot_uri: 'crm:P4_has_time-span',
    }),
    datacite_identifier: text('Document identifier', 'Its DOI, ISBN or another published identifier.', {
      slot_uri: 'datacite:identifier',
    }),
    datacite_identifier_type: text('Kind of identifier', 'DOI, ISBN, URN or another scheme.', {
      slot_uri: 'datacite:identifierType',
      maxLength: 100,
    }),
    datacite_creator: thingName('Creator', 'The creator as catalogues name them.', {
      slot_uri: 'datacite:creator',
      multivalued: true,
    }),
    datacite_publisher: thingName('Publisher', 'Who published it.', { slot_uri: 'datacite:publisher' }),
    datacite_publication_year: number('Publication year', 'The year as catalogues give it.', 4, {
      slot_uri: 'datacite:publicationYear',
      minimum: 0,
      textPattern: '[0-9]{1,4}',
    }),
    datacite_resource_type: select('Resource type', 'What the source is made of.', dataciteResourceType, {
      slot_uri: 'datacite:resourceType',
    }),
    pid: url('Persistent address', 'A lasting address of the source.', { maxLength: 300 }),
    declared_license: text('Licence', 'The licence that the source declares.', { slot_uri: 'dcterms:license' }),
    epistemic_stance: text('Point of view', 'From where it speaks: scholarly, state, community.', { maxLength: 100 }),
    access_tier: select('Access', 'Who may see the source.', sourceAccessTier, { section: 'provenance' }),
    care_labels: labels('Care labels', 'Labels by which a community says how the source may be used.', {
      section: 'provenance',
    }),
  },
  search: ['name', 'author', 'citation'],
  hub: {
    hubCategory: 'provenance',
    emoji: '🗄️',
    shortDescription: 'Where facts come from',
    description: 'Register a source once, so that many records can name it.',
    difficulty: 'intermediate',
  },
})
