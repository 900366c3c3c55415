import { createHash } from 'node:crypto'
import middy from '@middy/core'
import type { Context } from 'aws-lambda'
import * as v from 'valibot'
import { config } from '../../base/config.ts'
import {
  badHost,
  checkAllowed,
  type Fields,
  forbidden,
  invalid,
  methodNotAllowed,
  notAcceptable,
  notFound,
  preconditionFailed,
  signInNeeded,
  unavailable,
} from '../../base/errors.ts'
import { sayIn } from '../../base/language/say.ts'
import { measureCost } from '../../base/telemetry/request-cost.ts'
import type { Scope } from '../../base/visibility.ts'
import { type Identity, identifyCaller, type Settings } from '../auth/actor.ts'
import { versionsAt } from '../cache/store.ts'
import { type Actor, mayCountChanges, mayWithKey, permissions, type Ruling, type Subject } from '../permissions.ts'
import { inUnit } from '../unit-of-work.ts'
import { preferredType } from './accept.ts'
import type { Documented } from './answer.ts'
import { type StoreReply, withIdempotencyKey } from './idempotency.ts'
import { unstorable } from './json.ts'
import { membersOf, queryFaults, unknown, unknownMembers } from './known.ts'
import { CSV, XLSX } from './media.ts'
import { type PageRequest, pageMembers, pageOf } from './page.ts'
import { canonical, type Match, matcher } from './path.ts'
import { Reply } from './reply.ts'
import { bodyOf, type FormLimits, type Request } from './request.ts'
import type { CachePolicy, Route, Routes } from './route.ts'
import { type Event, type RequestContext, type Result, shell } from './shell.ts'
import { translateReply } from './spoken.ts'
import { countCall, counterOf, countSuccess, ofKeys, type Throttle } from './throttle.ts'
import { gatherWarnings, isStrict, type Warning, warn, warningHeader, withWarnings } from './warnings.ts'

/** Routes as a Lambda handler for HTTP API events (payload 2.0). */
export function endpoint(routes: Routes): (event: Event, context: Context) => Promise<Result> {
  const match = matcher(routes as Readonly<Record<string, Route>>)
  const handler = middy<Event, Result | Reply, Error, RequestContext>(inTime)
    .use(shell())
    .handler(async (_event: Event, context: RequestContext) => gatherWarnings([], () => serve(match, context.request)))
  return (event, context) =>
    measureCost(
      async () => (await handler(event, context as RequestContext)) as Result,
      event.requestContext?.requestId,
    )
}

/** A request that would outlast its function is answered while there is time for it: it may be sent again. */
const inTime = {
  timeoutEarlyInMillis: 250,
  timeoutEarlyResponse: () => {
    throw unavailable()
  },
}

/** The pipeline, top to bottom. */
async function serve(match: (method: string, path: string) => Match<Route>, request: Request): Promise<Reply> {
  checkHost(request)
  const redirect = secureRedirect(request)
  if (redirect) return redirect

  const hit = match(request.method === 'HEAD' ? 'GET' : request.method, canonical(request.path))
  if ('allow' in hit) throw hit.allow.length > 0 ? methodNotAllowed(request.method, hit.allow) : notFound()
  request.route = hit.key
  request.strict = isStrict(request)
  const spec = declarationOf(hit.found)
  const rule = permissions[spec.permission] as Rule // each permission has one of these shapes

  const readBody = bodyOf(request, spec.form, spec.urlencoded)
  const params = paramsOf(spec.params, hit.params)
  const beside = spec.remembers ? [versionsAt()] : []
  const { actor, denial, settings }: Identity = spec.asksNobody
    ? { actor: null, denial: 'none' }
    : await identifyCaller({ ...request, cookie: request.cookies.session, beside })
  if (actor) request.caller = actor.id
  if (settings && !isShared(spec)) Object.assign(request, settingsOf(settings, request))
  request.say = await sayIn(request.language)
  if ((rule.role || rule.changes) && !actor) throw signInNeeded(denial)
  if (rule.role && actor && !rule.role(actor)) throw forbidden()
  if (actor?.key) {
    await countCall([ofKeys], { request, actor })
    checkAllowed(mayWithKey(actor.key, spec.permission, isRead(request)))
  }

  const subject = await spec.subject?.(params)
  if (rule.sees && (!subject || !rule.sees(actor, subject))) throw notFound()
  if (rule.changes) checkAllowed(actor !== null && subject !== undefined && rule.changes(actor, subject))
  const version = subject?.version
  if (rule.changes) checkPrecondition(request, version)

  const throttles = spec.throttles ?? []
  await countCall(throttles, { request, actor })
  const also = isRead(request) ? pageMembers : {}
  tell(request, queryFaults(spec.query, request.rawQuery, { repeated: spec.repeated, also }))
  const query = checked(spec.query, { ...request.query, ...repeated(spec, request) })
  const body = readBodyAs(typeof spec.body === 'function' ? spec.body(params) : spec.body, request, await readBody())

  const type = typeFor(spec, request)
  const scope = rule.lists?.(actor)
  const given = { actor, scope, subject, params, query, body, request }
  const handle = spec.representations?.[type] ?? spec.handle
  const asked = { route: hit.key, params, query, body }
  const answerWith = async (means: object) => {
    const answer = await handle(withPage(request, spec.pageSize, { ...given, ...means }))
    return answer instanceof Reply ? answer : new Reply(200, answer, asType(type))
  }
  const write = (storeReply?: StoreReply) =>
    inUnit(async (unit) => {
      await countSuccess(unit, throttles, given)
      const made = await answerWith({ unit, count: counterOf(unit, throttles, given) })
      if (storeReply && !unit.isEmpty) unit.addFirst([storeReply(told(made))])
      return made
    })
  // What only reads has no unit of work, so it cannot write.
  const plain = isRead(request)
    ? await answerWith({})
    : await withIdempotencyKey(spec.idempotent, request, actor, asked, write)
  if (isRead(request)) tell(request, unreadPage(spec, request))
  const reply = await translateReply(told(plain), request, spec.says)
  const tag = subject && !rule.changes ? tagOf(reply, version, mayCountChanges(actor, subject)) : undefined
  return finish(spec, request, reply, tag)
}

