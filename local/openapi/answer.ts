import * as v from 'valibot'
import type { Kind } from '../../lib/kinds/index.ts'

/** What a document says of a route beyond its declaration: one row for each route, in `answers/`. */
export type Answer = {
  /** What it does, in one line. */
  says: string
  /** More of it, where a line is not enough. */
  more?: string
  /** What each success looks like. */
  gives: Gives
  /** Refusals beside those that follow from the declaration. */
  refuses?: readonly Refusal[]
  /** The body, where the declaration's schema depends on what the path names, or checks what it cannot show. */
  takes?: v.GenericSchema
  /** The operation's id, where that of its path is another's. */
  id?: string
}
export type Answers<Routes> = { readonly [Key in keyof Routes]: Answer }

type Refusal = 401 | 403 | 404 | 409 | 410 | 413 | 422 | 429 | 500 | 502 | 503
export type Shape = v.GenericSchema
/** A body: JSON of a shape, which may differ by kind, or something else by its media types. */
export type Body = { shape?: Shape | ((kind: Kind) => Shape); types?: readonly string[]; paged?: true; etag?: true }
export type Gives = Readonly<Record<number, Body | null>>

/** 200 with this. */
export const ok = (shape: Shape | ((kind: Kind) => Shape)): Gives => ({ 200: { shape } })
/** 201 with this. */
export const made = (shape: Shape | ((kind: Kind) => Shape)): Gives => ({ 201: { shape } })
/** 204. */
export const nothing: Gives = { 204: null }
/** 200 with text or bytes. */
export const content = (...types: string[]): Gives => ({ 200: { types } })
/** 200 with one page of these, and what else stands beside it. */
export const page = (shape: Shape | ((kind: Kind) => Shape), beside: v.ObjectEntries = {}): Gives => ({
  200: {
    shape: typeof shape === 'function' ? (kind) => listOf(shape(kind), beside) : listOf(shape, beside),
    paged: true,
  },
})

const listOf = (shape: Shape, beside: v.ObjectEntries) =>
  v.object({
    count: v.number(),
    next: v.nullable(v.string()),
    previous: v.nullable(v.string()),
    results: v.array(shape),
    ...beside,
  })
