import { gunzipSync, gzipSync } from 'node:zlib'
import { escapeHtml } from '../../base/text.ts'
import { changedAt, type RecordRow } from '../../domain/records/items.ts'
import { getObject, putObject } from '../../engines/bucket/index.ts'

/**
 * The sitemap: the addresses of all that everyone may read, in parts. The exporter writes the parts once a day, so that a request reads only
 * the bucket. A part is stored as lines of path and day: the host is that of the request.
 */

/** The most addresses of a part, by the protocol of sitemaps. */
const MOST_ADDRESSES = 50_000

/** A part: its key in the bucket, how many addresses it has, and the day of its newest change. */
export type SitemapPart = { key: string; addresses: number; changed: string }

type Listed = Pick<RecordRow, 'kind' | 'id'> & Parameters<typeof changedAt>[0]
/** A sitemap in the making. */
export type Sitemap = {
  /** Adds records that have an address that stays. */
  add: (records: readonly Listed[]) => Promise<void>
  end: () => Promise<SitemapPart[]>
}

/** Gathers addresses, and stores a part whenever it is full. */
export function startSitemap(folder: string): Sitemap {
  const parts: SitemapPart[] = []
  let lines: string[] = []
  let changed = ''
  const store = async () => {
    const key = `${folder}/sitemap-${parts.length + 1}.gz`
    await putObject(key, gzipSync(lines.join('\n')), 'application/gzip')
    parts.push({ key, addresses: lines.length, changed })
    lines = []
    changed = ''
  }
  return {
    add: async (records) => {
      for (const record of records) {
        const day = changedAt(record).slice(0, 10)
        lines.push(`${record.kind}/${record.id} ${day}`)
        if (day > changed) changed = day
        if (lines.length === MOST_ADDRESSES) await store()
      }
    },
    end: async () => {
      if (lines.length > 0) await store()
      return parts
    },
  }
}

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

/** The index of the parts. */
export const sitemapIndex = (origin: string, parts: readonly SitemapPart[]): string =>
  `${HEAD}<sitemapindex ${NAMESPACE}>\n${parts
    .map(
      ({ changed }, i) =>
        `<sitemap><loc>${escapeHtml(origin)}/sitemap/${i + 1}.xml.gz</loc><lastmod>${changed}</lastmod></sitemap>\n`,
    )
    .join('')}</sitemapindex>\n`

/** A part as a gzipped file of XML. Undefined if it is gone. */
export async function loadSitemapPart({ key }: SitemapPart, origin: string): Promise<Buffer | undefined> {
  const object = await getObject(key)
  if (!object) return undefined
  const host = escapeHtml(origin)
  const urls = gunzipSync(object.bytes)
    .toString()
    .split('\n')
    .map((line) => {
      const [path, day] = line.split(' ')
      return `<url><loc>${host}/resource/${path}</loc><lastmod>${day}</lastmod></url>\n`
    })
  return gzipSync(`${HEAD}<urlset ${NAMESPACE}>\n${urls.join('')}</urlset>\n`, { level: 1 })
}

/** What crawlers may read: all but answers to questions, which have no limit in number. `*` stands for any letters (RFC 9309, 2.2.3). */
export const robotsText = (origin: string): string =>
  `User-agent: *
Disallow: /*?q=
Disallow: /*&q=
Disallow: /*data/search
Disallow: /*data/api/search
Disallow: /*cidoc/search

Sitemap: ${origin}/sitemap.xml
`
