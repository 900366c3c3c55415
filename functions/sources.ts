import '../lib/effects/search-documents.ts'
import * as v from 'valibot'
import { newId } from '../lib/clock.ts'
import { findSources } from '../lib/clusters/search.ts'
import { invalid, notFound } from '../lib/errors.ts'
import { withTables } from '../lib/exports/list-tables.ts'
import { admit, keep } from '../lib/files/admit.ts'
import { getObject, putObject } from '../lib/files/blobs.ts'
import { sniff } from '../lib/files/media/check.ts'
import { inMemory } from '../lib/files/media/source.ts'
import { answering, creating } from '../lib/http/answering.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { LINKED } from '../lib/http/media.ts'
import { listAddress, listBody } from '../lib/http/page.ts'
import { ById } from '../lib/http/params.ts'
import { content, noContent } from '../lib/http/reply.ts'
import { actorRoute, changeRoute, type ListCall, listRoute, type Routes, readRoute } from '../lib/http/route.ts'
import { kinds, schemaOf } from '../lib/kinds/index.ts'
import { linkedList } from '../lib/linked/list.ts'
import { linkedSource, linkedSourceRow } from '../lib/linked/record.ts'
import { named, withFile } from '../lib/loose-files.ts'
import { needsSearch } from '../lib/search/open.ts'
import { SourceQuery } from '../lib/sources/queries.ts'
import * as sources from '../lib/sources/sources.ts'
import { sourceView } from '../lib/sources/view.ts'
import type { Write } from '../lib/table/item.ts'
import { signedToday } from '../lib/users/people.ts'

const subject = ({ id }: { id: string }) => sources.load(id)
const Made = v.intersect([schemaOf(kinds.data_source, 'create'), v.object({ uploaded_file: uploadedFile() })])

/** The page of the list that is asked for, whatever it is then written as. */
async function listed({
  query: { name, ordering, ...wanted },
  actor,
  scope,
  page,
  request,
}: ListCall<typeof SourceQuery>) {
  const filter = { ...wanted, ...ordering }
  const found = name
    ? await sources.named(name, filter, actor, page)
    : needsSearch(filter)
      ? await findSources(filter, actor, scope, page)
      : await sources.list(filter, scope, page)
  return listBody(request, page, { ...found, results: await signedToday('contributed_by', found.results) })
}

/** Data sources: the books, surveys and collections that records name. */
export const routes = withTables({
  'GET /cidoc/data_sources/': listRoute({
    permission: 'source.list',
    query: SourceQuery,
    handle: async (asked) => {
      const { results, ...page } = await listed(asked)
      return { ...page, results: results.map((it) => sourceView(it, asked.request.origin)) }
    },
    representations: {
      [LINKED]: async (asked) => {
        const { origin } = asked.request
        const id = `${origin}/cidoc/data_sources/${listAddress(asked.request).search}`
        const { labelPlural: label } = kinds.data_source
        return linkedList(await listed(asked), { id, label }, (it) => linkedSourceRow(it, origin))
      },
    },
  }),

  'POST /cidoc/data_sources/': actorRoute({
    permission: 'source.create',
    // What a gateway lets through at all; between this and LARGEST the answer says what is wrong.
    form: { bytes: 6_000_000, json: true },
    body: Made,
    idempotent: '24h',
    handle: ({ actor, body, request }) =>
      stored(body.uploaded_file, (upload, also) =>
        creating(
          () => sources.create(body.data, actor, upload, also),
          (made) => shown(made, request.origin),
        ),
      ),
  }),

  'GET /cidoc/data_sources/{id}/': readRoute({
    permission: 'source.read',
    params: ById,
    subject,
    handle: async ({ subject, request }) => shown(subject, request.origin),
    representations: {
      [LINKED]: async ({ subject, request }) => linkedSource(await signed(subject), request.origin),
    },
  }),

  'GET /cidoc/data_sources/{id}/file/': readRoute({
    permission: 'source.read',
    params: ById,
    subject,
    handle: async ({ subject: { id, upload } }) => {
      const stored = upload && (await getObject(upload.key))
      if (!stored) throw notFound()
      const name = `${id}.${extensions[stored.type] ?? 'bin'}`
      return content(stored.bytes, stored.type, { 'content-disposition': `attachment; filename="${name}"` })
    },
  }),

  'PUT /cidoc/data_sources/{id}/': changeRoute({
    permission: 'source.change',
    params: ById,
    subject,
    body: schemaOf(kinds.data_source, 'create'),
    handle: ({ subject, body, request }) =>
      answering(
        () => sources.amend(subject, body.data, [], true),
        (next) => shown(next, request.origin),
      ),
  }),

  'PATCH /cidoc/data_sources/{id}/': changeRoute({
    permission: 'source.change',
    params: ById,
    subject,
    body: schemaOf(kinds.data_source, 'change'),
    handle: ({ subject, body, request }) =>
      answering(
        () => sources.amend(subject, body.data, body.cleared, false),
        (next) => shown(next, request.origin),
      ),
  }),

  'POST /cidoc/data_sources/{id}/restore/': changeRoute({
    permission: 'source.restore',
    params: ById,
    subject,
    handle: ({ subject, request }) =>
      answering(
        () => sources.restore(subject),
        (next) => shown(next, request.origin),
      ),
  }),

  'DELETE /cidoc/data_sources/{id}/': changeRoute({
    permission: 'source.change',
    params: ById,
    subject,
    handle: async ({ subject }) => {
      await sources.remove(subject)
      return noContent()
    },
  }),
} satisfies Routes)

