/** A JSON value, and a node of JSON-LD. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json | undefined }
export type Node = { readonly [member: string]: Json | undefined }

/** The namespace of our ontology, for terms that CIDOC-CRM does not have. */
const HERITAGE = 'https://cair-nepal.org/heritageGraph/'

/**
 * The `@context`: what the names in an answer mean. Each answer has it, so a reader fetches nothing else. It is also served as a document.
 */
export const context: Node = {
  id: '@id',
  type: '@type',
  label: 'rdfs:label',
  crm: 'http://www.cidoc-crm.org/cidoc-crm/',
  crminf: 'http://www.cidoc-crm.org/crminf/',
  heritageGraph: HERITAGE,
  prov: 'http://www.w3.org/ns/prov#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  owl: 'http://www.w3.org/2002/07/owl#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  dcterms: 'http://purl.org/dc/terms/',
  datacite: 'http://purl.org/spar/datacite/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  exif: 'http://www.w3.org/2003/12/exif/ns#',
  geo: 'http://www.opengis.net/ont/geosparql#',
  hydra: 'http://www.w3.org/ns/hydra/core#',
  time: 'http://www.w3.org/2006/time#',
}