const asType = (type: string): Record<string, string> => (type === JSON_TYPE ? {} : { 'content-type': type })

/** What caches may share is the same for all who send the same headers, whatever they have set for themselves. */
const isShared = ({ cache }: Declared) => cache?.control.startsWith('public') === true

const settingsOf = ({ language, calendar }: Settings, request: Request) => ({
  language: language ?? request.language,
  calendar: calendar ?? undefined,
})

/** A route as it was declared: for whoever describes routes without serving them. */
export const declarationOf = (route: Route): Declared => route as unknown as Declared

// What route.ts erased. The six functions there are the only makers of a Route, so this shape holds.
export type Declared = Documented & {
  permission: keyof typeof permissions
  asksNobody?: true
  cache?: CachePolicy
  says?: readonly string[]
  params?: v.GenericSchema
  query?: v.GenericSchema
  repeated?: readonly string[]
  body?: v.GenericSchema | ((params: unknown) => v.GenericSchema | undefined)
  form?: FormLimits
  urlencoded?: true
  throttles?: readonly Throttle[]
  remembers?: true
  pageSize?: number
  idempotent?: '24h'
  subject?: (params: unknown) => Promise<(Subject & { version?: number }) | undefined>
  handle: (given: object) => Promise<unknown>
  representations?: Readonly<Record<string, (given: object) => Promise<unknown>>>
}
type Rule = {
  role?: (actor: Actor) => boolean
  lists?: (actor: Actor | null) => Scope
  sees?: (actor: Actor | null, subject: Subject) => boolean
  changes?: (actor: Actor, subject: Subject) => Ruling
}

function checkHost({ headers }: Request): void {
  const host = (headers.host ?? '').replace(/:\d+$/, '').toLowerCase()
  const allowed = (name: string) => name === '*' || name === host || (name.startsWith('.') && `.${host}`.endsWith(name))
  if (config.ALLOWED_HOSTS.length > 0 && !config.ALLOWED_HOSTS.some(allowed)) throw badHost()
}

function secureRedirect({ headers, path, query }: Request): Reply | undefined {
  if (!config.SECURE_SSL_REDIRECT || headers['x-forwarded-proto'] !== 'http') return undefined
  const search = new URLSearchParams(query).toString()
  return new Reply(301, undefined, { location: `https://${headers.host}${path}${search && `?${search}`}` })
}

/** The members that may be sent several times, as lists. */
function repeated(spec: Declared, { rawQuery }: Request): Record<string, string[]> {
  const sent = new URLSearchParams(rawQuery)
  return Object.fromEntries((spec.repeated ?? []).map((name) => [name, sent.getAll(name)]))
}

/** A path that holds no id of ours names nothing. */
function paramsOf(schema: v.GenericSchema | undefined, raw: Record<string, string>): unknown {
  if (!schema) return undefined
  const result = v.safeParse(schema, raw)
  if (result.success) return result.output
  // Only a name that is known to everyone may be told apart from what is hidden.
  throw notFound(result.issues.find(({ type }) => type === 'custom')?.message)
}

function checked(schema: v.GenericSchema | undefined, input: unknown): unknown {
  if (!schema) return undefined
  const result = v.safeParse(schema, input)
  if (result.success) return result.output
  const fields: Fields = {}
  for (const { path, message } of result.issues) addFault(fields, path?.map(({ key }) => String(key)) ?? [], message)
  throw invalid(fields)
}

/** Adds a sentence at a path, as nested objects. What is said of a member as a whole goes before what is said inside of it. */
function addFault(fields: Fields, [name = 'non_field_errors', ...rest]: readonly string[], message: string): void {
  const there = fields[name]
  if (rest.length > 0 && !Array.isArray(there)) {
    const inner = there ?? {}
    fields[name] = inner
    addFault(inner, rest, message)
  } else if (rest.length === 0) {
    const said = Array.isArray(there) ? there : []
    fields[name] = said.includes(message) ? said : [...said, message]
  }
}

