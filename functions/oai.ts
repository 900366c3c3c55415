import * as v from 'valibot'
import { feedKinds } from '../lib/domain/feed/read.ts'
import { argumentNames, verbNames } from '../lib/doors/oai/arguments.ts'
import { bytes } from '../lib/platform/http/answer.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { replyContent } from '../lib/platform/http/reply.ts'
import type { Request } from '../lib/platform/http/request.ts'
import { publicRoute, type Routes } from '../lib/platform/http/route.ts'
import { documentAs } from '../lib/platform/http/schema-notes.ts'

const ABOUT_PROTOCOL = [
  'Records in unqualified Dublin Core, in sets by kind. Deleted records are `persistent`: what was public once is told of as',
  'deleted for as long as it is not. Errors of the protocol are answered with status 200, as it wants.',
].join(' ')

/** Takes every text: a wrong argument is reported by the protocol's own errors, with status 200. */
const anyText = v.optional(v.string())
const oneOfWords = (words: readonly string[]) =>
  v.pipe(v.optional(v.string()), documentAs({ type: 'string', enum: words }))
const Arguments = v.object({
  ...v.entriesFromList(argumentNames, anyText),
  verb: oneOfWords(verbNames),
  metadataPrefix: oneOfWords(['oai_dc']),
  set: oneOfWords(feedKinds),
})

async function answer({ origin }: Request, sent: string) {
  const { answerOai } = await import('../lib/doors/oai/answer.ts')
  return replyContent(await answerOai({ origin, sent: new URLSearchParams(sent) }), 'text/xml; charset=utf-8')
}

/** OAI-PMH 2.0 over the feed of changes. */
export const routes = {
  'GET /data/oai/': publicRoute({
    permission: 'feed.read',
    summary: 'Harvest by OAI-PMH 2.0',
    description: ABOUT_PROTOCOL,
    answer: bytes('text/xml'),
    query: Arguments,
    handle: async ({ request }) => answer(request, request.rawQuery),
  }),

  'POST /data/oai/': publicRoute({
    permission: 'feed.read',
    summary: 'Harvest by OAI-PMH 2.0, with a form',
    description: ABOUT_PROTOCOL,
    answer: bytes('text/xml'),
    body: Arguments,
    urlencoded: true,
    handle: async ({ body, request }) => answer(request, isForm(request) ? request.body.toString() : queryOf(body)),
  }),
} satisfies Routes

export const handler = endpoint(routes)

/** A form is passed on as it was sent, since the protocol reports repeated arguments. */
const isForm = ({ headers }: Request) => /^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? '')
const queryOf = (body: object) => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(body)) if (value !== undefined) query.set(name, String(value))
  return query.toString()
}
