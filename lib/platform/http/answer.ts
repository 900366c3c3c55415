import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { CSV, XLSX } from './media.ts'
import type { Content, JsonText, Reply } from './reply.ts'

/** What a route answers, by status: JSON of a schema, other media types, or nothing. The API document is made of it. */

/** A schema, which may differ by the kind of record that the path names. */
type Shaped = s.Schema | ((kind: never) => s.Schema)
export type Body<S extends Shaped = Shaped> = {
  /** The JSON. */
  shape?: S
  /** JSON of other media types. */
  also?: Readonly<Record<string, Shaped>>
  /** Media types of which no more is known. */
  types?: readonly string[]
  paged?: true
  etag?: true
}
export type Answers = Readonly<Record<number, Body | null>>

/** The JSON that fits a shape. A shape that differs by kind is checked by tests alone: the compiler takes any object. */
type JsonOf<S> = S extends s.Schema ? s.Output<S> : { readonly [member: string]: unknown }
type ShapedJson<B> = B extends { shape: infer S } ? JsonOf<S> : never
type OtherJson<B> = B extends { also: infer Also } ? JsonOf<Also[keyof Also]> : never
type OtherContent<B> = B extends { types: readonly string[] } ? Content : never

/** TypeScript spells a numeric member of a literal that was spread as text: `'201'`. */
type StatusIn<Key> = Key extends number ? Key : Key extends `${infer Status extends number}` ? Status : never
type JsonOfStatus<B> = Written<ShapedJson<B> | OtherJson<B>> | OtherContent<B>
/** A reply with one of the declared statuses, and a body that this status declares. */
type DeclaredReply<A, Key extends keyof A = keyof A> = Key extends unknown
  ? Reply<StatusIn<Key>, A[Key] extends null ? undefined : JsonOfStatus<A[Key]>>
  : never

type Written<Value> = Value | ([Value] extends [never] ? never : JsonText<Value>)

type Success<A> = A extends { 200: infer B } ? B : never

/** What a handler may return: the JSON of a 200, or a declared reply. */
export type Answered<A> = ShapedJson<Success<A>> | DeclaredReply<A>

/** The media types beside JSON that the 200 of an answer declares. */
export type OtherTypes<A> =
  | (Success<A> extends { also: infer Also } ? keyof Also & string : never)
  | (Success<A> extends { types: readonly (infer Type extends string)[] } ? Type : never)

/** What the handler of one of these media types may return: its JSON or content, or a reply with it or of another status. */
export type AnsweredAs<A, Type> =
  | Represented<Success<A>, Type>
  | Reply<200, Written<Represented<Success<A>, Type>>>
  | DeclaredReply<A, Exclude<keyof A, 200 | '200'>>
type Represented<B, Type> = B extends { also: infer Also }
  ? Type extends keyof Also
    ? JsonOf<Also[Type]>
    : OtherContent<B>
  : OtherContent<B>

/** 200 with JSON of this schema. */
export const ok = <const S extends Shaped>(shape: S) => ({ 200: { shape } }) as const
/** 201 with JSON of this schema. */
export const creation = <const S extends Shaped>(shape: S) => ({ 201: { shape } }) as const
/** 204. */
export const empty = { 204: null } as const
/** 200 with text or bytes of these media types. */
export const bytes = <const Types extends readonly string[]>(...types: Types) => ({ 200: { types } }) as const
/** 200 with one page of these rows and what stands beside them, or the whole list as a table. */
export function listOf<S extends s.Schema, Beside extends v.ObjectEntries = Record<never, never>>(
  row: S,
  beside = {} as Beside,
) {
  return withTable({ 200: { shape: pageShape(row, beside), paged: true } } as const)
}
/** The same where the rows differ by kind. */
export const listOfKind = (row: (kind: never) => s.Schema, beside: v.ObjectEntries = {}) =>
  withTable({ 200: { shape: (kind: never) => pageShape(row(kind), beside), paged: true } } as const)
