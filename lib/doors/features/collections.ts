import { type Kind, kindKeys, kinds } from '../../domain/kinds/index.ts'
import { persistentAddress } from '../../domain/records/iri.ts'
import { GEO_JSON, HTML, JSON_TYPE } from '../../platform/http/media.ts'
import { API_TYPE, API_VERSION } from './view-shape.ts'

const CRS84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84'
const OF_CLASS = 'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf'

const linkTo = (origin: string, path: string, rel: string, type = JSON_TYPE, title?: string) => ({
  href: `${origin}/ogc/${path}`,
  rel,
  type,
  ...(title !== undefined && { title }),
})

/** The conformance classes of the standard that hold here. */
export const conformance = { conformsTo: ['core', 'oas30', 'geojson'].map((name) => `${OF_CLASS}/${name}`) }

/** The first page: where everything else is. */
export const homeView = (origin: string) => ({
  title: 'Heritage records',
  description: 'Temples, festivals, people and places as features, a collection for each kind',
  links: [
    linkTo(origin, '', 'self', JSON_TYPE, 'This page'),
    linkTo(origin, 'api', 'service-desc', `${API_TYPE}${API_VERSION}`, 'The API document'),
    { href: `${origin}/docs/`, rel: 'service-doc', type: 'text/html', title: 'The API document for people' },
    linkTo(origin, 'conformance', 'conformance', JSON_TYPE, 'The classes that hold'),
    linkTo(origin, 'collections', 'data', JSON_TYPE, 'The collections'),
  ],
})

/** The path has no slash at the end, as in the standard: clients append `/items` or `/{id}` to the address of a link. */
const pathOf = (kind: Kind) => `collections/${kind.segment}`

/** One kind of record as a collection. */
export const collectionView = (kind: Kind, origin: string) => ({
  id: kind.segment,
  title: kind.labelPlural,
  description: kind.description,
  itemType: 'feature' as const,
  crs: [CRS84],
  storageCrs: CRS84,
  links: [
    linkTo(origin, pathOf(kind), 'self', JSON_TYPE, kind.labelPlural),
    linkTo(origin, `${pathOf(kind)}/items`, 'items', GEO_JSON, kind.labelPlural),
  ],
})

const collected = kindKeys.map((key) => kinds[key]).filter((kind) => kind.record)

/** Every kind of record. */
export const collectionsView = (origin: string) => ({
  links: [linkTo(origin, 'collections', 'self')],
  collections: collected.map((kind) => collectionView(kind, origin)),
})

/** The links of a page of features. */
export const pageLinks = (
  kind: Kind,
  origin: string,
  { self, next, previous }: { self: string; next: string | null; previous: string | null },
) => [
  { href: self, rel: 'self', type: GEO_JSON },
  linkTo(origin, pathOf(kind), 'collection'),
  ...(next === null ? [] : [{ href: next, rel: 'next', type: GEO_JSON }]),
  ...(previous === null ? [] : [{ href: previous, rel: 'prev', type: GEO_JSON }]),
]

/** The links of one feature: itself, its collection, and its record here. */
export const featureLinks = (kind: Kind, origin: string, id: number) => [
  linkTo(origin, `${pathOf(kind)}/items/${id}`, 'self', GEO_JSON),
  linkTo(origin, pathOf(kind), 'collection'),
  { href: persistentAddress(origin, { kind: kind.key, id }), rel: 'alternate', type: HTML },
  { href: `${origin}/cidoc/${kind.segment}/${id}/`, rel: 'alternate', type: JSON_TYPE },
]
