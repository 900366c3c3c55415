import * as v from 'valibot'
import { CSV, XLSX } from '../../lib/http/media.ts'
import type { Kind } from '../../lib/kinds/index.ts'
import { Warning } from './shapes/common.ts'

/** What a document says of a route beyond its declaration: one row for each route, in `answers/`. */
export type Answer = {
  /** What it does, in one line. */
  says: string
  /** More of it, where a line is not enough. */
  more?: string
  /** What each success looks like. */
  gives: Gives
  /** An example of the JSON, where none is recorded: it is too large, or no test comes by. */
  shows?: () => unknown
  /** What a success says in headers, beside what follows from the declaration. */
  headers?: readonly HeaderName[]
  /** Refusals beside those that follow from the declaration. */
  refuses?: readonly Refusal[]
  /** The body, where the declaration's schema depends on what the path names, or checks what it cannot show. */
  takes?: v.GenericSchema
  /** The operation's id, where that of its path is another's. */
  id?: string
}
export type Answers<Routes> = { readonly [Key in keyof Routes]: Answer }

/** Headers that only some answers have; the others are told of once, for all. */
export const headers = {
  ETag: { description: 'The version, for If-Match and If-None-Match.', schema: { type: 'string' } },
  'Content-Language': { description: 'The language of its texts.', schema: { type: 'string' } },
  'Idempotent-Replayed': {
    description: 'Sent where the key came before: this is the answer of then.',
    schema: { type: 'string', enum: ['true'] },
  },
  'X-Cache': {
    description: 'Whether the answer was kept; for callers who are signed in none is.',
    schema: { type: 'string', enum: ['hit', 'miss', 'bypass'] },
  },
  Link: { description: 'The canonical address of the image, and what it is an image by.', schema: { type: 'string' } },
  'Content-Disposition': { description: 'The name of the file.', schema: { type: 'string' } },
  'X-HG-Schema-Source': { description: 'Where the registry comes from.', schema: { type: 'string' } },
  'WWW-Authenticate': { description: 'How to sign in.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } },
} as const
export type HeaderName = keyof typeof headers

type Refusal = 401 | 403 | 404 | 409 | 410 | 413 | 422 | 429 | 500 | 502 | 503
export type Shape = v.GenericSchema
/** A shape, which may differ by kind. */
export type Shaped = Shape | ((kind: Kind) => Shape)
/** A body: JSON of a shape, JSON of other media types (`also`), or something else by its media types. */
export type Body = {
  shape?: Shaped
  also?: Readonly<Record<string, Shaped>>
  types?: readonly string[]
  paged?: true
  etag?: true
}
export type Gives = Readonly<Record<number, Body | null>>

/** 200 with this. */
export const ok = (shape: Shaped): Gives => ({ 200: { shape } })
/** 201 with this. */
export const made = (shape: Shaped): Gives => ({ 201: { shape } })
/** 204. */
export const nothing: Gives = { 204: null }
/** 200 with text or bytes. */
export const content = (...types: string[]): Gives => ({ 200: { types } })
/** 200 with one page of these, and what else stands beside it; or all of them as a table, or where that lies. */
export const page = (shape: Shaped, beside: v.ObjectEntries = {}): Gives =>
  tabled({
    200: {
      shape: typeof shape === 'function' ? (kind) => listOf(shape(kind), beside) : listOf(shape, beside),
      paged: true,
    },
  })
/** The same 200 in other media types, for those who ask for them. */
export const represented = (gives: Gives, also: Readonly<Record<string, Shaped>>): Gives => ({
  ...gives,
  200: { ...gives[200], also },
})

/** The same list as a table too, or where that lies. */
export const tabled = (gives: Gives): Gives => ({ ...gives, 200: { ...gives[200], types: [CSV, XLSX] }, 303: null })

const listOf = (shape: Shape, beside: v.ObjectEntries) =>
  v.object({
    count: v.number(),
    next: v.nullable(v.string()),
    previous: v.nullable(v.string()),
    results: v.array(shape),
    warnings: v.optional(v.array(Warning)),
    ...beside,
  })
