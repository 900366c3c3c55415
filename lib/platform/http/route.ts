import type { GenericSchema, InferOutput } from 'valibot'
import type { Scope } from '../../base/visibility.ts'
import type { PageRequest, UnitOfWork } from '../../engines/table/index.ts'
import type { Actor, Changes, Lists, Open, PermissionBy, Role, Sees, Subject } from '../permissions.ts'
import type { Answered, AnsweredAs, Answers, Documented, OtherTypes } from './answer.ts'
import type { PastState } from './memento.ts'
import type { FormLimits, Request } from './request.ts'
import type { CountHits, Throttle } from './throttle.ts'

type Schema = GenericSchema | undefined
type Parsed<S> = S extends GenericSchema ? InferOutput<S> : undefined

/** The Cache-Control of an answer that caches may keep, since it is the same for everyone or changes rarely. */
export type CachePolicy = { control: string }

/** The argument of a handler: parsed path, query and body, the request, and what the sort of route adds (`Given`). */
type HandlerInput<P, Q, B, Given> = { params: Parsed<P>; query: Parsed<Q>; body: Parsed<B>; request: Request } & Given

type Handle<P, Q, B, Given, Answer> = (input: HandlerInput<P, Q, B, Given>) => Promise<Answer>

/** A throttle of a route without a required caller. */
type OfAddress<P, Q, B> = Throttle<'address', HandlerInput<P, Q, B, { actor: Actor | null }>>
/** A throttle of a GET. */
type OfCalls = Throttle<'address'> & { counts: 'every call' }
/** A throttle of a route with a required caller. */
type OfCaller<P, Q, B, Given> = Throttle<'address' | 'caller', HandlerInput<P, Q, B, Given>>
/** Adds `count` to the argument of a handler, if its route has a throttle that is counted in the handler. */
type Counts<T> = T extends { counts: 'in the handler'; scope: infer Scope extends string } ? Scope : never
type WithCount<T> = [Counts<T>] extends [never] ? unknown : { count: CountHits<Counts<T>> }

type Spec<Permission, P, Q, B, Given, A extends Answers, T = never> = Documented<A> & {
  permission: Permission
  /** Without it the answer says `private, no-store`, since it depends on the caller. A handler may still set `Cache-Control` on its reply. */
  cache?: CachePolicy
  /**
   * Paths of translatable texts in the answer, such as `results.*.message`. An empty list means that the handler translates the
   * answer itself.
   */
  translatedPaths?: readonly string[]
  params?: P
  query?: Q
  /** Query members that may be sent several times. Their schema gets a list. */
  repeated?: readonly string[]
  /** Rows of a page if the query gives no number; 20 by default. */
  pageSize?: number
  body?: B | ((params: Parsed<P>) => B)
  /** Set if the body is a multipart form. */
  form?: FormLimits
  /** Set if the body may also be a form of text members. */
  urlencoded?: true
  /** Limits on its calls. A call over a limit is answered by 429 with `Retry-After`. */
  throttles?: readonly T[]
  /** Set on routes that read through `rememberRead`. For our own tokens, the call that reads the caller then reads the versions, too. */
  usesReadCache?: true
  /** Set if a subject that everyone could read and that was deleted is answered by 410, not by 404. */
  tellsGone?: true
  /**
   * Set if `Accept-Datetime` redirects to this address with the query member `at`. If it is a function, it finds the state that stood at
   * that time.
   */
  isTimeGate?: true | ((input: HandlerInput<P, Q, B, Given>, wanted: string) => Promise<PastState>)
  /** Makes the JSON, which clients get unless they ask for another media type. */
  handle: Handle<P, Q, B, Given & WithCount<T>, Answered<A>>
  /** Handlers for the other media types of the answer. The Accept header chooses one. */
  representations?: [OtherTypes<A>] extends [never]
    ? never
    : { readonly [Type in OtherTypes<A>]?: Handle<P, Q, B, Given & WithCount<T>, AnsweredAs<A, Type>> }
}

/** Added to the argument of POST, PUT, PATCH and DELETE handlers. Without a unit of work a handler cannot write. */
type Writing = { unit: UnitOfWork }
/** Added to the argument of a GET handler: nothing. */
type Reading = object

declare const needsOfRoute: unique symbol
/**
 * A declared endpoint. Only the functions below make one, so each has a permission. `Needs` is what its handler requires besides.
 * `Routes` checks it against the method: a GET whose handler takes `unit` does not compile.
 */