/** The body as its schema reads it. Members that nobody reads are told, values that cannot be kept as they are refused. */
function readBodyAs(schema: v.GenericSchema | undefined, request: Request, sent: object | undefined): unknown {
  if (!schema) return undefined
  const members = membersOf(schema)
  const fields: Fields = {}
  for (const [name, value] of Object.entries(sent ?? {})) {
    const fault = members && !Object.hasOwn(members, name) ? undefined : unstorable(value)
    if (fault !== undefined) fields[name] = [fault]
  }
  if (Object.keys(fields).length > 0) throw invalid(fields)
  if (members) tell(request, unknownMembers(members, sent))
  return checked(schema, sent)
}

/** Warns of faults, or refuses them where the client is strict. */
function tell(request: Request, faults: readonly Warning[]): void {
  if (faults.length > 0 && request.strict) {
    const fields: Fields = {}
    for (const { member, message } of faults) addFault(fields, member.split('.'), message)
    throw invalid(fields)
  }
  for (const each of faults) warn(each)
}

/** A reply with what the request is warned of. */
const told = ({ status, body, headers, cookies }: Reply) =>
  new Reply(status, withWarnings(body), { ...warningHeader(body), ...headers }, cookies)

const isRead = ({ method }: Request) => method === 'GET' || method === 'HEAD'

/** What a handler is given, with the page that is asked for as soon as it reads it. */
const withPage = <T extends object>(
  request: Request,
  pageSize: number | undefined,
  given: T,
): T & { page: PageRequest } =>
  Object.assign(
    {
      get page() {
        return pageOf(request, pageSize)
      },
    },
    given,
  )

/** What says where a page lies, although no handler has read it: it has no effect. */
function unreadPage({ query: schema }: Declared, { query, paged }: Request): Warning[] {
  const own = (schema && membersOf(schema)) ?? {}
  const names = paged ? [] : Object.keys(query)
  return names
    .filter((name) => Object.hasOwn(pageMembers, name) && !Object.hasOwn(own, name))
    .map((name) => unknown(name, 'parameter', name, Object.keys(own)))
}

const JSON_TYPE = 'application/json'
/** What `format` in a query says instead of an Accept header, for links that people follow. */
const namedTypes: Readonly<Record<string, string>> = { json: JSON_TYPE, csv: CSV, xlsx: XLSX }
/** The media type to answer in. Where there is one only, nobody is asked. */
function typeFor({ representations }: Declared, { headers, query }: Request): string {
  if (!representations) return JSON_TYPE
  const offered = [JSON_TYPE, ...Object.keys(representations)]
  const named = Object.hasOwn(namedTypes, query.format ?? '') ? namedTypes[query.format ?? ''] : undefined
  if (named !== undefined && offered.includes(named)) return named
  const type = preferredType(headers.accept, offered)
  if (!type && isSelective(representations)) throw notAcceptable(offered)
  return type ?? JSON_TYPE
}

/** Whether a client that takes none of these types is refused: not where lists are tables too, which is a service and no choice. */
export const isSelective = (representations: object = {}): boolean =>
  Object.keys(representations).some((type) => type !== CSV && type !== XLSX)

/** The tags of an If-Match or If-None-Match header; weak ones count as strong. */
const tagsIn = (header = '') => header.split(',').map((one) => one.trim().replace(/^W\//, ''))
const matches = (header: string | undefined, fits: (tag: string) => boolean) =>
  header !== undefined && tagsIn(header).some((tag) => tag === '*' || fits(tag))

/** A lost update is told by the version alone, whatever view of it the client has seen. */
function checkPrecondition({ headers }: Request, version: number | undefined): void {
  const isCurrent = (tag: string) => tag === `"${version}"` || tag.startsWith(`"${version}-`)
  if (headers['if-match'] !== undefined && version !== undefined && !matches(headers['if-match'], isCurrent)) {
    throw preconditionFailed()
  }
}

/**
 * The ETag of an answer about one stored thing. It depends on nothing that its reader cannot see: who may change the thing
 * finds its version there, for `If-Match`; to others it is what they read and nothing else.
 */
function tagOf({ body }: Reply, version: number | undefined, showsVersion: boolean): string | undefined {
  if (version === undefined || body === undefined) return undefined
  return showsVersion ? `"${version}-${digest(body)}"` : `"${digest(body)}"`
}

/** Cache policy and ETag; 304 when the client has exactly this already: what it sees depends on who asks, too. */
function finish(spec: Declared, request: Request, reply: Reply, etag: string | undefined): Reply {
  const control = spec.cache?.control ?? 'private, no-store'
  const vary = spec.representations && { vary: 'Origin, Accept-Encoding, Accept' }
  const headers = { 'cache-control': control, ...(etag && { etag }), ...vary, ...reply.headers }
  const known =
    reply.status === 200 && headers.etag && matches(request.headers['if-none-match'], (it) => it === headers.etag)
  return known ? new Reply(304, undefined, headers) : new Reply(reply.status, reply.body, headers, reply.cookies)
}

const digest = (body: unknown) => createHash('sha256').update(bytesOf(body)).digest('base64url').slice(0, 12)
const bytesOf = (body: unknown) =>
  typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
