import * as v from 'valibot'
import type { UnitOfWork } from '../../lib/engines/table/index.ts'
import { bytes, creation, empty, ok, withTypes } from '../../lib/platform/http/answer.ts'
import {
  jsonText,
  Reply,
  replyContent,
  replyCreated,
  replyNoContent,
  replySeeOther,
} from '../../lib/platform/http/reply.ts'
import {
  actorRoute,
  changeRoute,
  listRoute,
  publicRoute,
  type Routes,
  readRoute,
} from '../../lib/platform/http/route.ts'
import type { Subject } from '../../lib/platform/permissions.ts'

/** What must not compile: the type check fails when one of these lines stops being an error. */

const handle = async () => 1
const documented = { summary: 'Try something', answer: ok(v.unknown()) }
const subject = async (): Promise<Subject | undefined> => undefined
const uploads = { scope: 'uploads', rate: 'RATE_UPLOADS', per: 'caller' } as const
const signIns = { scope: 'token', rate: 'RATE_TOKEN', per: 'address', counts: 'every call' } as const

export const refused = [
  // @ts-expect-error no permission
  publicRoute({ ...documented, handle }),
  // @ts-expect-error a permission that is spelt wrong
  actorRoute({ ...documented, permission: 'record.craete', handle }),
  // @ts-expect-error a permission of another shape
  publicRoute({ ...documented, permission: 'record.update', handle }),
  // @ts-expect-error a rule that looks at a thing, and nothing that loads it
  changeRoute({ ...documented, permission: 'record.update', handle }),
  // @ts-expect-error the same for reading
  readRoute({ ...documented, permission: 'record.read', handle }),
  // @ts-expect-error a word on caching that names no header
  publicRoute({ ...documented, permission: 'token.create', cache: 'no-store', handle }),
  // @ts-expect-error nobody is known to be signed in
  publicRoute({ ...documented, permission: 'token.create', handle: async ({ actor }) => actor.id }),
  // @ts-expect-error only a list has a scope
  actorRoute({ ...documented, permission: 'record.create', handle: async ({ scope }) => scope }),
  // @ts-expect-error a list needs a permission to list
  listRoute({ ...documented, permission: 'record.read', handle }),
  // @ts-expect-error to read is not to change
  changeRoute({ ...documented, permission: 'record.read', subject, handle }),
  // @ts-expect-error a route without a throttle has nothing to count
  actorRoute({ ...documented, permission: 'record.create', handle: async ({ count }) => count('uploads') }),
  actorRoute({
    ...documented,
    permission: 'record.create',
    throttles: [{ ...uploads, counts: 'every success' }],
    // @ts-expect-error the pipeline counts it already
    handle: async ({ count }) => count('uploads'),
  }),
  actorRoute({
    ...documented,
    permission: 'record.create',
    throttles: [{ ...uploads, counts: 'in the handler' }],
    // @ts-expect-error a throttle that the route does not declare
    handle: async ({ count }) => count('imports'),
  }),
  publicRoute({
    ...documented,
    permission: 'token.create',
    // @ts-expect-error nobody is known to call
    throttles: [{ ...uploads, counts: 'every success' }],
    handle,
  }),
  // @ts-expect-error no variable has this name
  publicRoute({ ...documented, permission: 'token.create', throttles: [{ ...signIns, rate: 'RATE_TOKNE' }], handle }),
  actorRoute({
    ...documented,
    permission: 'record.create',
    // @ts-expect-error the body has no rows
    throttles: [{ ...uploads, counts: 'every success', hits: ({ body }: { body: { rows: number } }) => body.rows }],
    body: v.object({ name: v.string() }),
    handle,
  }),
]

export const counted = [
  publicRoute({ ...documented, permission: 'token.create', throttles: [signIns], handle }),
  actorRoute({
    ...documented,
    permission: 'record.create',
    throttles: [
      { ...uploads, counts: 'in the handler' },
      { ...uploads, scope: 'rows', counts: 'every success', hits: ({ body }: { body: { rows: number } }) => body.rows },
    ],
    body: v.object({ rows: v.number() }),
    handle: async ({ count }) => count('uploads', 2),
  }),
]

// @ts-expect-error a bare function is no route
export const bare = { 'GET /a/': handle } satisfies Routes
// @ts-expect-error nor is a literal with the right members
export const literal = { 'GET /a/': { permission: 'token.create', handle } } satisfies Routes

const good = readRoute({ ...documented, permission: 'record.read', subject, handle })
export const fits = { 'GET /': good, 'GET /a/': good, 'POST /a/{b}/c/': good } satisfies Routes
// @ts-expect-error not a method
export const method = { 'FETCH /a/': good } satisfies Routes
// @ts-expect-error not canonical: no slash at the end
export const path = { 'GET /a': good } satisfies Routes

