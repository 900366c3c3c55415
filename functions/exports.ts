import { currentListing } from '../lib/exports/listing.ts'
import { links } from '../lib/files/blobs.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { publicRoute, type Routes } from '../lib/http/route.ts'

const types = { csv: 'text/csv; charset=utf-8', jsonl: 'application/jsonl; charset=utf-8' } as const

/** Seconds for which the addresses in the list are good. */
const GOOD_FOR = 3600

/** The files that the exporter has made of what everyone may read. */
export const routes = {
  'GET /data/exports/': publicRoute({
    permission: 'export.read',
    // The addresses end.
    handle: async () => {
      const listing = await currentListing()
      if (!listing) return { made_at: null, licence: null, files: [] }
      const { made_at, licence } = listing
      const link = await links(GOOD_FOR)
      const files = listing.files.map(({ key, ...file }) => ({
        ...file,
        url: link(key, { type: types[file.format], disposition: `attachment; filename="${file.name}"` }),
      }))
      return { made_at, licence, files }
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)
