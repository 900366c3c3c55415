import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { CSV, XLSX } from './media.ts'
import type { Reply } from './reply.ts'

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

/** What a handler may answer: JSON of one of the schemas, or a reply that says everything itself. */
export type Answered<A extends Answers> = JsonIn<A[keyof A]> | Reply
type JsonIn<B> = B extends { shape: infer S } ? (S extends s.Schema ? s.Output<S> : object) : never

/** 200 with JSON of this schema. */
export const ok = <const S extends Shaped>(shape: S) => ({ 200: { shape } }) as const
/** 201 with JSON of this schema. */
export const creation = <const S extends Shaped>(shape: S) => ({ 201: { shape } }) as const
/** 204. */
export const empty = { 204: null } as const
/** 200 with text or bytes of these media types. */
export const bytes = (...types: string[]) => ({ 200: { types } })
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
export const withTypes = <A extends { 200: Body }>(answer: A, also: Readonly<Record<string, Shaped>>): A => ({
  ...answer,
  200: { ...answer[200], also },
})
/** The same list as a table too, or 303 to where the table lies. */
export const withTable = <A extends { 200: Body }>(answer: A): A => ({
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
