import type { GenericSchema, InferOutput } from 'valibot'
import type { Scope } from '../../base/visibility.ts'
import type { UnitOfWork } from '../../engines/table/index.ts'
import type { Actor, Changes, Lists, Open, PermissionBy, Role, Sees, Subject } from '../permissions.ts'
import type { Answered, AnsweredAs, Answers, Documented, OtherTypes } from './answer.ts'
import type { PageRequest } from './page.ts'
import type { FormLimits, Request } from './request.ts'
import type { Count, Throttle } from './throttle.ts'

type Schema = GenericSchema | undefined
type Parsed<S> = S extends GenericSchema ? InferOutput<S> : undefined

/** The Cache-Control of an answer that caches may keep, since it is the same for everyone or changes rarely. */
export type CachePolicy = { control: string }

/** What was checked before the handler runs. */
type Checked<P, Q, B, Given> = { params: Parsed<P>; query: Parsed<Q>; body: Parsed<B>; request: Request } & Given

type Handle<P, Q, B, Given, Answer> = (req: Checked<P, Q, B, Given>) => Promise<Answer>

/** A throttle of a route that anybody may call. */
type OfAddress<P, Q, B> = Throttle<'address', Checked<P, Q, B, { actor: Actor | null }>>
/** A throttle of a route that only reads, or stores nothing. */
type OfCalls = Throttle<'address'> & { counts: 'every call' }
/** A throttle of a route that knows its caller. */
type OfCaller<P, Q, B, Given> = Throttle<'address' | 'caller', Checked<P, Q, B, Given>>
/** `count`, for handlers of routes with a throttle that is counted in the handler. */
type Counts<T> = T extends { counts: 'in the handler'; scope: infer Scope extends string } ? Scope : never
type WithCount<T> = [Counts<T>] extends [never] ? unknown : { count: Count<Counts<T>> }

type Spec<Permission, P, Q, B, Given, A extends Answers, T = never> = Documented<A> & {
  permission: Permission
  /** Without it no cache keeps the answer, since it depends on who asks. */
  cache?: CachePolicy
  /**
   * Members of the answer that hold texts of ours, as paths (`results.*.message`): readers get them in their
   * language. Empty where the handler says them itself.
   */
  says?: readonly string[]
  params?: P
  query?: Q
  /** Query members that may be sent several times: their schema gets a list. */
  repeated?: readonly string[]
  /** How many rows a page of this list holds unless the query says: 20 where this is missing. */
  pageSize?: number
  body?: B | ((params: Parsed<P>) => B)
  /** The body is a multipart form. */
  form?: FormLimits
  /** The body may be a form of text members as well as JSON. */
  urlencoded?: true
  /** How often it may be called. Each answers 429 with `Retry-After` when its rate is used up. */
  throttles?: readonly T[]
  /** Shows what the process remembers of the table (lib/platform/cache): how that stands is read together with who calls. */
  remembers?: true
  /** Answers JSON, which is what clients get that ask for nothing else. */
  handle: Handle<P, Q, B, Given & WithCount<T>, Answered<A>>
  /** The same in other media types, for clients whose Accept header asks for them. */
  representations?: [OtherTypes<A>] extends [never]
    ? never
    : { readonly [Type in OtherTypes<A>]?: Handle<P, Q, B, Given & WithCount<T>, AnsweredAs<A, Type>> }
}

/** What a handler is given so that it can write: only methods that may change something give it. */
type Writing = { unit: UnitOfWork }
/** What a GET gives instead: nothing, so its handler cannot write. */
type Reading = object

declare const made: unique symbol
/**
 * One declared endpoint. Only the functions below make one, so each has a permission. `Needs` is what its handler must be given:
 * `Routes` infers it from the method, so a GET whose handler takes `unit` does not compile.
 */
export type Route<Needs = Writing> = { readonly [made]: (needs: Needs) => void }
/** Only a write can count successes, or hits of its handler. */
type RouteFor<Needs, T> = Route<[T] extends [{ counts: 'every call' }] ? Needs : Writing>
// The declaration is erased here and read again in endpoint.ts, which checks at run time what the types promise.
const asRoute = <Needs>(spec: unknown) => spec as Route<Needs>

/** Anyone may call it. `actor` is whoever happens to be signed in. */
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

/** Anyone may call it, and nobody looks who does: it answers where the table does not. */
export function probeRoute<Q extends Schema = undefined, A extends Answers = Answers>(
  spec: Spec<PermissionBy<Open>, undefined, Q, undefined, { page: PageRequest }, A>,
): Route<Reading> {
  return asRoute({ ...spec, asksNobody: true })
}

/**
 * For clients that send a request again when they got no answer. Under the same Idempotency-Key the second gets the reply of the
 * first, for 24 hours. The reply is stored in the transaction that has the effect.
 */
type Repeats = { idempotent?: '24h' }

/** Needs an actor with a role. */
export function actorRoute<
  P extends Schema = undefined,
  Q extends Schema = undefined,
  B extends Schema = undefined,
  A extends Answers = Answers,
  Needs extends Reading = Writing,
  const T extends OfCaller<P, Q, B, { actor: Actor }> = never,
>(
  spec: Spec<PermissionBy<Role>, P, Q, B, { actor: Actor; page: PageRequest } & Needs, A, T> & Repeats,
): RouteFor<Needs, T> {
  return asRoute(spec)
}

/** What the handler of a list is given, for work that its representations share. */
export type ListCall<Q extends Schema> = {
  query: Parsed<Q>
  actor: Actor | null
  scope: Scope
  page: PageRequest
  request: Request
}

/** Lists things; `scope` says which of them this actor may see. */
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

/** Reads one stored thing; `subject` says how to load it. Not visible to the actor means not found. */
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

/** Changes one stored thing. Needs an actor; visible but not allowed is a refusal. */
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
    Repeats,
): Route {
  return asRoute(spec)
}

type ReadMethod = 'GET'
type WriteMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Method = ReadMethod | WriteMethod
type RoutesOf<M extends Method, Needs> = Readonly<
  Record<`${M} /${string}/`, Route<Needs>> & Partial<Record<`${M} /`, Route<Needs>>>
>
/** A method and a canonical path: no version, no /data/api, one slash at the end. Only a write method gives a unit of work. */
export type Routes = RoutesOf<ReadMethod, Reading> & RoutesOf<WriteMethod, Writing>
