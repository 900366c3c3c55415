import * as v from 'valibot'
import { type Declared, declarationOf } from '../../platform/http/endpoint.ts'
import { CSV, formatNames, JSON_TYPE, XLSX } from '../../platform/http/media.ts'
import { optionalQueryChoice } from '../../platform/http/params.ts'
import type { Route, Routes } from '../../platform/http/route.ts'
import { withRdfTypes } from '../linked/rdf.ts'
import { isListRoute, type ListRoute } from './list-routes.ts'

/** The code that makes tables is loaded when somebody first asks for a table. */
const wholeList = () => import('./whole-list.ts')

/** The query members that a table adds to those of the list. `types`: the media types of the list. */
const asTable = (types: readonly string[]) => ({
  format: optionalQueryChoice(formatNames(types)),
  columns: v.optional(v.pipe(v.string(), v.maxLength(3000))),
})

/**
 * Returns the routes with tables added: each list with columns (list-columns.ts) answers CSV and XLSX, by `Accept` or `format`. Routes
 * with JSON-LD get RDF, too.
 */
export function withTables<R extends Routes>(routes: R): R {
  const entries = Object.entries(routes).map(([key, route]) => [
    key,
    withRdfTypes(isListRoute(key) ? routeWithTables(key, route) : route),
  ])
  return Object.fromEntries(entries)
}

function routeWithTables(key: ListRoute, route: Route): Route {
  const spec = declarationOf(route)
  const representations: Declared['representations'] = {
    ...spec.representations,
    [CSV]: async (given) => (await wholeList()).tableOf(key, spec, 'csv', given),
    [XLSX]: async (given) => (await wholeList()).tableOf(key, spec, 'xlsx', given),
  }
  const added = asTable([JSON_TYPE, ...Object.keys(representations)])
  const made: Declared = { ...spec, query: withEntries(spec.query, added), representations }
  // The cast drops the TypeScript types of the declaration, as the functions that make routes do.
  return made as unknown as Route
}

/** The schema of a query with the members of tables added. Its own transformations stay. */
function withEntries(query: v.GenericSchema = v.object({}), added: v.ObjectEntries): v.GenericSchema {
  const add = <S extends object>(it: S): S => ({ ...it, entries: { ...Object(it).entries, ...added } })
  // A pipe runs the schemas that it was made of, so it is made anew.
  const [first, ...rest]: [v.GenericSchema?, ...v.GenericPipeAction[]] = Object(query).pipe ?? []
  return first ? rest.reduce<v.GenericSchema>((schema, item) => v.pipe(schema, item), add(first)) : add(query)
}
