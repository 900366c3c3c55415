/** Media types of answers, other than `application/json`. */
export const JSON_LD = 'application/ld+json'
export const GEO_JSON = 'application/geo+json'
export const CSV = 'text/csv'
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** The media types in which linked data is offered besides JSON-LD. */
export const rdfTypes = ['text/turtle', 'application/n-triples', 'application/n-quads', 'application/rdf+xml'] as const
export type RdfType = (typeof rdfTypes)[number]
