import * as v from 'valibot'
import { config } from '../lib/base/config.ts'
import * as s from '../lib/base/shapes.ts'
import { loadShippedFile, unpackFile } from '../lib/base/telemetry/shipped-files.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { lenientChoice } from '../lib/platform/http/params.ts'
import { replyContent } from '../lib/platform/http/reply.ts'
import type { Request } from '../lib/platform/http/request.ts'
import { publicRoute, type Routes } from '../lib/platform/http/route.ts'
import { takesGzip } from '../lib/platform/http/shell.ts'

/** The files of the page and their types. Nothing else is served. */
const files = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'favicon.png': 'image/png',
} as const
const DocumentAddress = v.object({
  file: v.picklist(['swagger-ui.css', 'swagger-ui-bundle.js', 'page.css', 'page.js', 'favicon.png']),
})

/** The page loads from its own origin only, and no other page may frame it. Swagger UI has its icons as data URLs. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const operation = () => v.objectWithRest({ operationId: s.text, summary: s.text, tags: v.array(s.text) }, v.unknown())
/** The API document, as OpenAPI 3.1 defines it. */
const ApiDocumentView = s.shape('ApiDocument', () =>
  v.objectWithRest(
    {
      openapi: s.text,
      info: v.objectWithRest({ title: s.text, version: s.text }, v.unknown()),
      paths: v.record(v.string(), v.record(v.string(), operation())),
    },
    v.unknown(),
  ),
)

/** The API document, and the page to read and try it. */
export const routes = {
  'GET /schema/': publicRoute({
    permission: 'document.read',
    summary: 'Read this document',
    description: 'As JSON, or with `?format=yaml` or `Accept: application/yaml` as YAML.',
    answer: { 200: { shape: ApiDocumentView, types: ['application/yaml'], etag: true } },
    example: () => ({ openapi: '3.1.1', info: { title: 'Heritage knowledge service', version: '0.2.0' }, paths: {} }),
    cache: { control: 'public, max-age=300' },
    query: v.object({ format: lenientChoice(['json', 'yaml']) }),
    handle: async ({ query, request }) =>
      wantsYaml(query.format, request)
        ? file('openapi.yaml', 'application/yaml', request, byAccept)
        : file('openapi.json', 'application/json', request, byAccept),
  }),

  'GET /docs/': publicRoute({
    permission: 'document.read',
    summary: 'Read this document as a page',
    answer: { 200: { types: ['text/html'], etag: true } },
    cache: { control: 'public, max-age=300' },
    handle: async ({ request }) =>
      file(config.devMode ? 'page-dev.html' : 'page.html', 'text/html; charset=utf-8', request, {
        'content-security-policy': policy,
      }),
  }),

  'GET /docs/{file}/': publicRoute({
    permission: 'document.read',
    summary: 'Read a file of the page',
    answer: { 200: { types: ['text/javascript', 'text/css', 'image/png'], etag: true } },
    cache: { control: 'public, max-age=300' },
    params: DocumentAddress,
    handle: async ({ params, request }) => file(params.file, files[params.file], request),
  }),
} satisfies Routes

export const handler = endpoint(routes)

const byAccept = { vary: 'Origin, Accept-Encoding, Accept' }
const wantsYaml = (format: string, { headers }: Request) =>
  format ? format === 'yaml' : /\byaml\b/i.test(headers.accept ?? '')

/** Replies with a shipped file: compressed, as it is stored, if the client accepts that. */
async function file(name: string, type: string, request: Request, headers: Record<string, string> = {}) {
  const found = await loadShippedFile(name)
  const packed = takesGzip(request)
  return replyContent(packed ? found.packed : unpackFile(found), type, {
    // Each encoding is a representation, and a strong ETag belongs to one.
    etag: packed ? `"${found.tag}-gzip"` : `"${found.tag}"`,
    ...(packed && { 'content-encoding': 'gzip' }),
    ...headers,
  })
}