export type Route<Needs = Writing> = { readonly [needsOfRoute]: (needs: Needs) => void }
/** The type of a route with throttle `T`. Only a write can count successes, or hits of its handler. */
type RouteFor<Needs, T> = Route<[T] extends [{ counts: 'every call' }] ? Needs : Writing>
// The type of the declaration is erased here. `declarationOf` in endpoint.ts restores it.
const asRoute = <Needs>(spec: unknown) => spec as Route<Needs>

/** A route that anyone may call. `actor` is null for a caller who is not signed in. */
export function publicRoute<
  P extends Schema = undefined,
  Q extends Schema = undefined,
  B extends Schema = undefined,
  A extends Answers = Answers,
  Needs extends Reading = Writing,
  const T extends OfAddress<P, Q, B> = never,
>(
  spec: Spec<PermissionBy<Open>, P, Q, B, { actor: Actor | null; page: PageRequest } & Needs, A, T>,
): RouteFor<Needs, T> {
  return asRoute(spec)
}

/** A route that anyone may call, and that identifies no caller. It answers even if the table does not. */
export function probeRoute<Q extends Schema = undefined, A extends Answers = Answers>(
  spec: Spec<PermissionBy<Open>, undefined, Q, undefined, { page: PageRequest }, A>,
): Route<Reading> {
  return asRoute({ ...spec, skipsIdentity: true })
}

/**
 * `idempotent` is for clients that repeat a request because they got no answer. Within 24 hours, a second request with the same
 * Idempotency-Key gets the reply of the first. The reply is stored in the same transaction as the changes.
 */
type Repeatable = { idempotent?: '24h' }

/** A route for callers with a role. Answers 401 without a caller, and 403 without the role. */
export function actorRoute<
  P extends Schema = undefined,
  Q extends Schema = undefined,
  B extends Schema = undefined,
  A extends Answers = Answers,
  Needs extends Reading = Writing,
  const T extends OfCaller<P, Q, B, { actor: Actor }> = never,
>(
  spec: Spec<PermissionBy<Role>, P, Q, B, { actor: Actor; page: PageRequest } & Needs, A, T> & Repeatable,
): RouteFor<Needs, T> {
  return asRoute(spec)
}

/** The argument of a list's handler, for functions that its representations share. */
export type ListCall<Q extends Schema> = {
  query: Parsed<Q>
  actor: Actor | null
  scope: Scope
  page: PageRequest
  request: Request
}

/** A route that lists items. `scope` names the audiences of this caller. */
export function listRoute<
  P extends Schema = undefined,
  Q extends Schema = undefined,
  B extends Schema = undefined,
  A extends Answers = Answers,
>(
  spec: Spec<PermissionBy<Lists>, P, Q, B, { actor: Actor | null; scope: Scope; page: PageRequest }, A, OfCalls>,
): Route<Reading> {
  return asRoute(spec)
}

type Loads<S, P> = { subject: (params: Parsed<P>) => Promise<S | undefined> }

/** A route that reads one stored item, which `subject` loads. Answers 404 if the caller may not see it. */
export function readRoute<
  S extends Subject,
  P extends Schema = undefined,
  Q extends Schema = undefined,
  B extends Schema = undefined,
  A extends Answers = Answers,
>(
  spec: Spec<PermissionBy<Sees<Subject>>, P, Q, B, { actor: Actor | null; subject: S; page: PageRequest }, A, OfCalls> &
    Loads<S, P>,
): Route<Reading> {
  return asRoute(spec)
}

/**
 * A route that changes one stored item. Requires a caller. Answers 404 if the caller may not see the item, and 403 if the caller may
 * see it but not change it.
 */
export function changeRoute<
  S extends Subject,
  P extends Schema = undefined,
  Q extends Schema = undefined,
  B extends Schema = undefined,
  A extends Answers = Answers,
  const T extends OfCaller<P, Q, B, { actor: Actor; subject: S }> = never,
>(
  spec: Spec<PermissionBy<Changes<Subject>>, P, Q, B, { actor: Actor; subject: S; unit: UnitOfWork }, A, T> &
    Loads<S, P> &
    Repeatable,
): Route {
  return asRoute(spec)
}

type ReadMethod = 'GET'
type WriteMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Method = ReadMethod | WriteMethod
type RoutesOf<M extends Method, Needs> = Readonly<
  Record<`${M} /${string}/`, Route<Needs>> & Partial<Record<`${M} /`, Route<Needs>>>
>
/** Routes by method and canonical path, such as `GET /data/flags/{id}/`. Only a method that writes gives a unit of work. */
export type Routes = RoutesOf<ReadMethod, Reading> & RoutesOf<WriteMethod, Writing>
