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

/** The members that a page of features has beside those of GeoJSON. */
export const pageEntries = () => ({
  timeStamp: s.time,
  numberMatched: s.whole,
  numberReturned: s.whole,
  links: links(),
})
