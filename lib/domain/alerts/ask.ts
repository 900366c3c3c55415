import { request as requestByHttp } from 'node:http'
import { request as requestByHttps } from 'node:https'
import * as v from 'valibot'
import { isPublicUrl, publicOnly } from '../webhooks/send.ts'

/** What another server says of an address. `unknown`: it did not answer, or its answer shows none of the other verdicts. */
export type Verdict = { is: 'there'; label?: string } | { is: 'gone' } | { is: 'moved'; to: string } | { is: 'unknown' }

/** How other servers are asked. `guarded`: only at public addresses. `wikidata`: the origin of Wikidata. */
export type AskingTerms = { guarded: boolean; wikidata: string; attemptMs?: number }
export const publicTerms: AskingTerms = { guarded: true, wikidata: 'https://www.wikidata.org' }

const ATTEMPT_MS = 10_000
/** The most bytes that are read of an answer. An answer of Wikidata about 50 items has some 20 KB. */
const MOST_BYTES = 2_000_000
/** Items in one question to Wikidata. */
export const IN_LOT = 50

type Reply = { status: number; location: string | undefined; text: string }

/**
 * Asks an address by `HEAD`, and by `GET` if that is not served. Redirects are not followed. Any failure gives `unknown`, since a server
 * may be down for a day.
 */
export async function askAddress(address: string, terms: AskingTerms): Promise<Verdict> {
  const head = await send('HEAD', address, terms).catch(() => undefined)
  const reply =
    head && [403, 405, 501].includes(head.status) ? await send('GET', address, terms).catch(() => undefined) : head
  if (!reply) return { is: 'unknown' }
  if (reply.status === 404 || reply.status === 410) return { is: 'gone' }
  if ([301, 308].includes(reply.status) && reply.location) return movedTo(reply.location, address)
  return reply.status < 400 ? { is: 'there' } : { is: 'unknown' }
}

/** The verdict on a permanent redirect. If only the scheme or the last slash changes, as from http to https, the address is `there`. */
function movedTo(location: string, from: string): Verdict {
  if (!URL.canParse(location, from)) return { is: 'unknown' }
  const to = new URL(location, from)
  const plain = ({ host, pathname, search }: URL) => `${host}${pathname.replace(/\/$/, '')}${search}`
  return plain(to) === plain(new URL(from)) ? { is: 'there' } : { is: 'moved', to: to.href }
}

const Entities = v.object({
  entities: v.record(
    v.string(),
    v.object({
      missing: v.optional(v.unknown()),
      id: v.optional(v.string()),
      labels: v.optional(v.record(v.string(), v.object({ value: v.string() }))),
    }),
  ),
})

/** Asks Wikidata for up to 50 items by one question: which are gone, which were merged into others, and what they are called. */
export async function askWikidata(ids: readonly string[], terms: AskingTerms): Promise<Map<string, Verdict>> {
  const query = `action=wbgetentities&format=json&props=info%7Clabels&languages=en&redirects=yes&ids=${ids.join('%7C')}`
  const reply = await send('GET', `${terms.wikidata}/w/api.php?${query}`, terms).catch(() => undefined)
  const parsed = v.safeParse(Entities, jsonOf(reply?.status === 200 ? reply.text : ''))
  const known = parsed.success ? parsed.output.entities : {}
  return new Map(ids.map((id) => [id, verdictOn(id, known)]))
}

function verdictOn(id: string, known: v.InferOutput<typeof Entities>['entities']): Verdict {
  const item = known[id]
  if (!item) return { is: 'unknown' }
  if (item.missing !== undefined) return { is: 'gone' }
  if (item.id !== undefined && item.id !== id) return { is: 'moved', to: `http://www.wikidata.org/entity/${item.id}` }
  const label = item.labels?.en?.value
  return label === undefined ? { is: 'there' } : { is: 'there', label }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Sends one question. If `guarded`, the connection goes to the very address that was checked, and only to a public one. */
async function send(method: 'HEAD' | 'GET', address: string, terms: AskingTerms): Promise<Reply> {
  const at = new URL(address)
  if (terms.guarded && !(await isPublicUrl(at))) throw new Error('not a public address')
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const request = (at.protocol === 'https:' ? requestByHttps : requestByHttp)(at, {
    method,
    headers: { 'user-agent': 'heritage-links/1', accept: '*/*' },
    agent: false,
    signal: AbortSignal.timeout(terms.attemptMs ?? ATTEMPT_MS),
    ...(terms.guarded && { lookup: publicOnly }),
  })
  request.once('response', (response) => {
    const { statusCode: status = 0, headers } = response
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MOST_BYTES) response.destroy(new Error('too large'))
      else chunks.push(chunk)
    })
    response.once('error', reject)
    response.once('end', () => resolve({ status, location: headers.location, text: Buffer.concat(chunks).toString() }))
  })
  request.once('error', reject)
  request.end()
  return promise
}
