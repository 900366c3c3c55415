import * as v from 'valibot'
import { config } from '../lib/config.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { knownText } from '../lib/http/params.ts'
import { content } from '../lib/http/reply.ts'
import type { Request } from '../lib/http/request.ts'
import { publicRoute, type Routes } from '../lib/http/route.ts'
import { takesGzip } from '../lib/http/shell.ts'
import { shipped, unpacked } from '../lib/ops/shipped-files.ts'

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

/** The page loads from its own origin only, and nothing may frame it. Swagger UI draws its icons as data. */
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

/** The API document, and a page on which it can be read and tried. */
export const routes = {
  'GET /schema/': publicRoute({
    permission: 'document.read',
    cache: { control: 'public, max-age=300' },
    query: v.object({ format: knownText(['json', 'yaml']) }),
    handle: async ({ query, request }) =>
      wantsYaml(query.format, request)
        ? file('openapi.yaml', 'application/yaml', request, byAccept)
        : file('openapi.json', 'application/json', request, byAccept),
  }),

  'GET /docs/': publicRoute({
    permission: 'document.read',
    cache: { control: 'public, max-age=300' },
    handle: async ({ request }) =>
      file(config.devMode ? 'page-dev.html' : 'page.html', 'text/html; charset=utf-8', request, {
        'content-security-policy': policy,
      }),
  }),

  'GET /docs/{file}/': publicRoute({
    permission: 'document.read',
    cache: { control: 'public, max-age=300' },
    params: DocumentAddress,
    handle: async ({ params, request }) => file(params.file, files[params.file], request),
  }),
} satisfies Routes

export const handler = endpoint(routes)

const byAccept = { vary: 'Origin, Accept-Encoding, Accept' }
const wantsYaml = (format: string, { headers }: Request) =>
  format ? format === 'yaml' : /\byaml\b/i.test(headers.accept ?? '')

/** A shipped file: packed as it lies there, where the client takes that. */
async function file(name: string, type: string, request: Request, headers: Record<string, string> = {}) {
  const found = await shipped(name)
  const packed = takesGzip(request)
  return content(packed ? found.packed : unpacked(found), type, {
    // Two encodings are two representations, and a strong tag names one.
    etag: packed ? `"${found.tag}-gzip"` : `"${found.tag}"`,
    ...(packed && { 'content-encoding': 'gzip' }),
    ...headers,
  })
}
