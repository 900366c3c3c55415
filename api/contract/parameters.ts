import { isDeepStrictEqual } from 'node:util'
import { isJson, type Json } from '../json.ts'

/** Parameters that operations share, by place and name. Whether one is required is written at each operation, by `?`. */
export type Parameters = Record<string, Json>

type Operations = Record<string, Json | null>
const places = ['path', 'query', 'header', 'cookie']

/** Finds the parameters that at least two operations share. For each name it takes the most frequent one. */
export function parametersOf(operations: Operations): Parameters {
  const found = places.map((place): [string, Json] => {
    const taken = Object.values(operations).flatMap((it) => Object.entries(object(it?.[place])))
    const byName = Map.groupBy(taken, ([name]) => bare(name))
    return [place, Object.fromEntries([...byName].flatMap(([name, each]) => mostTaken(name, each)).sort())]
  })
  return Object.fromEntries(found.filter(([, each]) => Object.keys(each).length > 0))
}

function mostTaken(name: string, taken: [string, unknown][]): [string, unknown][] {
  const alike = [...Map.groupBy(taken, ([, schema]) => JSON.stringify(schema)).values()]
  const [most = []] = alike.toSorted((a, b) => b.length - a.length)
  return most.slice(1, 2).map(([, schema]) => [name, schema])
}

/** Replaces the shared parameters of an operation by their names. Its own stay written out, in their order. */
export function withNamed(it: Json, shared: Parameters): Json {
  const named = places
    .filter((place) => isJson(it[place]))
    .map((place) => [
      place,
      Object.entries(object(it[place])).map(([name, schema]) =>
        isDeepStrictEqual(shared[place]?.[bare(name)], schema) ? name : { [name]: schema },
      ),
    ])
  return replaceNames(it, Object.fromEntries(named))
}

/** Restores the parameters that `withNamed` has replaced. */
export function withWritten(it: Json, shared: Parameters): Json {
  const written = places.flatMap((place) => {
    const names = it[place]
    if (!Array.isArray(names)) return []
    const entries = names.flatMap((each) =>
      typeof each === 'string' ? [[each, shared[place]?.[bare(each)]]] : Object.entries(object(each)),
    )
    return [[place, Object.fromEntries(entries)]]
  })
  return replaceNames(it, Object.fromEntries(written))
}

const replaceNames = (it: Json, by: Json): Json =>
  Object.fromEntries(Object.entries(it).map(([name, each]) => [name, by[name] ?? each]))
const bare = (name: string) => name.replace(/\?$/, '')
const object = (it: unknown): Json => (isJson(it) ? it : {})
