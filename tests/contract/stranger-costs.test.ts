import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { DOCUMENT } from '../../deploy/packages/built-document.ts'
import { type App, openApp } from '../harness/app.ts'
import { type Following, followTable } from '../harness/following.ts'
import { copies, publish } from '../harness/make.ts'

/**
 * No call of a stranger costs more than 100 capacity units. The calls come from the document: every public list, with each parameter that
 * makes it larger at its largest. The records are of the size of the largest real ones: some 2 KB as JSON, 4 KB as an item.
 */
const MOST_UNITS = 100
const RECORDS = 130

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
  const bell = await publish(app, 'locations', { name: 'A large place', note: long(2000) })
  const body = {
    name: 'A large structure',
    note: long(1700),
    has_current_location: bell.id,
    coordinates: '27.67, 85.42',
  }
  const large = await publish(app, 'structures', body)
  await copies(large, RECORDS)
  for (let i = 0; i < 3; i += 1)
    await app.other.post('/data/comments/', { body: { entity_id: large.cultural_entity_id, content: long(1000) } })
  await following.settled()
  // A process that opens search reads the log since the last snapshot once. That is the cost of its start, not of a call.
  await app.anon.get('/data/search/', { query: { q: 'large' } })
}, 120_000)

const long = (letters: number) => 'A wall of brick and wood. '.repeat(Math.ceil(letters / 26)).slice(0, letters)

type Parameter = {
  name: string
  in: string
  required?: boolean
  schema: { maximum?: number; enum?: readonly unknown[] }
}
type Operation = { parameters?: Parameter[] }

/** The value of a parameter that makes an answer larger. */
const largest: Readonly<Record<string, string>> = {
  facets: 'true',
  include: 'record',
  include_members: 'true',
  q: 'large structure',
  prefix: 'large',
  search: 'large structure',
  verb: 'ListRecords',
  metadataPrefix: 'oai_dc',
}

/** Lists whose address is whole, with `structures` for the kind. */
const document: { paths: Record<string, { get?: Operation }> } = JSON.parse(readFileSync(DOCUMENT, 'utf8'))
const lists = Object.entries(document.paths).flatMap(([path, { get }]) => {
  const address = path.replace('{segment}', 'structures')
  return get && !address.includes('{') ? [{ address, parameters: get.parameters ?? [] }] : []
})

function queriesOf(parameters: readonly Parameter[]): Record<string, string | number>[] {
  const sizes = parameters.filter((it) => ['limit', 'page_size'].includes(it.name) && it.schema.maximum)
  const sized = sizes.slice(0, 1).map((it) => [it.name, it.schema.maximum ?? 0] as const)
  const asked = parameters.flatMap(({ name, required }) => {
    const value = largest[name]
    return value !== undefined && (required || !['q', 'search'].includes(name)) ? [[name, value] as const] : []
  })
  const searched = parameters.some((it) => it.name === 'search') ? [['search', 'large structure'] as const] : []
  const deep = parameters.some((it) => it.name === 'offset') ? [['offset', 400] as const] : []
  return [[], searched, deep].map((more) => Object.fromEntries([...sized, ...asked, ...more]))
}

describe('a stranger reads', () => {
  test.each(lists.map((it) => [it.address, it.parameters] as const))('%s', async (address, parameters) => {
    for (const query of queriesOf(parameters)) {
      const answer = await app.anon.get(address, { query })
      expect(answer.cost.units, `${address} ${JSON.stringify(query)}`).toBeLessThanOrEqual(MOST_UNITS)
    }
  })

  test('the changes with their records, in pages that end where they become dear', async () => {
    const numbers: number[] = []
    let after = 0
    for (let pages = 0; pages < 20; pages += 1) {
      const { body, cost } = await app.anon.get('/data/changes/', { query: { after, limit: 100, include: 'record' } })
      expect(cost.units).toBeLessThanOrEqual(MOST_UNITS)
      numbers.push(...body.changes.map((it: { number: number }) => it.number))
      after = body.until
      if (body.next === null) break
    }
    const { body } = await app.anon.get('/data/changes/')
    expect(numbers).toEqual(Array.from({ length: body.last }, (_, i) => i + 1))
    expect(numbers.length).toBeGreaterThan(RECORDS)
  })

  test('records by OAI-PMH, in parts that end where they become dear', async () => {
    const identifiers: string[] = []
    let query: Record<string, string> = { verb: 'ListRecords', metadataPrefix: 'oai_dc', set: 'structure' }
    for (let parts = 0; parts < 20; parts += 1) {
      const { text, cost } = await app.anon.get('/data/oai/', { query })
      expect(cost.units).toBeLessThanOrEqual(MOST_UNITS)
      identifiers.push(...[...text.matchAll(/<identifier>(urn[^<]*)/g)].map(([, urn = '']) => urn))
      const [, token = ''] = /<resumptionToken[^>]*>([^<]*)</.exec(text) ?? []
      if (!token) break
      query = { verb: 'ListRecords', resumptionToken: token }
    }
    expect(new Set(identifiers).size).toBe(RECORDS + 1)
    expect(identifiers).toHaveLength(RECORDS + 1)
  })

  test('values of 100 records by reconciliation, and no more at once', async () => {
    const page = await app.anon.get('/cidoc/structures/', { query: { limit: 100 } })
    const ids = page.body.results.map((it: { cultural_entity_id: string }) => it.cultural_entity_id)
    const extend = (these: readonly string[]) =>
      app.anon.post('/data/reconcile/', {
        body: { extend: { ids: these, properties: [{ id: 'note' }, { id: 'has_current_location' }] } },
      })
    const answer = await extend(ids)
    expect([answer.status, Object.keys(answer.body.rows).length]).toEqual([200, 100])
    expect(answer.cost.units).toBeLessThanOrEqual(MOST_UNITS)
    const refused = await extend([...ids, 'one more'])
    expect([refused.status, refused.body]).toEqual([400, { extend: { ids: ['There are more than 100 ids.'] } }])
  })
})
