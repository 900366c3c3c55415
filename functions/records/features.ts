import '../../lib/domain/composition.ts'
import * as v from 'valibot'
import { now } from '../../lib/base/clock.ts'
import { notFound } from '../../lib/base/errors.ts'
import { loadRecord } from '../../lib/domain/records/load.ts'
import { CollectionAddress, RecordAddress } from '../../lib/domain/records/queries.ts'
import { findShownRows } from '../../lib/domain/records/search.ts'
import { showRecord } from '../../lib/domain/records/shown.ts'
import { recordRow } from '../../lib/domain/records/views/record.ts'
import { checkSent, FeatureQuery, filterOf, pageParameters } from '../../lib/doors/features/query.ts'
import {
  API_TYPE,
  API_VERSION,
  ConformanceView,
  FeatureApiView,
  FeatureCollectionInfoView,
  FeatureCollectionsView,
  FeaturePageView,
  FeaturesHomeView,
  LinkedFeatureView,
} from '../../lib/doors/features/view-shape.ts'
import { featureOf } from '../../lib/doors/linked/geojson.ts'
import { ok } from '../../lib/platform/http/answer.ts'
import { GEO_JSON } from '../../lib/platform/http/media.ts'
import { LARGEST_SIZE, listBody } from '../../lib/platform/http/page.ts'
import { jsonText, replyContent } from '../../lib/platform/http/reply.ts'
import type { Request } from '../../lib/platform/http/request.ts'
import { publicRoute, type Routes } from '../../lib/platform/http/route.ts'
import { maySee, scopeOf } from '../../lib/platform/permissions.ts'

/** A collection is named by the path segment of its kind. */
const CollectionName = v.object({ collection: CollectionAddress.entries.segment })
const FeatureName = v.object({ collection: CollectionAddress.entries.segment, id: RecordAddress.entries.id })

/** Clients name the format in `f`. There is only JSON, so both names mean the same. */
const f = v.optional(v.picklist(['json', 'geojson'], 'Only json is here.'))
const Format = v.object({ f })
const checkFormat = ({ query }: Request) => checkSent(query, Object.keys(Format.entries))
const PageQuery = v.object({ ...FeatureQuery.entries, f })
const ABOUT_FEATURES = 'OGC API - Features, Part 1. Everyone is shown the same: what is published for all.'

const pages = () => import('../../lib/doors/features/collections.ts')

/** The records as features, for desktop maps. */
export const features = {
  'GET /ogc/': publicRoute({
    permission: 'public.read',
    summary: 'Features: the first page',
    description: ABOUT_FEATURES,
    answer: ok(FeaturesHomeView),
    translatedPaths: [],
    query: Format,
    handle: async ({ request }) => {
      checkFormat(request)
      return (await pages()).homeView(request.origin)
    },
  }),

  'GET /ogc/api/': publicRoute({
    permission: 'public.read',
    summary: 'Features: the API document of this door alone',
    answer: { 200: { also: { [API_TYPE]: FeatureApiView } } },
    query: Format,
    handle: async ({ request }) => {
      checkFormat(request)
      const { featureApi } = await import('../../lib/doors/features/api.ts')
      return replyContent(jsonText(featureApi(request.origin)), `${API_TYPE}${API_VERSION}`)
    },
  }),

  'GET /ogc/conformance/': publicRoute({
    permission: 'public.read',
    summary: 'Features: the conformance classes',
    answer: ok(ConformanceView),
    query: Format,
    handle: async ({ request }) => {
      checkFormat(request)
      return (await pages()).conformance
    },
  }),

  'GET /ogc/collections/': publicRoute({
    permission: 'public.read',
    summary: 'Features: the collections, one for each kind of record',
    answer: ok(FeatureCollectionsView),
    translatedPaths: [],
    query: Format,
    handle: async ({ request }) => {
      checkFormat(request)
      return (await pages()).collectionsView(request.origin)
    },
  }),

  'GET /ogc/collections/{collection}/': publicRoute({
    permission: 'public.read',
    summary: 'Features: one collection',
    answer: ok(FeatureCollectionInfoView),
    errors: [404],
    translatedPaths: [],
    params: CollectionName,
    query: Format,
    handle: async ({ params, request }) => {
      checkFormat(request)
      return (await pages()).collectionView(params.collection, request.origin)
    },
  }),

  'GET /ogc/collections/{collection}/items/': publicRoute({
    permission: 'public.read',
    summary: 'Features: a page of one collection',
    description:
      'With `bbox`, and with `datetime` for the time of the things. A feature without a place has no geometry. `next` among `links` leads to the next page.',
    answer: { 200: { also: { [GEO_JSON]: FeaturePageView } } },
    errors: [404],
    params: CollectionName,
    query: PageQuery,
    usesReadCache: true,
    pageSize: LARGEST_SIZE,
    handle: async ({ params: { collection: kind }, query, page, request }) => {
      checkSent(request.query, [...Object.keys(PageQuery.entries), ...pageParameters])
      const found = await findShownRows({ kind: kind.key, ...filterOf(query) }, null, scopeOf(null), page)
      const { count, next, previous, results } = listBody(request, page, found)
      const self = `${request.origin}${request.path}${request.rawQuery && `?${request.rawQuery}`}`
      const body = {
        type: 'FeatureCollection' as const,
        timeStamp: now(),
        numberMatched: count,
        numberReturned: results.length,
        links: (await pages()).pageLinks(kind, request.origin, { self, next, previous }),
        features: results.map((it) => featureOf(it, null, it.id, recordRow(it, null))),
      }
      return replyContent(jsonText(body), GEO_JSON)
    },
  }),

  'GET /ogc/collections/{collection}/items/{id}/': publicRoute({
    permission: 'public.read',
    summary: 'Features: one feature',
    answer: { 200: { also: { [GEO_JSON]: LinkedFeatureView } } },
    errors: [404],
    params: FeatureName,
    query: Format,
    handle: async ({ params: { collection: kind, id }, request }) => {
      checkFormat(request)
      const found = await loadRecord(kind, id)
      if (!found || !maySee(null, found)) throw notFound()
      const it = await showRecord(null, found)
      const links = (await pages()).featureLinks(kind, request.origin, id)
      return replyContent(jsonText({ ...featureOf(it, null, it.id, recordRow(it, null)), links }), GEO_JSON)
    },
  }),
} satisfies Routes
