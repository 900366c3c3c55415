import type { App } from '../harness/app.ts'
import { fillGraphs, flatRoutes, measureGraph } from './graph-at-size.ts'
import { printCosts } from './tools/table.ts'

type Row = { route: string; calls: number; units: number }

/** Calls and capacity units of each route, at each size of the table, side by side. */
export async function benchCost(sizes: readonly number[]): Promise<void> {
  const { openApp } = await import('../harness/app.ts')
  const app = await openApp({ env: { LOG_LEVEL: 'info' } })
  const { fill } = await import('./tools/fill.ts')
  const { key } = await import('../../lib/platform/table/keys.ts')
  const { addToNumber } = await import('../../lib/engines/table/write.ts')
  // Numbers that the service gives out lie beyond those that are filled in.
  await addToNumber(key.sequence('structure'), 10_000_000)
  const results: Row[][] = []
  let filled = 1
  for (const size of sizes) {
    const started = performance.now()
    await fill(filled, size + 1)
    filled = size + 1
    await fillGraphs(size)
    process.stderr.write(`${size} records in ${((performance.now() - started) / 1000).toFixed(0)} s\n`)
    results.push(await measure(app))
  }
  printCosts('DynamoDB calls and capacity units per request, by records in the table', 'route', sizes, results)
  for (const route of flatRoutes) {
    const costs = results.map((rows) => JSON.stringify(rows.find((it) => it.route === route)))
    if (new Set(costs).size > 1) throw new Error(`${route} grows with the table: ${costs.join(', ')}`)
  }
}

const values = {
  note: 'Measured',
  existence_status: 'Extant',
  construction_date: '1702',
  // Away from those that are filled in: what lies within 150 m is read, so density there would count.
  coordinates: '29.67161, 81.42842',
  condition: 'Good',
  structure_type: 'Temple',
  description: 'A temple made to be measured.',
}

async function measure(app: App): Promise<Row[]> {
  const { body: pair } = await app.anon.post('/api/token/', { body: { username: 'dev', password: 'heritage-local' } })
  const { body: reviewing } = await app.anon.post('/api/token/', {
    body: { username: 'reviewer', password: 'heritage-local' },
  })
  const [dev, reviewer] = [app.as(pair.access), app.as(reviewing.access)]
  const name = `Measured ${Date.now().toString(36)}`
  const rows: Row[] = []
  const note = async (route: string, answer: ReturnType<typeof dev.get>) => {
    const { cost, status, body } = await answer
    if (status >= 400) throw new Error(`${route}: ${status} ${JSON.stringify(body)}`)
    rows.push({ route, ...cost })
    return body
  }
  const made = await note(
    'POST /cidoc/structures/ (8 values)',
    dev.post('/cidoc/structures/', { body: { ...values, name } }),
  )
  await note('GET /cidoc/structures/{id}/ (signed in)', dev.get(`/cidoc/structures/${made.id}/`))
  await note(
    'POST .../decide/ (accept)',
    reviewer.post(`/data/review-workspace/${made.cultural_entity_id}/decide/`, { body: { verdict: 'accept' } }),
  )
  await note('GET /cidoc/structures/{id}/', app.anon.get(`/cidoc/structures/${made.id}/`))
  await note(
    'PATCH /cidoc/structures/{id}/ (1 value)',
    dev.patch(`/cidoc/structures/${made.id}/`, { body: { note: 'Again' } }),
  )
  await note('GET /cidoc/structures/', app.anon.get('/cidoc/structures/'))
  const page = await note('GET /cidoc/structures/?offset=300', app.anon.get('/cidoc/structures/?offset=300'))
  await note('GET ...next of that page', app.anon.get(new URL(page.next).pathname + new URL(page.next).search))
  await note('GET /cidoc/structures/?search=', app.anon.get(`/cidoc/structures/?search=${encodeURIComponent(name)}`))
  await note('GET /cidoc/structures/?all=1 (signed in)', dev.get('/cidoc/structures/?all=1'))
  await note('GET /data/cultural-entities/', app.anon.get('/data/cultural-entities/'))
  await note('GET /data/cultural-entities/{id}/', app.anon.get(`/data/cultural-entities/${made.cultural_entity_id}/`))
  await note('GET .../my_contributions/', dev.get('/data/cultural-entities/my_contributions/'))
  await note('GET /data/activities/', app.anon.get('/data/activities/'))
  await note(
    'GET /cidoc/assertions/?entity',
    app.anon.get(`/cidoc/assertions/?entity_type=structure&entity_id=${made.id}`),
  )
  await note(
    'POST /cidoc/assertions/',
    dev.post('/cidoc/assertions/', {
      body: {
        entity_type: 'structure',
        entity_id: made.id,
        asserted_property: 'construction_date',
        asserted_value: '1703',
      },
    }),
  )
  await note('GET /cidoc/related/', app.anon.get(`/cidoc/related/?domain=structure&id=${made.id}`))
  await note('GET /cidoc/data_sources/', app.anon.get('/cidoc/data_sources/'))
  await note('GET /cidoc/entity-clusters/', app.anon.get('/cidoc/entity-clusters/'))
  await note(
    'GET .../suggest-duplicates/',
    dev.get('/cidoc/entity-clusters/suggest-duplicates/?q=measured&registry_key=structure'),
  )
  await note('GET /cidoc/schema/registry/', app.anon.get('/cidoc/schema/registry/'))
  await note(
    'POST /api/token/',
    app.anon.post('/api/token/', { body: { username: 'dev', password: 'heritage-local' } }),
  )
  await note('GET /api/user/info/', dev.get('/api/user/info'))
  await note('GET /data/user/me/', dev.get('/data/user/me/'))
  await measureGraph({ dev, reviewer, anon: app.anon, note, add: (row) => rows.push(row) })
  await measureBeside({ dev, reviewer, anon: app.anon, note, made })
  await note('GET /health/ready/', app.anon.get('/health/ready/'))
  return rows
}

