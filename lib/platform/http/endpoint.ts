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
  noLongerThere,
  notAcceptable,
  notFound,
  preconditionFailed,
  signInNeeded,
  unavailable,
} from '../../base/errors.ts'
import { sayIn } from '../../base/language/say.ts'
import { runInvocation } from '../../base/telemetry/invocation.ts'
import { measureCost } from '../../base/telemetry/request-cost.ts'
import { isForEveryone, type Scope } from '../../base/visibility.ts'
import type { PageRequest } from '../../engines/table/index.ts'
import { type Identity, identifyCaller, type Settings } from '../auth/actor.ts'
import { versionsAt } from '../cache/store.ts'
import { refreshKeptState } from '../kept-state.ts'
import { checkLayout } from '../layout.ts'
import { type Actor, mayCountChanges, mayWithKey, permissions, type Ruling, type Subject } from '../permissions.ts'
import { inUnit } from '../unit-of-work.ts'
import { preferredType } from './accept.ts'
import type { Documented } from './answer.ts'
import { isFromEdge } from './edge.ts'
import { type StoreReply, withIdempotencyKey } from './idempotency.ts'
import { findHalfCharacter, storageFaultOf } from './json.ts'
import { CSV, formatTypes, JSON_TYPE, XLSX } from './media.ts'
import type { PastState } from './memento.ts'
import { pageMembers, pageOf } from './page.ts'
import { canonicalPath, type Match, routeMatcher } from './path.ts'
import { Reply } from './reply.ts'
import { bodyReader, checkQueryText, type FormLimits, type Request } from './request.ts'
import type { CachePolicy, Route, Routes } from './route.ts'
import { membersOf } from './schema-notes.ts'
import { type FailurePage, type HttpEvent, type HttpResult, httpShell, type RequestContext } from './shell.ts'
import { countCall, counterOf, countSuccess, keyThrottle, type Throttle } from './throttle.ts'
import { translateReply } from './translate-reply.ts'
import { queryFaults, unreadMembers, unreadWarning } from './unread.ts'
import { gatherWarnings, isStrict, type Warning, warn, warningHeader, withWarnings } from './warnings.ts'

/** Makes a Lambda handler of routes, for HTTP API events (payload 2.0). `failurePage` makes the page that a browser gets for a failure. */
export function endpoint(
  routes: Routes,
  failurePage?: FailurePage,
): (event: HttpEvent, context: Context) => Promise<HttpResult> {
  const match = routeMatcher(routes as Readonly<Record<string, Route>>)
  const handler = middy<HttpEvent, HttpResult | Reply, Error, RequestContext>(inTime)
    .use(httpShell(failurePage))
    .handler(async (_event: HttpEvent, context: RequestContext) =>
      gatherWarnings([], () => serve(match, context.request)),
    )
  return (event, context) =>
    runInvocation(context, () =>
      measureCost(
        async () => (await handler(event, context as RequestContext)) as HttpResult,
        event.requestContext?.requestId,
      ),
    )
}

/** A request that is about to exceed the time of its function is answered with 503, so the client may send it again. */
const inTime = {
  timeoutEarlyInMillis: 250,
  timeoutEarlyResponse: () => {
    throw unavailable()
  },
}

