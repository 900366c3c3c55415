/** Media types that answers have beside JSON. */
export const LINKED = 'application/ld+json'
export const MAPPED = 'application/geo+json'
/** Tables. */
export const CSV = 'text/csv'
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
