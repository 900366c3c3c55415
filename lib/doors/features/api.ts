import { kindKeys, kinds } from '../../domain/kinds/index.ts'
import { GEO_JSON, JSON_TYPE } from '../../platform/http/media.ts'
import { LARGEST_SIZE } from '../../platform/http/page.ts'
import { API_TYPE, API_VERSION } from './view-shape.ts'

type Parameter = Readonly<Record<string, unknown>>
const inQuery = (name: string, description: string, schema: object): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
  style: 'form',
  explode: false,
})

const bbox = inQuery('bbox', 'West, south, east and north in degrees; heights between them are left out', {
  type: 'array',
  minItems: 4,
  maxItems: 6,
  oneOf: [
    { minItems: 4, maxItems: 4 },
    { minItems: 6, maxItems: 6 },
  ],
  items: { type: 'number' },
})
const datetime = inQuery('datetime', 'A moment, or two with a slash between them; two dots are an open end', {
  type: 'string',
})
const limit = inQuery('limit', 'Features of a page', {
  type: 'integer',
  minimum: 1,
  maximum: LARGEST_SIZE,
  default: LARGEST_SIZE,
})
const offset = inQuery('offset', 'Features to pass over; following the link `next` costs less', {
  type: 'integer',
  minimum: 0,
})
const hint = inQuery('hint', 'What the link `next` says, so that a deep page costs no more', { type: 'string' })
const format = inQuery('f', 'The format. There is only this one', { type: 'string', enum: ['json', 'geojson'] })
const collectionId: Parameter = {
  name: 'collectionId',
  in: 'path',
  required: true,
  schema: { type: 'string', enum: kindKeys.map((key) => kinds[key]).flatMap((it) => (it.record ? [it.segment] : [])) },
}
const featureId: Parameter = { name: 'featureId', in: 'path', required: true, schema: { type: 'integer' } }

const operation = (
  operationId: string,
  summary: string,
  { parameters = [], type = JSON_TYPE }: { parameters?: readonly Parameter[]; type?: string } = {},
) => ({
  get: {
    operationId,
    summary,
    parameters: [...parameters, format],
    responses: {
      200: { description: 'Found', content: { [type]: { schema: { type: 'object' } } } },
      400: { description: 'A parameter is unknown or cannot be read' },
      ...(parameters.length > 0 && { 404: { description: 'There is no such thing' } }),
    },
  },
})

/**
 * The API document of this door. `/schema/` has that of the whole service. Paths here have no slash at the end, since clients look for the
 * names of the standard. Paths with a slash are answered, too.
 */
export const featureApi = (origin: string) => ({
  openapi: '3.0.3',
  info: { title: 'Heritage records as features', version: '1.0.0' },
  servers: [{ url: `${origin}/ogc` }],
  paths: {
    '/': operation('getLandingPage', 'The first page'),
    '/conformance': operation('getConformance', 'The classes that hold'),
    '/api': operation('getApi', 'This document', { type: `${API_TYPE}${API_VERSION}` }),
    '/collections': operation('getCollections', 'The collections'),
    '/collections/{collectionId}': operation('describeCollection', 'One collection', { parameters: [collectionId] }),
    '/collections/{collectionId}/items': operation('getFeatures', 'A page of features', {
      parameters: [collectionId, bbox, datetime, limit, offset, hint],
      type: GEO_JSON,
    }),
    '/collections/{collectionId}/items/{featureId}': operation('getFeature', 'One feature', {
      parameters: [collectionId, featureId],
      type: GEO_JSON,
    }),
  },
})