export const handler = endpoint(routes)

const signed = async (it: sources.Source) => (await signedToday('contributed_by', [it]))[0] ?? it
const shown = async (it: sources.Source, origin: string) => sourceView(await signed(it), origin)

/** In base64 this just fits into the largest answer that a function may give. */
const LARGEST = 4_500_000

type Work<T> = (upload: sources.Upload | null, also: readonly Write[]) => Promise<T>

/**
 * The file goes first, so that no source ever points at nothing; it goes again when there is no source for it, by the sweeper
 * at the latest. `also` is written with the source.
 */
async function stored<T>(file: File | null, work: Work<T>): Promise<T> {
  if (!file) return work(null, [])
  const put = await admitted(await file.bytes())
  const key = `data-sources/${newId()}`
  return withFile(key, async (expected) => work({ key, ...(await put(key)) }, [named(expected)]))
}

/** A form that has the member and no file in it sends blank text, or a file without a name. */
function uploadedFile() {
  return v.pipe(
    v.nullish(v.union([v.literal(''), v.instance(File)], 'Send a file.'), null),
    v.transform((it) => (it === '' || it?.name === '' ? null : it)),
    v.check((it) => it === null || it.size > 0, 'The file is empty.'),
    v.check((it) => it === null || it.size <= LARGEST, 'The file is larger than 4.5 MB.'),
  )
}

type Stored = { content_type: string; size: number }

/** What puts a file under a key, and answers its type and size as it is kept. Fails with `invalid` where it is neither wholly of one type nor plain text. */
async function admitted(bytes: Uint8Array): Promise<(key: string) => Promise<Stored>> {
  const source = inMemory(bytes)
  const type = sniff(source)
  if (types.some((it) => it === type)) {
    const checked = await admit(source, {}, { member: 'uploaded_file', types })
    const { content_type } = checked
    return async (key) => ({ content_type, size: (await keep(key, source, checked)).size })
  }
  if (!isText(bytes)) throw invalid({ uploaded_file: ['Send a PDF, JPEG, PNG or WebP file, or plain text.'] })
  return async (key) => {
    await putObject(key, bytes, TEXT)
    return { content_type: TEXT, size: bytes.length }
  }
}

const types = ['application/pdf', 'image/jpeg', 'image/png', 'image/webp'] as const
const TEXT = 'text/plain; charset=utf-8'
const extensions: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  [TEXT]: 'txt',
}

/** UTF-8 without control characters. Markup counts as text too: it is answered as plain text and as an attachment. */
function isText(bytes: Uint8Array): boolean {
  try {
    return !/[^\P{Cc}\t\n\f\r]/u.test(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return false
  }
}
