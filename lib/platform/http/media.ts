/** Media types of answers, other than `application/json`. */
export const JSON_LD = 'application/ld+json'
export const GEO_JSON = 'application/geo+json'
export const CSV = 'text/csv'
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