type Beside = {
  dev: App['anon']
  reviewer: App['anon']
  anon: App['anon']
  // biome-ignore lint/suspicious/noExplicitAny: the bodies of many routes
  note: (route: string, answer: ReturnType<App['anon']['get']>) => Promise<any>
  made: { id: number; cultural_entity_id: string }
}

/** What people do beside records: forks, identity, proposals, organizations, notes, documents, jobs, merge requests, links. */
async function measureBeside({ dev, reviewer, anon, note, made }: Beside): Promise<void> {
  const entity_id = made.cultural_entity_id
  const stamp = Date.now().toString(36)
  const named = (what: string) => `${what} ${stamp}`
  const identity = { entity_type: 'structure', entity_id: made.id }
  await note('GET /cidoc/identity-summary/', anon.get('/cidoc/identity-summary/', { query: identity }))
  await note('GET /cidoc/identity-candidates/', reviewer.get('/cidoc/identity-candidates/'))
  const forking = { entity_id, changes: { note: 'Of stone' } }
  const fork = await note('POST /data/forks/', dev.post('/data/forks/', { body: forking }))
  await note('GET /data/forks/?entity_id=', anon.get('/data/forks/', { query: { entity_id } }))
  await note('GET .../lineage/', anon.get(`/data/cultural-entities/${entity_id}/lineage/`))
  await note('GET .../fork-diff/', dev.get(`/data/cultural-entities/${entity_id}/fork-diff/${fork.id}/`))
  const thing = { canonical_label: named('Mandap'), type_scope: 'structure' }
  const proposed = await note('POST /data/entity-proposals/', dev.post('/data/entity-proposals/', { body: thing }))
  await note('POST .../submit/ (a thing)', dev.post(`/data/entity-proposals/${proposed.id}/submit/`))
  await note('GET /data/entity-proposals/', dev.get('/data/entity-proposals/'))
  await note('GET /data/relationship-proposals/', dev.get('/data/relationship-proposals/'))
  const yaml = { title: 'Let it grow', proposed_yaml: `classes: { Sattal${stamp}: {} }` }
  const grown = await note(
    'POST /data/schema-extension-proposals/',
    dev.post('/data/schema-extension-proposals/', { body: yaml }),
  )
  await note('POST .../submit/ (schema)', dev.post(`/data/schema-extension-proposals/${grown.id}/submit/`))
  await note('GET /data/schema-extension-proposals/', dev.get('/data/schema-extension-proposals/'))
  const guthi = await note(
    'POST /data/organizations/',
    dev.post('/data/organizations/', { body: { name: named('Guthi') } }),
  )
  await note('POST .../join/', reviewer.post(`/data/organizations/${guthi.id}/join/`))
  await note('GET /data/organizations/', anon.get('/data/organizations/'))
  await note('GET /data/organizations/{id}/', anon.get(`/data/organizations/${guthi.id}/`))
  const left = { entity_id, entity_name: named('Temple'), content: named('Seen by a visitor') }
  const visitor = await note(
    'POST /data/public-contributions/',
    anon.post('/data/public-contributions/', { body: left }),
  )
  await note('GET /data/public-contributions/', reviewer.get('/data/public-contributions/'))
  await note('GET .../stats/', reviewer.get('/data/public-contributions/stats/'))
  await note(
    'POST .../review/ (rejected)',
    reviewer.post(`/data/public-contributions/${visitor.id}/review/`, { body: { status: 'rejected' } }),
  )
  await note('POST /data/shares/', anon.post('/data/shares/', { body: { entity_id, platform: 'email' } }))
  await note('GET /data/shares/count/', anon.get('/data/shares/count/', { query: { entity_id } }))
  await note('GET /data/ocr-documents/', dev.get('/data/ocr-documents/'))
  const announced = { filename: 'page.png', byte_size: 6, media_type: 'image' }
  await note('POST /data/ocr-chunk-uploads/', dev.post('/data/ocr-chunk-uploads/', { body: announced }))
  const rows = new FormData()
  rows.set('file', new File(['Name,Type\nGokarna,Temple\n'], 'rows.csv', { type: 'text/csv' }))
  const job = await note('POST /data/tabular-import-jobs/', dev.post('/data/tabular-import-jobs/', { body: rows }))
  await note('GET .../compile-preview/', dev.get(`/data/tabular-import-jobs/${job.id}/compile-preview/`))
  await note('GET /merge-requests/', dev.get('/merge-requests/'))
  await note('GET /api/curator-alerts/', reviewer.get('/api/curator-alerts/'))
  await note('GET /api/reconciled-links/', anon.get('/api/reconciled-links/'))
}
