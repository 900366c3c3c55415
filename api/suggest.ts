import './settings.ts'
import { readFileSync } from 'node:fs'
import { shapes } from '../lib/base/shapes.ts'
import { isJson, type Json } from './json.ts'

/**
 * `node api/suggest.ts FILE` drafts the shapes of new routes from the exchanges that a test run has recorded. Complete them by hand:
 * choices and nulls that the run did not meet are missing.
 */
type Exchange = { id: string; status: number; body: unknown }

const exchanges = readFileSync(process.argv[2] ?? '', 'utf8')
  .split('\n')
  .filter(Boolean)
const known = exchanges.map((line): Exchange => JSON.parse(line)).filter(({ id }) => id.includes(' '))
for (const [name, same] of [...Map.groupBy(known, ({ id, status }) => `${id} ${status}`)].sort())
  console.log(`// ${name}, seen ${same.length} times\n${shapeOf(same.map(({ body }) => body))}\n`)

function shapeOf(samples: readonly unknown[]): string {
  const some = samples.filter((it) => it !== null)
  const one = someShape(some)
  return some.length < samples.length ? (some.length === 0 ? 'v.null()' : `maybe(${one})`) : one
}

function someShape(samples: readonly unknown[]): string {
  if (samples.every(isJson)) return objectOf(samples)
  if (samples.every(Array.isArray))
    return `v.array(${samples.flat().length > 0 ? shapeOf(samples.flat()) : 'v.unknown()'})`
  const kinds = [...new Set(samples.map(kindOf))]
  if (kinds.length === 1) return kinds[0] ?? 'v.unknown()'
  return kinds.every((kind) => ['uuid', 'time', 'text'].includes(kind)) ? 'text' : `v.union([${kinds.join(', ')}])`
}

function objectOf(samples: readonly Json[]): string {
  const names = [...new Set(samples.flatMap(Object.keys))]
  const named = [...shapes].find(([, shape]) => isSame(shape(), names))
  if (named) return `${named[0]}View`
  const isPage = names.join() === 'count,next,previous,results'
  if (isPage) return `page(${shapeOf(samples.flatMap((it) => (Array.isArray(it.results) ? it.results : [])))})`
  const members = names.map((name) => {
    const given = samples.filter((it) => name in it)
    const shape = shapeOf(given.map((it) => it[name]))
    return `  ${name}: ${given.length < samples.length ? `v.optional(${shape})` : shape},`.replaceAll('\n', '\n  ')
  })
  return `v.object({\n${members.join('\n')}\n})`
}

function isSame(shape: object, names: readonly string[]): boolean {
  if (!('entries' in shape && isJson(shape.entries))) return false
  return Object.keys(shape.entries).sort().join() === names.toSorted().join()
}

function kindOf(value: unknown): string {
  if (typeof value === 'boolean') return 'v.boolean()'
  if (typeof value === 'number') return Number.isInteger(value) ? 'whole' : 'v.number()'
  if (isJson(value)) return objectOf([value])
  if (typeof value !== 'string') return 'v.unknown()'
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)) return 'uuid'
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? 'time' : 'text'
}