/** Serves one request. The numbers are those of "A read, step by step" and "A write, step by step" in ARCHITECTURE.md. */
async function serve(match: (method: string, path: string) => Match<Route>, request: Request): Promise<Reply> {
  checkHost(request)
  const redirect = secureRedirect(request)
  if (redirect) return redirect

  // 2. The canonical path finds its route, which names its permission.
  const matched = match(request.method === 'HEAD' ? 'GET' : request.method, canonicalPath(request.path))
  if ('allow' in matched) throw matched.allow.length > 0 ? methodNotAllowed(request.method, matched.allow) : notFound()
  request.route = matched.key
  request.strict = isStrict(request)
  const spec = declarationOf(matched.found)
  const rule = permissions[spec.permission] as Rule // each permission has one of these shapes

  // Size and type of the body are checked at once. Its bytes are read when the caller is known to be allowed.
  const readBody = bodyReader(request, spec.form, spec.urlencoded, spec.body !== undefined)
  const params = paramsOf(spec.params, matched.params)

  // 3. The token becomes a caller. A permission by role refuses before the subject is loaded.
  const layout = spec.skipsIdentity ? undefined : Promise.all([checkLayout(), refreshKeptState()])
  // `layout` is awaited below. Until then its failure must not count as unhandled.
  layout?.catch(() => undefined)
  const extraKeys = spec.usesReadCache ? [versionsAt()] : []
  const { actor, denial, settings }: Identity = spec.skipsIdentity
    ? { actor: null, denial: 'none' }
    : await identifyCaller({ ...request, cookie: request.cookies.session, extraKeys })
  await layout
  if (actor) request.caller = actor.id
  if (settings && !isShared(spec)) Object.assign(request, settingsOf(settings, request))
  request.say = await sayIn(request.language)
  if ((rule.role || rule.changes) && !actor) throw signInNeeded(denial)
  if (rule.role && actor && !rule.role(actor)) throw forbidden()
  if (actor?.key) {
    await countCall([keyThrottle], { request, actor })
    checkAllowed(mayWithKey(actor.key, spec.permission, isRead(request)))
  }

  // 4. The subject is loaded. 5. The permission decides: 404 if the caller may not see it, 403 if only changing is refused.
  const subject = await spec.subject?.(params)
  if (rule.sees && (!subject || !rule.sees(actor, subject))) {
    if (denial === 'provider_away') throw signInNeeded(denial)
    throw spec.tellsGone && subject && wasForEveryone(subject) ? noLongerThere() : notFound()
  }
  if (rule.changes) checkAllowed(actor !== null && subject !== undefined && rule.changes(actor, subject))
  const version = subject?.version
  // Who may not count the changes of a subject may not ask for its version either.
  if (rule.changes && subject && mayCountChanges(actor, subject)) checkPrecondition(request, version)

  // 6. Throttles are counted, then query and body are checked.
  const throttles = spec.throttles ?? []
  await countCall(throttles, { request, actor })
  // Probes take any query.
  if (!spec.skipsIdentity) checkQueryText(request)
  const also = isRead(request) ? pageMembers : {}
  warnOrRefuse(request, queryFaults(spec.query, request.rawQuery, { repeated: spec.repeated, also }))
  const query = parseInput(spec.query, { ...request.query, ...repeatedMembers(spec, request) })
  const body = readBodyAs(typeof spec.body === 'function' ? spec.body(params) : spec.body, request, await readBody())

  const scope = rule.lists?.(actor)
  const input = { actor, scope, subject, params, query, body, request }
  const { isTimeGate } = spec
  const findState = typeof isTimeGate === 'function' ? (wanted: string) => isTimeGate(input, wanted) : undefined
  const past = isTimeGate && (await (await import('./memento.ts')).leadToPast(request, findState))
  if (past) return finish(spec, request, past, undefined)

  // 7. The handler makes the view. A read gets no unit of work, so it cannot write.
  const type = typeFor(spec, request)
  const handle = spec.representations?.[type] ?? spec.handle
  const callHandler = async (extra: object) => {
    const answer = await handle(withPage(request, spec.pageSize, { ...input, ...extra }))
    return answer instanceof Reply ? answer : new Reply(200, answer, typeHeader(type))
  }
  // A write makes its view from the unit of work. The unit then commits once, together with the reply of an Idempotency-Key.
  const write = (storeReply?: StoreReply) =>
    inUnit(async (unit) => {
      await countSuccess(unit, throttles, input)
      const reply = await callHandler({ unit, count: counterOf(unit, throttles, input) })
      if (storeReply && !unit.isEmpty) unit.addFirst([storeReply(addWarnings(reply))])
      return reply
    })
  const identity = { route: matched.key, params, query, body }
  const englishReply = isRead(request)
    ? await callHandler({})
    : await withIdempotencyKey(spec.idempotent, request, actor, identity, write)

  // 8. Warnings, language, ETag and cache headers; 304 if the client has this answer already.
  if (isRead(request)) warnOrRefuse(request, unreadPage(spec, request))
  const reply = await translateReply(addWarnings(englishReply), request, spec.translatedPaths)
  const { at } = Object(query)
  if (typeof at === 'string') {
    const { mementoHeaders } = await import('./memento.ts')
    request.moreHeaders = { ...mementoHeaders(request, at, spec.isTimeGate === true), ...request.moreHeaders }
  }
  const tag = subject && !rule.changes ? tagOf(reply, version, mayCountChanges(actor, subject)) : undefined
  return finish(spec, request, reply, tag)
}

/** Whether a subject was deleted that everyone could read before. */
const wasForEveryone = ({ deleted_at, public: isPublic, access_tier }: Subject): boolean =>
  deleted_at != null && isPublic === true && isForEveryone(access_tier)

const typeHeader = (type: string): Record<string, string> => (type === JSON_TYPE ? {} : { 'content-type': type })

/** Whether caches share the answer. It then ignores the caller's own settings, and depends on the headers alone. */
const isShared = ({ cache }: Declared) => cache?.control.startsWith('public') === true

