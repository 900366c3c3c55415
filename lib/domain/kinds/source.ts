import { sourceDocType } from './schema/enums.ts'
import { edtfDate, name, relation, select, text, textarea, thingName, url } from './schema/fields.ts'
import { defineRecordKind } from './schema/kind.ts'
import { documentedBy, note } from './schema/slots.ts'

export const source = defineRecordKind({
  key: 'source',
  code: 5,
  segment: 'sources',
  label: 'Source / Document',
  labelPlural: 'Sources / Documents',
  description: 'A text, inscription, recording or other document about heritage.',
  classUri: 'heritageGraph:InformationObject',
  className: 'InformationObject',
  typeScope: 'source',
  category: 'provenance',
  icon: 'book-open',
  navigable: true,
  queueCategory: 'document',
  fields: {
    name: name(300, { label: 'Title', description: 'The title of the document.', aliases: ['title'] }),
    authors: text('Authors', 'Who wrote or made it, separated by commas.', { multivalued: true, maxLength: 1000 }),
    publication_year: edtfDate('Year', 'When it was published or written.', { example: '1982' }),
    type: select('Type', 'What kind of document it is.', sourceDocType, { slot_uri: 'crm:P2_has_type' }),
    // Free text, unlike `type`: forms send the class names of the ontology here, catalogues their own words.
    source_type: text('Source type', 'The kind of source in the words of its catalogue.', { maxLength: 100 }),
    digital_link: url('Digital copy', 'Where it can be read.'),
    archive_location: text('Archive', 'The library or archive that keeps it.', {
      aliases: ['archival_location'],
    }),
    source_language: text('Language', 'The language in which it is written.', {
      slot_uri: 'crm:P72_has_language',
      maxLength: 100,
    }),
    note,
    is_about_entity: relation('structure', 'AssertableEntity', 'About structure', 'The structure that it treats.', {
      slot_uri: 'crm:P129_is_about',
      aliases: ['is_about'],
    }),
    is_about_event: relation('ritual', 'RitualEvent', 'About ritual', 'The ritual that it treats.', {
      slot_uri: 'crm:P129_is_about',
    }),
    created_by_documentation: thingName('Made by', 'The survey, interview or other work from which it came.', {
      slot_uri: 'prov:wasGeneratedBy',
    }),
    was_documented_by: documentedBy,
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
    datacite_resource_type: text('Resource type', 'Text, image, sound and so on.', {
      slot_uri: 'datacite:resourceType',
      maxLength: 100,
    }),
    source_citation: textarea('Citation', 'The document, worded as a citation.', { aliases: ['citation'] }),
    source_url: url('Address', 'The page that describes it.', { slot_uri: 'heritageGraph:source_url' }),
  },
  search: ['name', 'name_ne', 'alternate_names', 'authors', 'description'],
  hub: {
    hubCategory: 'provenance',
    emoji: '📖',
    shortDescription: 'A book, inscription or manuscript',
    description: 'Add a document on which other records can rest.',
    difficulty: 'beginner',
  },
})
