import { splitIntoParts } from '../../lib/base/concurrency.ts'
import { recordId } from '../../lib/base/ids/address.ts'
import { kinds } from '../../lib/domain/kinds/index.ts'
import type { App } from '../harness/app.ts'
import { printCosts } from './tools/table.ts'

type Row = { door: string; calls: number; units: number }

/** Calls and capacity units of each door, by records that everyone may read, side by side. What a process keeps is kept: each is asked twice. */
export async function benchDoors(sizes: readonly number[]): Promise<void> {
  const { openApp } = await import('../harness/app.ts')
  const app = await openApp({ env: { LOG_LEVEL: 'info', TABLE_TIMEOUT: '30' } })
  const results: Row[][] = []
  let filled = 1
  for (const size of sizes) {
    const started = performance.now()
    await fillDoors(filled, size + 1)
    filled = size + 1
    process.stderr.write(`${size} records in ${((performance.now() - started) / 1000).toFixed(0)} s\n`)
    results.push(await measure(app))
  }
  printCosts('DynamoDB calls and capacity units of each door, by public records', 'door', sizes, results)
}

/** Records, as the service would have written them, with feed, search and exported files. */
async function fillDoors(from: number, to: number): Promise<void> {
  await import('../../lib/domain/composition.ts')
  const [{ fill }, { writeChanges }, { rebuildSearch }, { handler }] = await Promise.all([
    import('./tools/fill.ts'),
    import('../../lib/domain/feed/tell.ts'),
    import('../../lib/engines/search/index.ts'),
    import('../../functions/exporter.ts'),
  ])
  await fill(from, to)
  const ids = Array.from({ length: to - from }, (_, at) => recordId(kinds.structure.code, from + at))
  for (const some of splitIntoParts(ids, 100)) await writeChanges(some.map((id) => ({ sort: 'record', id })))
  await rebuildSearch()
  await handler()
}

const HTML = 'text/html'
const LABEL = 'http://www.w3.org/2000/01/rdf-schema#label'
const block = Array.from({ length: 64 }, (_, at) => `(<http://localhost:8000/cidoc/structures/${at + 1}/>)`).join('')

/** What is asked of each door. The record is the same at each size. */
const questions: readonly (readonly [door: string, path: string, query?: Record<string, string>, accept?: string])[] = [
  ['first page', '/', {}, HTML],
  ['page of a record', '/resource/structure/7/', {}, HTML],
  ['page of a search', '/resource/', { q: 'thimi' }, HTML],
  ['page where there is nothing', '/resource/structure/99999999/', {}, HTML],
  ['record as JSON-LD', '/resource/structure/7/', { format: 'jsonld' }],
  ['record as Turtle', '/resource/structure/7/', { format: 'ttl' }],
  ['record as GeoJSON', '/resource/structure/7/', { format: 'geojson' }],
  ['TimeMap', '/resource/structure/7/timemap/'],
  ['list as JSON-LD', '/cidoc/structures/', { format: 'jsonld', limit: '100' }],
  ['list as GeoJSON', '/cidoc/structures/', { format: 'geojson', limit: '100' }],
  ['OGC: collections', '/ogc/collections/'],
  ['OGC: 10 features', '/ogc/collections/structures/items/', { limit: '10' }],
  ['OGC: 100 features in a box', '/ogc/collections/structures/items/', { limit: '100', bbox: '85,27,86,28' }],
  ['OGC: one feature', '/ogc/collections/structures/items/7/'],
  ['fragments: all', '/fragments/'],
  ['fragments: one pattern', '/fragments/', { predicate: LABEL }],
  ['fragments: 64 bindings', '/fragments/', { subject: '?s', predicate: LABEL, values: `(?s) { ${block} }` }],
  ['VoID', '/.well-known/void/'],
  ['OAI-PMH: Identify', '/data/oai/', { verb: 'Identify' }],
  ['OAI-PMH: a page of records', '/data/oai/', { verb: 'ListRecords', metadataPrefix: 'oai_dc' }],
  ['ActivityStreams: the collection', '/data/changes/activity/'],
  ['ActivityStreams: a page', '/data/changes/activity/1/'],
  ['reconciliation: manifest', '/data/reconcile/'],
  ['reconciliation: suggest', '/data/reconcile/suggest/entity/', { prefix: 'thi' }],
  [
    'reconciliation: two names',
    '/data/reconcile/',
    { queries: JSON.stringify({ a: { query: 'Thimi' }, b: { query: 'Panga' } }) },
  ],
  ['exported files', '/data/exports/'],
  ['sitemap', '/sitemap.xml'],
]

async function measure({ anon }: App): Promise<Row[]> {
  const rows: Row[] = []
  for (const [door, path, query = {}, accept = '*/*'] of questions) {
    await anon.get(path, { query, headers: { accept } })
    const { status, cost, text } = await anon.get(path, { query, headers: { accept } })
    if (status >= 400 && !door.endsWith('nothing')) throw new Error(`${door}: ${status} ${text.slice(0, 200)}`)
    rows.push({ door, calls: cost.calls, units: cost.units })
  }
  return rows
}
