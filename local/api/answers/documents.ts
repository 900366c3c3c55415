import type { routes } from '../../../functions/documents.ts'
import type { Answers } from '../answer.ts'
import { ApiDocument } from '../shapes/service.ts'

export const documents: Answers<typeof routes> = {
  'GET /schema/': {
    says: 'Read this document',
    more: 'As JSON, or with `?format=yaml` or `Accept: application/yaml` as YAML.',
    gives: { 200: { shape: ApiDocument, types: ['application/yaml'], etag: true } },
    shows: () => ({ openapi: '3.1.1', info: { title: 'Heritage knowledge service', version: '0.1.0' }, paths: {} }),
  },
  'GET /docs/': { says: 'Read this document as a page', gives: { 200: { types: ['text/html'], etag: true } } },
  'GET /docs/{file}/': {
    says: 'Read a file of the page',
    gives: { 200: { types: ['text/javascript', 'text/css', 'image/png'], etag: true } },
  },
}
