import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'

/** Items of which much is as their schema says anyway need not say it. */
export type Blank = Readonly<Record<string, unknown>>

/** The members that have a value by their schema, without being told. */
export const blankOf = (schema: v.ObjectSchema<v.ObjectEntries, undefined>): Blank =>
  Object.fromEntries(Object.entries(v.getDefaults(schema)).filter(([, value]) => value !== undefined))

/** Whether a member is as the schema says, so that it need not be told. */
const isSaidBy = (blank: Blank, name: string, value: unknown): boolean =>
  value === undefined || isDeepStrictEqual(blank[name], value)

/** A value without what its schema says anyway. */
export const sparse = (blank: Blank, value: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([name, told]) => !isSaidBy(blank, name, told)))
