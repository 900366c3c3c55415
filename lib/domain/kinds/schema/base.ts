import { accessTier } from './enums.ts'
import { labels, media, relation, select, text, textarea, url } from './fields.ts'

/** The fields that every kind with integer ids has besides its own. */
export const base = {
  description: textarea('Description', 'What the record is about, for a reader who does not know it.', {
    slot_uri: 'dcterms:description',
  }),
  name_ne: text('Name in Nepali', 'The name in Devanagari script.', {
    slot_uri: 'rdfs:label',
    section: 'names',
    maxLength: 200,
  }),
  alternate_names: labels('Alternate names', 'Other names and spellings, separated by commas.', {
    slot_uri: 'skos:altLabel',
    section: 'names',
  }),
  identifier: text('Identifier', 'The id of the record in the source that it comes from.', {
    slot_uri: 'dcterms:identifier',
    section: 'provenance',
    example: 'wd:Q1001415',
  }),
  same_as: labels('Same as', 'Ids or addresses of the same thing in other collections.', {
    slot_uri: 'owl:sameAs',
    section: 'provenance',
  }),
  source_citation: textarea('Source citation', 'Where these facts come from, worded as a citation.', {
    section: 'provenance',
  }),
  source_url: url('Source address', 'Where the source can be read.', { section: 'provenance' }),
  source: relation('data_source', 'DataSource', 'Source', 'The registered source of these facts.', {
    slot_uri: 'prov:wasDerivedFrom',
    section: 'provenance',
  }),
  access_tier: select('Access', 'Who may see the record; public unless something else is chosen.', accessTier, {
    section: 'provenance',
  }),
  care_labels: labels('Care labels', 'Labels by which a community says how the record may be used.', {
    section: 'provenance',
  }),
  images: media('Pictures', 'Pictures of the record in their order, one of them as its face.', {
    slot_uri: 'crm:P138i_has_representation',
  }),
}
