/** The facets of search, each with the sort of concept that its values name (`concepts.ts`). Null if its values name no concept. */
export const facets = {
  type: 'sort',
  place: 'place',
  style: null,
  period: 'period',
  tradition: null,
  deity: 'deity',
  material: 'material',
} as const

export type FacetName = keyof typeof facets
const isFacet = (name: string): name is FacetName => name in facets
/** The names of the facets, in the order in which answers list them. */
export const facetNames: readonly FacetName[] = Object.keys(facets).filter(isFacet)
