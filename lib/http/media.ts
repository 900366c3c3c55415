/** Media types that answers have beside JSON. */
export const LINKED = 'application/ld+json'
export const MAPPED = 'application/geo+json'
