import '../lib/domain/composition.ts'
import * as v from 'valibot'
import { invalidObject } from '../lib/base/errors.ts'
import * as s from '../lib/base/shapes.ts'
import { answerMessage } from '../lib/doors/mcp/answer.ts'
import { objectOf } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { jsonText, Reply } from '../lib/platform/http/reply.ts'
import { publicRoute, type Routes } from '../lib/platform/http/route.ts'
import type { Actor } from '../lib/platform/permissions.ts'

const McpMessageView = s.shape('McpMessage', () =>
  v.object({
    jsonrpc: s.text,
    id: v.optional(v.unknown()),
    result: v.optional(v.unknown()),
    error: v.optional(v.unknown()),
  }),
)

/** A message that asks for an answer. A notification has no `id`. */
const McpRequestView = s.shape('McpRequest', () =>
  v.object({
    jsonrpc: s.text,
    id: v.optional(v.unknown()),
    method: s.text,
    params: v.optional(v.unknown()),
  }),
)

const NO_MESSAGE = 'This is no message of the protocol, or its version is not spoken here.'

/** The limit of proposals of one key in a day. Reviewers have to read each proposal. */
const proposals = {
  scope: 'machine_proposals',
  rate: { limit: 100, seconds: 86_400 },
  per: ({ actor }: { actor: Actor | null }) => actor?.key?.id ?? 'nobody',
  counts: 'in the handler',
} as const

/** The Model Context Protocol: tools by which machines search, read, and propose. */
export const routes = {
  'POST /mcp/': publicRoute({
    permission: 'machine.ask',
    summary: 'Answer a machine by the Model Context Protocol',
    description: [
      'Streamable HTTP without sessions: one message of JSON-RPC, one answer as JSON. The tools search, read a record with the source of',
      'each value, explain a value and suggest duplicates without a key. `propose_value` takes a key with the scope `propose`, up to 100',
      'times a day; what it proposes waits for review, marked as made by a machine.',
    ].join(' '),
    answer: { 200: { shape: McpMessageView }, 202: null },
    translatedPaths: [],
    body: objectOf(v.string(), v.unknown(), 'Send one message of JSON-RPC.'),
    shownBody: McpRequestView,
    throttles: [proposals],
    handle: async ({ body, actor, unit, count, request }) => {
      const { status, body: answer } = await answerMessage(
        { message: body, protocol: request.headers['mcp-protocol-version'] },
        {
          actor,
          reader: readerOf(actor),
          origin: request.origin,
          unit,
          countProposal: () => count('machine_proposals'),
        },
      )
      if (status === 202) return new Reply(202, undefined)
      if (status !== 200 || !answer) throw invalidObject(NO_MESSAGE)
      return new Reply(200, jsonText({ jsonrpc: '2.0', ...answer }), { 'content-type': 'application/json' })
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)

/** The reader for whom the tools answer. A key without the scope `read` reads what everyone reads. */
const readerOf = (actor: Actor | null): Actor | null => (actor?.key?.scopes.includes('read') === false ? null : actor)
