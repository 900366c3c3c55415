/** Media types of answers, other than `application/json`. */
export const JSON_LD = 'application/ld+json'
export const GEO_JSON = 'application/geo+json'
export const CSV = 'text/csv'
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
export const JSON_LINES = 'application/jsonl'
/** Metadata of what is cited: for programs that keep references, and as DataCite has it. */
export const CSL_JSON = 'application/vnd.citationstyles.csl+json'
export const DATACITE_JSON = 'application/vnd.datacite.datacite+json'

/** The media types in which linked data is offered besides JSON-LD. */
export const rdfTypes = ['text/turtle', 'application/n-triples', 'application/n-quads', 'application/rdf+xml'] as const
export type RdfType = (typeof rdfTypes)[number]
