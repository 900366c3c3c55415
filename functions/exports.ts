import * as v from 'valibot'
import { notFound } from '../lib/base/errors.ts'
import * as s from '../lib/base/shapes.ts'
import { exportContents, exportFormats, loadListing, mediaTypes, ZIP } from '../lib/doors/exports/listing.ts'
import { loadSitemapPart, robotsText, sitemapIndex } from '../lib/doors/exports/sitemap.ts'
import { createLinks } from '../lib/engines/bucket/index.ts'
import { bytes, ok } from '../lib/platform/http/answer.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { replyContent } from '../lib/platform/http/reply.ts'
import { publicRoute, type Routes } from '../lib/platform/http/route.ts'

/** Seconds for which the addresses in the list are valid. */
const GOOD_FOR = 3600

const XML = 'application/xml'
/** The name of a part of the sitemap: `1.xml.gz`. */
const PartName = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{0,3}\.xml\.gz$/),
  v.transform((name) => Number.parseInt(name, 10)),
)

const exportFile = () =>
  v.object({
    name: s.text,
    kind: s.text,
    format: s.oneOf(exportFormats),
    holds: s.oneOf(exportContents),
    rows: s.whole,
    bytes: s.whole,
    sha256: s.text,
    url: s.text,
  })
const exportBag = () => v.object({ name: s.text, bytes: s.whole, sha256: s.text, url: s.text })
/** The files that the last run of the export made, and all of them as one bag. `made_at` is null before the first. */
const ExportsView = s.shape('Exports', () =>
  v.object({
    made_at: s.maybe(s.time),
    licence: s.maybe(s.text),
    files: v.array(exportFile()),
    bag: s.maybe(exportBag()),
  }),
)

/** The files of public records that the exporter has made. */
export const routes = {
  'GET /data/exports/': publicRoute({
    permission: 'export.read',
    summary: 'List the files of all that is published',
    description:
      'JSON Lines and CSV of each kind, with the provenance of every value. `bag` is all of them as a ZIP: a bag (RFC 8493) with RO-Crate metadata. An address is good for an hour.',
    answer: ok(ExportsView),
    // The addresses expire.
    handle: async () => {
      const listing = await loadListing()
      if (!listing) return { made_at: null, licence: null, files: [], bag: null }
      const { made_at, licence } = listing
      const link = await createLinks(GOOD_FOR)
      const withLink = async <F extends { key: string; name: string }>({ key, ...file }: F, type: string) => ({
        ...file,
        url: await link(key, { type, disposition: `attachment; filename="${file.name}"` }),
      })
      const files = await Promise.all(listing.files.map((file) => withLink(file, mediaTypes[file.format])))
      return { made_at, licence, files, bag: listing.bag ? await withLink(listing.bag, ZIP) : null }
    },
  }),

  'GET /robots.txt/': publicRoute({
    permission: 'export.read',
    summary: 'Tell crawlers what they may read',
    answer: bytes('text/plain'),
    cache: { control: 'public, max-age=3600' },
    handle: async ({ request }) => replyContent(robotsText(request.origin), 'text/plain; charset=utf-8'),
  }),

  'GET /sitemap.xml/': publicRoute({
    permission: 'export.read',
    summary: 'List the parts of the sitemap',
    description: 'Made once a day: the addresses of all that everyone may read, up to 50,000 in a part.',
    answer: bytes(XML),
    handle: async ({ request }) => {
      const listing = await loadListing()
      return replyContent(sitemapIndex(request.origin, listing?.sitemap ?? []), XML)
    },
  }),

  'GET /sitemap/{part}/': publicRoute({
    permission: 'export.read',
    summary: 'Read a part of the sitemap',
    description: 'XML in gzip, as sitemaps may be.',
    answer: bytes('application/gzip'),
    errors: [404],
    params: v.object({ part: PartName }),
    handle: async ({ params, request }) => {
      const part = (await loadListing())?.sitemap[params.part - 1]
      const file = part && (await loadSitemapPart(part, request.origin))
      if (!file) throw notFound()
      return replyContent(file, 'application/gzip')
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)
