import * as v from 'valibot'
import { endpoint } from '../lib/http/endpoint.ts'
import { content } from '../lib/http/reply.ts'
import type { Request } from '../lib/http/request.ts'
import { publicRoute, type Routes } from '../lib/http/route.ts'
import { answerOf } from '../lib/oai/answer.ts'
import { argumentNames } from '../lib/oai/arguments.ts'

/** What is wrong with an argument is told as the protocol wants it, so all are taken as they come. */
const Arguments = v.object(v.entriesFromList(argumentNames, v.optional(v.string())))

const answer = async (request: Request, sent: string) =>
  content(await answerOf({ origin: request.origin, sent: new URLSearchParams(sent) }), 'text/xml; charset=utf-8')

/** OAI-PMH 2.0 over the feed of changes. */
export const routes = {
  'GET /data/oai/': publicRoute({
    permission: 'feed.read',
    query: Arguments,
    handle: async ({ request }) => answer(request, request.rawQuery),
  }),

  'POST /data/oai/': publicRoute({
    permission: 'feed.read',
    body: Arguments,
    urlencoded: true,
    handle: async ({ body, request }) => answer(request, isForm(request) ? request.body.toString() : queryOf(body)),
  }),
} satisfies Routes

export const handler = endpoint(routes)

/** Of a form each argument counts, that it is repeated too. */
const isForm = ({ headers }: Request) => /^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? '')
const queryOf = (body: object) => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(body)) if (value !== undefined) query.set(name, String(value))
  return query.toString()
}
