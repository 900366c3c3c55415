import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'

/** The defaults of a schema. Members with these values are not stored. */
export type Blank = Readonly<Record<string, unknown>>

/** The members of a schema that have a default, each with its default. */
export const blankOf = (schema: v.ObjectSchema<v.ObjectEntries, undefined>): Blank =>
  Object.fromEntries(Object.entries(v.getDefaults(schema)).filter(([, value]) => value !== undefined))

/** Whether a member has its default, or is undefined. */
const isSaidBy = (blank: Blank, name: string, value: unknown): boolean =>
  value === undefined || isDeepStrictEqual(blank[name], value)

/** A value without the members that have their default. */
export const sparse = (blank: Blank, value: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([name, told]) => !isSaidBy(blank, name, told)))