const settingsOf = ({ language, calendar }: Settings, request: Request) => ({
  language: language ?? request.language,
  calendar: calendar ?? undefined,
})

/** The declaration from which a route was made. `endpoint` follows it; the API document, the tables of lists and RDF read it. */
export const declarationOf = (route: Route): Declared => route as unknown as Declared

// route.ts erases this type. Its functions are the only makers of a Route, so the type holds.
export type Declared = Documented & {
  permission: keyof typeof permissions
  skipsIdentity?: true
  cache?: CachePolicy
  translatedPaths?: readonly string[]
  params?: v.GenericSchema
  query?: v.GenericSchema
  repeated?: readonly string[]
  body?: v.GenericSchema | ((params: unknown) => v.GenericSchema | undefined)
  form?: FormLimits
  urlencoded?: true
  throttles?: readonly Throttle[]
  usesReadCache?: true
  tellsGone?: true
  isTimeGate?: true | ((input: object, wanted: string) => Promise<PastState>)
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
  // A request that bypasses the edge has passed no firewall, and can claim any address.
  if (!isFromEdge(headers)) throw badHost()
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
function repeatedMembers(spec: Declared, { rawQuery }: Request): Record<string, string[]> {
  const sent = new URLSearchParams(rawQuery)
  return Object.fromEntries((spec.repeated ?? []).map((name) => [name, sent.getAll(name)]))
}

/** Parses the members of the path. Fails with `notFound` if one is malformed: such a path names nothing. */
function paramsOf(schema: v.GenericSchema | undefined, raw: Record<string, string>): unknown {
  if (!schema) return undefined
  const result = v.safeParse(schema, raw)
  if (result.success) return result.output
  // The reason is given for public names only, such as a kind. It must not show whether a hidden record exists.
  throw notFound(result.issues.find(({ type }) => type === 'custom')?.message)
}

/** Parses query or body. Fails with `invalid`, which names each faulty member. */
function parseInput(schema: v.GenericSchema | undefined, input: unknown): unknown {
  if (!schema) return undefined
  const result = v.safeParse(schema, input)
  if (result.success) return result.output
  const fields: Fields = {}
  for (const { path, message } of result.issues.flatMap(issuesIn))
    addFault(fields, path?.map(({ key }) => String(key)) ?? [], message)
  throw invalid(fields)
}

type Issue = Pick<v.BaseIssue<unknown>, 'type' | 'path' | 'message' | 'issues'>

/** If an object was sent to a union of schemas, the faults inside of this object. Else the fault itself. */
function issuesIn(issue: Issue): Pick<Issue, 'path' | 'message'>[] {
  const inside = issue.type === 'union' ? (issue.issues ?? []).filter(({ path }) => path) : []
  if (inside.length === 0) return [issue]
  return inside.map(({ path, message }) => ({
    path: [...(issue.path ?? []), ...(path ?? [])] as Issue['path'],
    message,
  }))
}

/** Adds a message at the path of a member, in nested objects. A fault of a member as a whole hides faults inside of it. */
function addFault(fields: Fields, [name = 'non_field_errors', ...rest]: readonly string[], message: string): void {
  const present = fields[name]
  if (rest.length > 0 && !Array.isArray(present)) {
    const inner = present ?? {}
    fields[name] = inner
    addFault(inner, rest, message)
  } else if (rest.length === 0) {
    const messages = Array.isArray(present) ? present : []
    fields[name] = messages.includes(message) ? messages : [...messages, message]
  }
}

/** Parses the body. Warns of members that no schema reads. Fails with `invalid` for values that cannot be stored unchanged. */
function readBodyAs(schema: v.GenericSchema | undefined, request: Request, sent: object | undefined): unknown {
  if (!schema) return undefined
  const members = membersOf(schema)
  const fields: Fields = {}
  for (const [name, value] of Object.entries(sent ?? {})) {
    if (members && !Object.hasOwn(members, name)) continue
    const fault = storageFaultOf(value)
    const path = fault === undefined ? findHalfCharacter(value) : undefined
    if (fault !== undefined) fields[name] = [fault]
    if (path) addFault(fields, [name, ...path], HALF_CHARACTER)
  }
  if (Object.keys(fields).length > 0) throw invalid(fields)
  if (members) warnOrRefuse(request, unreadMembers(members, sent))
  return parseInput(schema, sent)
}

const HALF_CHARACTER = 'Control characters are not allowed.'

/** Warns of faults. Fails with `invalid` instead if the client sent `Prefer: handling=strict`. */
function warnOrRefuse(request: Request, faults: readonly Warning[]): void {
  if (faults.length > 0 && request.strict) {
    const fields: Fields = {}
    for (const { member, message } of faults) addFault(fields, member.split('.'), message)
    throw invalid(fields)
  }
  for (const fault of faults) warn(fault)
}

/** Adds the warnings of the present request to its reply. */
const addWarnings = ({ status, body, headers, cookies }: Reply) =>
  new Reply(status, withWarnings(body), { ...warningHeader(body), ...headers }, cookies)

const isRead = ({ method }: Request) => method === 'GET' || method === 'HEAD'

/** Adds `page`, which is parsed only when the handler reads it. So a page that no handler reads is noticed. */
const withPage = <T extends object>(
  request: Request,
  pageSize: number | undefined,
  input: T,
): T & { page: PageRequest } =>
  Object.assign(
    {
      get page() {
        return pageOf(request, pageSize)
      },
    },
    input,
  )

/** Warnings of page members in the query of a route that has no pages. */
function unreadPage({ query: schema }: Declared, { query, isPageRead }: Request): Warning[] {
  const own = (schema && membersOf(schema)) ?? {}
  const names = isPageRead ? [] : Object.keys(query)
  return names
    .filter((name) => Object.hasOwn(pageMembers, name) && !Object.hasOwn(own, name))
    .map((name) => unreadWarning(name, 'parameter', name, Object.keys(own)))
}

/** Chooses the media type of the answer. Fails with `notAcceptable` if the client takes none of the offered ones. */
function typeFor({ representations }: Declared, { headers, query }: Request): string {
  if (!representations) return JSON_TYPE
  const offered = [JSON_TYPE, ...Object.keys(representations)]
  const named = Object.hasOwn(formatTypes, query.format ?? '') ? formatTypes[query.format ?? ''] : undefined
  if (named !== undefined && offered.includes(named)) return named
  const type = preferredType(headers.accept, offered)
  if (!type && isSelective(representations)) throw notAcceptable(offered)
  return type ?? JSON_TYPE
}

/** Whether a client that takes none of these types is refused. If the types are only those of tables, JSON is sent all the same. */
export const isSelective = (representations: object = {}): boolean =>
  Object.keys(representations).some((type) => type !== CSV && type !== XLSX)

/** The tags of an If-Match or If-None-Match header. Weak tags count as strong. */
const tagsIn = (header = '') => header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
const matches = (header: string | undefined, fits: (tag: string) => boolean) =>
  header !== undefined && tagsIn(header).some((tag) => tag === '*' || fits(tag))

/** Fails with `preconditionFailed` if `If-Match` names another version. The digest of the view is not compared. */
function checkPrecondition({ headers }: Request, version: number | undefined): void {
  const isCurrent = (tag: string) => tag === `"${version}"` || tag.startsWith(`"${version}-`)
  if (headers['if-match'] !== undefined && version !== undefined && !matches(headers['if-match'], isCurrent)) {
    throw preconditionFailed()
  }
}

/**
 * The ETag of an answer about one stored item: a digest of the body. Callers who may change the item also get its version, for
 * `If-Match`. For others the tag depends only on what they read.
 */
function tagOf({ body, headers }: Reply, version: number | undefined, showsVersion: boolean): string | undefined {
  if (version === undefined || body === undefined) return undefined
  // Two media types may have the same bytes: N-Triples are N-Quads. Their tags differ all the same (RFC 9110, 8.8.1).
  const mark = digest(headers['content-type'] ?? '', body)
  return showsVersion ? `"${version}-${mark}"` : `"${mark}"`
}

/** Adds cache policy, ETag and Vary. Turns the reply into 304 if `If-None-Match` names its ETag. */
function finish(spec: Declared, request: Request, reply: Reply, etag: string | undefined): Reply {
  const control = spec.cache?.control ?? 'private, no-store'
  const vary = spec.representations && {
    vary: `Origin, Accept-Encoding, Accept${spec.isTimeGate ? ', Accept-Datetime' : ''}`,
  }
  const own = { 'cache-control': control, ...(etag && { etag }), ...vary }
  const headers = { ...own, ...request.moreHeaders, ...reply.headers }
  const isCurrent =
    reply.status === 200 && headers.etag && matches(request.headers['if-none-match'], (tag) => tag === headers.etag)
  return isCurrent ? new Reply(304, undefined, headers) : new Reply(reply.status, reply.body, headers, reply.cookies)
}

const digest = (type: string, body: unknown) =>
  createHash('sha256').update(type).update(bytesOf(body)).digest('base64url').slice(0, 12)
const bytesOf = (body: unknown) =>
  typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