// A method that may change something gives a unit of work. A GET gives none.
const change = async ({ unit }: { unit: UnitOfWork }) => unit.isEmpty
const write = publicRoute({ ...documented, permission: 'token.create', handle: async ({ unit }) => unit.isEmpty })
export const writes = {
  'POST /a/': publicRoute({ ...documented, permission: 'token.create', handle: async ({ unit }) => unit.isEmpty }),
  'PUT /a/': write,
  'PATCH /a/': actorRoute({ ...documented, permission: 'record.create', handle: change }),
  'DELETE /': write,
  'GET /a/': publicRoute({ ...documented, permission: 'token.create', handle }),
} satisfies Routes
export const writesInRead = {
  // @ts-expect-error a GET gives no unit
  'GET /a/': publicRoute({ ...documented, permission: 'token.create', handle: async ({ unit }) => unit.isEmpty }),
  // @ts-expect-error not even where somebody has signed in
  'GET /b/': actorRoute({ ...documented, permission: 'record.create', handle: async ({ unit }) => unit.isEmpty }),
  // @ts-expect-error nor to a handler that was declared elsewhere
  'GET /c/': actorRoute({ ...documented, permission: 'record.create', handle: change }),
  // @ts-expect-error nor to a route that was
  'GET /d/': write,
  // @ts-expect-error nor to one that changes a stored thing
  'GET /e/': changeRoute({ ...documented, permission: 'record.update', subject, handle }),
  // @ts-expect-error nor at the root
  'GET /': write,
} satisfies Routes

const success = { ...uploads, counts: 'every success' } as const
export const limitedWrite = {
  'POST /a/': actorRoute({ ...documented, permission: 'record.create', throttles: [success], handle }),
} satisfies Routes
export const limitedRead = {
  // @ts-expect-error a GET commits nothing, so it cannot count what it commits
  'GET /a/': actorRoute({ ...documented, permission: 'record.create', throttles: [success], handle }),
} satisfies Routes

// What a handler returns must fit the declared answer: the JSON of a 200, or a reply with a declared status and body.
const Named = v.object({ name: v.string() })
const named = { name: 'Manga Hiti' }
const read = { summary: 'Try something', permission: 'record.read', subject } as const
const MAP = 'application/geo+json'
const mapped = withTypes(ok(Named), { [MAP]: v.object({ type: v.string() }) })

export const fitting = [
  readRoute({ ...read, answer: ok(Named), handle: async () => named }),
  readRoute({ ...read, answer: ok(Named), handle: async () => new Reply(200, named, { 'x-cache': 'hit' }) }),
  readRoute({ ...read, answer: ok(Named), handle: async () => replyContent(jsonText(named), 'application/json') }),
  readRoute({ ...read, answer: creation(Named), handle: async () => replyCreated(named) }),
  readRoute({ ...read, answer: empty, handle: async () => replyNoContent() }),
  readRoute({ ...read, answer: { ...ok(Named), 303: null }, handle: async () => replySeeOther('/a/') }),
  readRoute({ ...read, answer: bytes('text/html'), handle: async () => replyContent('<p>', 'text/html') }),
  readRoute({
    ...read,
    answer: mapped,
    handle: async () => named,
    representations: { [MAP]: async () => ({ type: 'FeatureCollection' }) },
  }),
]

export const unfitting = [
  // @ts-expect-error other members than the schema's
  readRoute({ ...read, answer: ok(Named), handle: async () => ({ title: 'Manga Hiti' }) }),
  // @ts-expect-error the same inside of a reply
  readRoute({ ...read, answer: creation(Named), handle: async () => replyCreated({ title: 'Manga Hiti' }) }),
  // @ts-expect-error a status that is not declared
  readRoute({ ...read, answer: ok(Named), handle: async () => replyCreated(named) }),
  // @ts-expect-error plain JSON is a 200
  readRoute({ ...read, answer: creation(Named), handle: async () => named }),
  // @ts-expect-error one of two statuses is not declared
  readRoute({ ...read, answer: ok(Named), handle: async () => new Reply(Math.random() > 0.5 ? 200 : 503, named) }),
  // @ts-expect-error a body where none is declared
  readRoute({ ...read, answer: empty, handle: async () => new Reply(204, named) }),
  // @ts-expect-error no body where one is declared
  readRoute({ ...read, answer: ok(Named), handle: async () => new Reply(200, undefined) }),
  // @ts-expect-error text in place of JSON
  readRoute({ ...read, answer: ok(Named), handle: async () => replyContent('Manga Hiti', 'text/plain') }),
  // @ts-expect-error JSON that is written out, of another schema
  readRoute({ ...read, answer: ok(Named), handle: async () => replyContent(jsonText({ title: '' }), 'text/plain') }),
  // @ts-expect-error JSON in place of bytes
  readRoute({ ...read, answer: bytes('text/html'), handle: async () => named }),
  // @ts-expect-error a reply of which neither status nor body is known
  readRoute({ ...read, answer: ok(Named), handle: async (): Promise<Reply> => new Reply(200, named) }),
]

export const represented = [
  readRoute({
    ...read,
    answer: ok(Named),
    handle: async () => named,
    // @ts-expect-error a media type that the answer does not declare
    representations: { [MAP]: async () => ({ type: 'FeatureCollection' }) },
  }),
  readRoute({
    ...read,
    answer: mapped,
    handle: async () => named,
    // @ts-expect-error JSON of the plain answer in place of the map's
    representations: { [MAP]: async () => named },
  }),
  readRoute({
    ...read,
    answer: { 200: { shape: Named, types: ['text/html'] } } as const,
    handle: async () => named,
    // @ts-expect-error JSON where the media type is a page
    representations: { 'text/html': async () => named },
  }),
  readRoute({
    ...read,
    answer: mapped,
    handle: async () => named,
    // @ts-expect-error a media type beside the declared one
    representations: { 'text/html': async () => replyContent('<p>', 'text/html') },
  }),
]
