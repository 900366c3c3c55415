import type { GenericSchema, InferOutput } from 'valibot'
import type { Rate } from '../../base/config.ts'
import type { Scope } from '../../base/visibility.ts'
import type { UnitOfWork } from '../../engines/table/index.ts'
import type { Actor, Changes, Lists, Open, PermissionBy, Role, Sees, Subject } from '../permissions.ts'
import type { Answered, Answers, Documented } from './answer.ts'
import type { PageRequest } from './page.ts'
import type { FormLimits, Request } from './request.ts'

type Schema = GenericSchema | undefined
type Parsed<S> = S extends GenericSchema ? InferOutput<S> : undefined

/** The Cache-Control of an answer that caches may keep, since it is the same for everyone or changes rarely. */
export type CachePolicy = { control: string }
export type Throttle = { scope: string; rate: Rate; per: 'address' }

type Handle<P, Q, B, Given, Answer> = (
  req: { params: Parsed<P>; query: Parsed<Q>; body: Parsed<B>; request: Request } & Given,
) => Promise<Answer>

type Spec<Permission, P, Q, B, Given, A extends Answers> = Documented<A> & {
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
  throttle?: Throttle
  /** Shows what the process remembers of the table (lib/platform/cache): how that stands is read together with who calls. */
  remembers?: true
  /** Answers JSON, which is what clients get that ask for nothing else. */
  handle: Handle<P, Q, B, Given, Answered<A>>
  /** The same in other media types, for clients whose Accept header asks for them. */
  representations?: Readonly<Record<`${string}/${string}`, Handle<P, Q, B, Given, unknown>>>
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
// The declaration is erased here and read again in endpoint.ts, which checks at run time what the types promise.
const asRoute = <Needs>(spec: unknown) => spec as Route<Needs>

/** Anyone may call it. `actor` is whoever happens to be signed in. */
export function publicRoute<
  P extends Schema = undefined,
  Q extends Schema = undefined,
  B extends Schema = undefined,
  A extends Answers = Answers,
  Needs extends Reading = Writing,
>(spec: Spec<PermissionBy<Open>, P, Q, B, { actor: Actor | null; page: PageRequest } & Needs, A>): Route<Needs> {
  return asRoute(spec)
}

/** Anyone may call it, and nobody looks who does: it answers where the table does not. */
export function probeRoute<Q extends Schema = undefined, A extends Answers = Answers>(
  spec: Spec<PermissionBy<Open>, undefined, Q, undefined, { page: PageRequest }, A>,
): Route<Reading> {
  return asRoute({ ...spec, asksNobody: true })
}

/**
 * May come twice under one Idempotency-Key: the second gets the reply of the first, for as long as said. The handler
 * makes its reply by `creating` or `answering`, which keep it in the transaction that has the effect.
 */
type Repeats = { idempotent?: '24h' }

/** Needs an actor with a role. */
export function actorRoute<
  P extends Schema = undefined,
  Q extends Schema = undefined,
  B extends Schema = undefined,
  A extends Answers = Answers,
  Needs extends Reading = Writing,
>(spec: Spec<PermissionBy<Role>, P, Q, B, { actor: Actor; page: PageRequest } & Needs, A> & Repeats): Route<Needs> {
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
  spec: Spec<PermissionBy<Lists>, P, Q, B, { actor: Actor | null; scope: Scope; page: PageRequest }, A>,
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
  spec: Spec<PermissionBy<Sees<Subject>>, P, Q, B, { actor: Actor | null; subject: S; page: PageRequest }, A> &
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
>(
  spec: Spec<PermissionBy<Changes<Subject>>, P, Q, B, { actor: Actor; subject: S; unit: UnitOfWork }, A> &
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
