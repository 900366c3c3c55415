import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { CSV, XLSX } from './media.ts'
import type { Content, JsonText, Reply } from './reply.ts'

/** The answers that a route declares, by status: JSON of a schema, other media types, or no body. The API document is made from them. */

/** A schema, which may differ by the kind of record that the path names. */
type Shaped = s.Schema | ((kind: never) => s.Schema)
export type Body<S extends Shaped = Shaped> = {
  /** The schema of the JSON. */
  shape?: S
  /** Schemas of JSON of other media types. */
  also?: Readonly<Record<string, Shaped>>
  /** Media types without a schema. */
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

/** If a literal was spread, TypeScript names its numeric members as text: `'201'`. */
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

/** The media types other than JSON that the 200 of an answer declares. */
export type OtherTypes<A> =
  | (Success<A> extends { also: infer Also } ? keyof Also & string : never)
  | (Success<A> extends { types: readonly (infer Type extends string)[] } ? Type : never)

/** What the handler of one media type may return: its JSON or content, a 200 with this content, or a declared reply of another status. */
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
export const empty = { 204: null } as const
/** 200 with text or bytes of these media types. */
export const bytes = <const Types extends readonly string[]>(...types: Types) => ({ 200: { types } }) as const
/** 200 with one page of these rows and the members of `extraEntries`, or the whole list as a table. */
export function listOf<S extends s.Schema, Extra extends v.ObjectEntries = Record<never, never>>(
  row: S,
  extraEntries = {} as Extra,
) {
  return withTable({ 200: { shape: pageShape(row, extraEntries), paged: true } } as const)
}
/** As `listOf`, for rows that differ by kind. */
export const listOfKind = (row: (kind: never) => s.Schema, extraEntries: v.ObjectEntries = {}) =>
  withTable({ 200: { shape: (kind: never) => pageShape(row(kind), extraEntries), paged: true } } as const)
/** Adds other media types to a 200. The Accept header chooses one. */
export const withTypes = <A extends { 200: Body }, const Also extends Readonly<Record<string, Shaped>>>(
  answer: A,
  also: Also,
): A & { readonly 200: { readonly also: Also } } => ({ ...answer, 200: { ...answer[200], also } })
/** Adds tables to a list: CSV and XLSX, or 303 to the address of the table. */
export const withTable = <A extends { 200: Body }>(
  answer: A,
): A & { readonly 200: { readonly types: readonly [typeof CSV, typeof XLSX] }; readonly 303: null } => ({
  ...answer,
  200: { ...answer[200], types: [CSV, XLSX] },
  303: null,
})

const pageShape = <S extends s.Schema, Extra extends v.ObjectEntries>(row: S, extraEntries: Extra) =>
  v.object({
    count: v.number(),
    next: v.nullable(v.string()),
    previous: v.nullable(v.string()),
    results: v.array(row),
    ...extraEntries,
  })

/**
 * The part of a route that the API document shows, in English only. Bundles leave it out: see deploy/packages/without-answers.ts.
 * A text that several descriptions share is a constant named `ABOUT_...`.
 */
export type Documented<A extends Answers = Answers> = {
  /** One line for the list of operations. */
  summary: string
  /** Details that do not fit in the summary. */
  description?: string
  /** The statuses and shapes of successes. The compiler checks the handler against it, and tests check every answer. */
  answer: A
  /** Statuses of errors, besides those that follow from the permission, the body and the throttles. */
  errors?: readonly ErrorStatus[]
  /** Headers of a success, besides those that follow from the route. */
  answerHeaders?: readonly HeaderName[]
  /** The shape of the body in the API document, where `body` checks what a schema cannot show. */
  shownBody?: s.Schema
  /** The id of the operation, if the one made from its path belongs to another operation. */
  operationId?: string
  /** Makes an example of the JSON, for answers that are too large to record or that no test asks for. */
  example?: () => unknown
}

type ErrorStatus = 401 | 403 | 404 | 409 | 410 | 413 | 422 | 500 | 502 | 503
export type HeaderName =
  | 'ETag'
  | 'Content-Language'
  | 'Idempotent-Replayed'
  | 'X-Cache'
  | 'Link'
  | 'Memento-Datetime'
  | 'Content-Disposition'
  | 'X-HG-Schema-Source'
  | 'WWW-Authenticate'
  | 'Retry-After'

/** A sentence about what a request has done. */
export const MessageView = s.shape('Message', () => v.object({ message: s.text }))
/** A sentence. In a refusal it is the reason. */
export const DetailView = s.shape('Detail', () => v.object({ detail: s.text }))
type Faults = { [member: string]: string[] | Faults }
/** Errors by member, and inside of a member by its members. `non_field_errors` are about the whole body. */
const FieldErrorsView: s.Shape<v.GenericSchema<Faults>> = s.shape('FieldErrors', () =>
  v.record(v.string(), v.union([v.array(s.text), FieldErrorsView])),
)
/** A remark on a member of the request that has no effect or is doubtful. `member` is its path. */
export const WarningView = s.shape('Warning', () => v.object({ member: s.text, message: s.text }))
/** The reason of a refusal: a sentence, or errors by member. */
export const BadRequestView = s.shape('BadRequest', () => v.union([DetailView, FieldErrorsView]))

/** The refusal of a file that is too large for a form, with the address to announce it. */
export const TooLargeView = s.shape('TooLarge', () => v.object({ detail: s.text, upload_url: s.text }))

/** Descriptions of routes with linked data, and of those with maps as well. */
export const ABOUT_LINKED =
  'With `Accept: application/ld+json` as linked data (CIDOC-CRM, PROV-O); the same as Turtle, N-Triples, N-Quads and RDF/XML.'
export const ABOUT_LINKED_OR_MAPPED =
  'With `Accept: application/ld+json` as linked data (CIDOC-CRM, PROV-O), the same as Turtle, N-Triples, N-Quads and RDF/XML; with `application/geo+json` for maps. Whoever may see what is the same.'
