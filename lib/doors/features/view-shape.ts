import * as v from 'valibot'
import * as s from '../../base/shapes.ts'

/** The media type of the API document, and its parameter. */
export const API_TYPE = 'application/vnd.oai.openapi+json'
export const API_VERSION = ';version=3.0'

const LinkView = s.shape('FeatureLink', () =>
  v.object({ href: s.text, rel: s.text, type: s.text, title: v.optional(s.text) }),
)
const links = () => v.array(LinkView)
export const FeaturesHomeView = s.shape('FeaturesHome', () =>
  v.object({ title: s.text, description: s.text, links: links() }),
)
export const ConformanceView = s.shape('Conformance', () => v.object({ conformsTo: v.array(s.text) }))
export const FeatureCollectionInfoView = s.shape('FeatureCollectionInfo', () =>
  v.object({
    id: s.text,
    title: s.text,
    description: s.text,
    itemType: v.literal('feature'),
    crs: v.array(s.text),
    storageCrs: s.text,
    links: links(),
  }),
)
export const FeatureCollectionsView = s.shape('FeatureCollections', () =>
  v.object({ links: links(), collections: v.array(FeatureCollectionInfoView) }),
)

/** A feature (RFC 7946). Its properties are the members of the record as a list of its kind shows it. */
const featureEntries = () => ({
  type: v.literal('Feature'),
  id: v.union([s.whole, s.text]),
  geometry: s.maybe(v.object({ type: v.literal('Point'), coordinates: v.array(v.number()) })),
  properties: s.Values,
})
export const LinkedFeatureView = s.shape('LinkedFeature', () => v.object({ ...featureEntries(), links: links() }))
/** A page of features. `numberMatched` counts all that match. */
export const FeaturePageView = s.shape('FeaturePage', () =>
  v.object({
    type: v.literal('FeatureCollection'),
    timeStamp: s.time,
    numberMatched: s.whole,
    numberReturned: s.whole,
    links: links(),
    features: v.array(v.object(featureEntries())),
  }),
)
/** A document of OpenAPI 3.0. */
export const FeatureApiView = s.shape('FeatureApi', () =>
  v.object({
    openapi: s.text,
    info: v.object({ title: s.text, version: s.text }),
    servers: v.array(v.object({ url: s.text })),
    paths: v.record(v.string(), v.unknown()),
  }),
)