/** The same 200 in other media types, for clients that ask for them. */
export const withTypes = <A extends { 200: Body }, const Also extends Readonly<Record<string, Shaped>>>(
  answer: A,
  also: Also,
): A & { readonly 200: { readonly also: Also } } => ({ ...answer, 200: { ...answer[200], also } })
/** The same list as a table too, or 303 to the address of the table. */
export const withTable = <A extends { 200: Body }>(
  answer: A,
): A & { readonly 200: { readonly types: readonly [typeof CSV, typeof XLSX] }; readonly 303: null } => ({
  ...answer,
  200: { ...answer[200], types: [CSV, XLSX] },
  303: null,
})

const pageShape = <S extends s.Schema, Beside extends v.ObjectEntries>(row: S, beside: Beside) =>
  v.object({
    count: v.number(),
    next: v.nullable(v.string()),
    previous: v.nullable(v.string()),
    results: v.array(row),
    ...beside,
  })

/**
 * What a route says of itself for its readers, in English alone. Bundles leave it out: see deploy/without-answers.ts.
 * A text that several descriptions share is a constant named `ABOUT_...`.
 */
export type Documented<A extends Answers = Answers> = {
  /** What it does, in one line. */
  summary: string
  /** More of it, where a line is not enough. */
  description?: string
  /** What each success looks like. The handler is checked against it, and so is every answer that a test gets. */
  answer: A
  /** Errors beside those that follow from the permission, the body and the throttles. */
  errors?: readonly ErrorStatus[]
  /** Headers of a success, beside those that follow from the route. */
  answerHeaders?: readonly HeaderName[]
  /** The body as the document shows it, where `body` checks what a schema cannot show. */
  shownBody?: s.Schema
  /** The operation's id, where the one that the path makes belongs to another operation. */
  operationId?: string
  /** An example of the JSON, where none is recorded: it is too large, or no test comes by. */
  example?: () => unknown
}

type ErrorStatus = 401 | 403 | 404 | 409 | 410 | 413 | 422 | 500 | 502 | 503
export type HeaderName =
  | 'ETag'
  | 'Content-Language'
  | 'Idempotent-Replayed'
  | 'X-Cache'
  | 'Link'
  | 'Content-Disposition'
  | 'X-HG-Schema-Source'
  | 'WWW-Authenticate'
  | 'Retry-After'

/** A sentence about what was done. */
export const MessageView = s.shape('Message', () => v.object({ message: s.text }))
/** A sentence; in refusals why. */
export const DetailView = s.shape('Detail', () => v.object({ detail: s.text }))
type Faults = { [member: string]: string[] | Faults }
/** What is wrong, by member, and inside of a member by its members; `non_field_errors` is about the whole. */
const FieldErrorsView: s.Shape<v.GenericSchema<Faults>> = s.shape('FieldErrors', () =>
  v.record(v.string(), v.union([v.array(s.text), FieldErrorsView])),
)
/** What a request says that has no effect, or that is doubtful; `member` is its path. */
export const WarningView = s.shape('Warning', () => v.object({ member: s.text, message: s.text }))
/** Why a request is refused: a sentence, or what is wrong by member. */
export const BadRequestView = s.shape('BadRequest', () => v.union([DetailView, FieldErrorsView]))

/** A file that is too large for a form, and where it can be announced instead. */
export const TooLargeView = s.shape('TooLarge', () => v.object({ detail: s.text, upload_url: s.text }))

/** What `description` says of a route that answers linked data, or maps, as well. */
export const ABOUT_LINKED = 'With `Accept: application/ld+json` as linked data (CIDOC-CRM, PROV-O).'
export const ABOUT_LINKED_OR_MAPPED =
  'With `Accept: application/ld+json` as linked data (CIDOC-CRM, PROV-O), with `application/geo+json` for maps; whoever may see what is the same.'
