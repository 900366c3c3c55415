import * as v from 'valibot'
import { notFound } from '../lib/base/errors.ts'
import * as s from '../lib/base/shapes.ts'
import {
  type ExportListing,
  exportContents,
  exportFormats,
  loadListing,
  mediaTypes,
  ZIP,
} from '../lib/doors/exports/listing.ts'
import { loadSitemapPart, robotsText, sitemapIndex } from '../lib/doors/exports/sitemap.ts'
import type { Asked } from '../lib/doors/fragments/answer.ts'
import { loadIndex } from '../lib/doors/fragments/stored.ts'
import { linkedAnswer, linkedHandlers } from '../lib/doors/linked/rdf.ts'
import { createLinks } from '../lib/engines/bucket/index.ts'
import { bytes, ok } from '../lib/platform/http/answer.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { type RdfType, rdfTypes, TRIG } from '../lib/platform/http/media.ts'
import { wholeNumber } from '../lib/platform/http/params.ts'
import { replyContent, replySeeOther } from '../lib/platform/http/reply.ts'
import type { Request } from '../lib/platform/http/request.ts'
import { publicRoute, type Routes } from '../lib/platform/http/route.ts'

const ABOUT_FRAGMENTS = [
  'Of `subject`, `predicate` and `object` each is an address, a text in quotes (`"Patan"@en`), or left open. A page has 100 statements, their number and',
  'the controls to go on (Hydra). `values` restricts the variables of the pattern to up to 64 bindings (brTPF): `(?s) { (<http://example.org/1>) }`. The statements are those of the last run of the export, without the provenance of values: their claims are named.',
].join(' ')

/** The subject, predicate or object of a pattern. */
const Term = v.optional(v.pipe(v.string(), v.maxLength(4000)))

type FragmentCall = { query: Omit<Asked, 'page'> & { page: number }; request: Request }
async function fragment({ query, request }: FragmentCall, type: RdfType | typeof TRIG): Promise<string> {
  const { writeFragment } = await import('../lib/doors/fragments/answer.ts')
  const { origin, rawQuery } = request
  const address = `${origin}/fragments/${rawQuery && `?${rawQuery}`}`
  return writeFragment(await indexOf(await loadListing()), query, { origin, address, type })
}

/** Loads the index of the fragments of a run. Undefined before the first run. */
async function indexOf(listing: ExportListing | undefined) {
  const [key] = listing?.fragments ?? []
  return key === undefined ? undefined : loadIndex(key)
}

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
const downloadOf = (name: string, type: string) => ({ type, disposition: `attachment; filename="${name}"` })
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
      'JSON Lines and CSV of each kind, with the provenance of every value, and the statements as N-Quads. `bag` is all of them as a ZIP: a bag (RFC 8493) with RO-Crate metadata. An address is good for an hour.',
    answer: ok(ExportsView),
    // There is no `cache`, since the addresses expire.
    handle: async () => {
      const listing = await loadListing()
      if (!listing) return { made_at: null, licence: null, files: [], bag: null }
      const { made_at, licence } = listing
      const link = await createLinks(GOOD_FOR)
      const withLink = async <F extends { key: string; name: string }>({ key, ...file }: F, type: string) => ({
        ...file,
        url: await link(key, downloadOf(file.name, type)),
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
  'GET /fragments/': publicRoute({
    permission: 'export.read',
    summary: 'Ask for the public statements that fit a pattern: Triple Pattern Fragments',
    description: ABOUT_FRAGMENTS,
    answer: bytes(TRIG, ...rdfTypes),
    cache: { control: 'public, max-age=60' },
    query: v.object({
      ...{ subject: Term, predicate: Term, object: Term },
      values: v.optional(v.pipe(v.string(), v.maxLength(20_000))),
      page: wholeNumber(1, 1_000_000),
    }),
    handle: async (call) => replyContent(await fragment(call, TRIG), TRIG),
    representations: {
      [TRIG]: (call) => fragment(call, TRIG),
      'application/n-quads': (call) => fragment(call, 'application/n-quads'),
      'application/n-triples': (call) => fragment(call, 'application/n-triples'),
      'text/turtle': (call) => fragment(call, 'text/turtle'),
      'application/rdf+xml': (call) => fragment(call, 'application/rdf+xml'),
    },
  }),
  'GET /data/exports/{name}/': publicRoute({
    permission: 'export.read',
    summary: 'Read one of these files, at an address that stays',
    answer: { 303: null },
    errors: [404],
    params: v.object({ name: s.text }),
    handle: async ({ params: { name } }) => {
      const file = (await loadListing())?.files.find((it) => it.name === name)
      if (!file) throw notFound()
      const link = await createLinks(GOOD_FOR)
      return replySeeOther(await link(file.key, downloadOf(name, mediaTypes[file.format])))
    },
  }),

  'GET /.well-known/void/': publicRoute({
    permission: 'export.read',
    summary: 'Read what the public data is as a whole: VoID and DCAT',
    description: 'With its files, its number of statements and of records by kind. Turtle, or what `Accept` names.',
    answer: linkedAnswer,
    cache: { control: 'public, max-age=300' },
    translatedPaths: [],
    ...linkedHandlers(describe),
  }),
} satisfies Routes

async function describe(origin: string) {
  const [{ describeDataset }, listing] = await Promise.all([import('../lib/doors/fragments/dataset.ts'), loadListing()])
  if (!listing) return describeDataset(undefined, origin)
  const index = await indexOf(listing)
  const files = listing.files.map((file) => ({ ...file, type: mediaTypes[file.format].split(';')[0] ?? '' }))
  return describeDataset({ ...listing, files, triples: index?.spo.lines ?? 0 }, origin)
}

export const handler = endpoint(routes)
