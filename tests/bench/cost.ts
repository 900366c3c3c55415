import type { App } from '../harness/app.ts'
import { print } from './table.ts'

type Row = { route: string; calls: number; units: number }

/** Calls and capacity units of each route, at each size of the table, side by side. */
export async function benchCost(sizes: readonly number[]): Promise<void> {
  const { openApp } = await import('../harness/app.ts')
  const app = await openApp({ env: { LOG_LEVEL: 'info' } })
  const { fill } = await import('./fill.ts')
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
    process.stderr.write(`${size} records in ${((performance.now() - started) / 1000).toFixed(0)} s\n`)
    results.push(await measure(app))
  }
  const [first = []] = results
  print(
    'DynamoDB calls and capacity units per request, by records in the table',
    first.map(({ route }, i) => ({
      route,
      ...Object.fromEntries(
        sizes.map((size, s) => [`at ${size}`, `${results[s]?.[i]?.calls} / ${results[s]?.[i]?.units}`]),
      ),
    })),
  )
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
  const page = await note('GET /cidoc/structures/?offset=400', app.anon.get('/cidoc/structures/?offset=400'))
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
  await note('GET /health/ready/', app.anon.get('/health/ready/'))
  return rows
}
