import { beforeAll, describe, expect, test } from 'vitest'
import { rdfTypes } from '../../../lib/platform/http/media.ts'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { filled } from '../../harness/filled.ts'
import { everyState, publish, sightings, sure } from '../../harness/make.ts'
import { canonical, canonicalOf, parseRdf } from '../../harness/rdf.ts'

let app: App
let temple: { id: number; cultural_entity_id: string }
let source: { id: string }
let claim: { id: string }
beforeAll(async () => {
  app = await openApp()
  source = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name: 'Inventory "A" & <B>' } }))
  temple = await publish(app, 'structures', {
    name: 'Dattatreya Temple',
    name_ne: 'दत्तात्रय मन्दिर',
    note: 'One tree,\ntwo lines & "quotes" <here>.',
    construction_date: 'c. 1427 CE',
    commissioned_by: 'Yaksha Malla',
    coordinates: '27.6737, 85.4356',
    assertion: { source_type: 'book', source_citation: 'Gutschow 1982', confidence: 'certain' },
    source: source.id,
  })
  claim = sure(200, await app.anon.get(`/cidoc/structures/${temple.id}/`)).assertions[0]
})

const read = (who: Persona, path: string, accept: string) => who.get(path, { headers: { accept } })
/** The addresses that have linked data. */
const addresses: Readonly<Record<string, () => string>> = {
  'a record': () => `/cidoc/structures/${temple.id}/`,
  'a record as it was': () => `/cidoc/structures/${temple.id}/?at=2025-01-15T10:00:00Z`,
  'a list of records': () => '/cidoc/structures/',
  'a data source': () => `/cidoc/data_sources/${source.id}/`,
  'the list of data sources': () => '/cidoc/data_sources/',
  'a claim': () => `/cidoc/assertions/${claim.id}/`,
  'the list of claims': () => '/cidoc/assertions/',
  'a contribution': () => `/data/cultural-entities/${temple.cultural_entity_id}/`,
  'the list of contributions': () => '/data/cultural-entities/',
}

describe.each(Object.entries(addresses))('%s', (_, address) => {
  test.each(rdfTypes)('says as %s what it says as JSON-LD, at the same cost', async (type) => {
    const [linked, other] = [
      await read(app.anon, address(), 'application/ld+json'),
      await read(app.anon, address(), type),
    ]
    expect([linked.status, other.status, other.headers['content-type']]).toEqual([200, 200, type])
    expect(other.cost).toEqual(linked.cost)
    expect(other.headers.vary).toContain('Accept')
    expect(await canonical(await parseRdf(other.text, type))).toBe(await canonicalOf(JSON.parse(linked.text)))
    expect((await read(app.anon, address(), type)).text).toBe(other.text)
  })
})

test('every kind, full of values, says the same in every media type', async () => {
  const { kinds, recordKinds } = await import('../../../lib/domain/kinds/index.ts')
  for (const key of recordKinds) {
    const { segment } = kinds[key]
    const { id } = sure(201, await app.contributor.post(`/cidoc/${segment}/`, { body: filled(kinds[key]) }))
    const path = `/cidoc/${segment}/${id}/`
    const linked = await canonicalOf(JSON.parse((await read(app.contributor, path, 'application/ld+json')).text))
    for (const type of rdfTypes)
      expect(await canonical(await parseRdf((await read(app.contributor, path, type)).text, type)), key).toBe(linked)
  }
})

test('who may see what is the same in every media type', async () => {
  const made = await everyState(app, 'structures')
  for (const { state, who, sees } of sightings) {
    const reader = { ...app, anon: app.anon }[who]
    for (const type of rdfTypes) {
      const { status, text } = await read(reader, `/cidoc/structures/${made[state].id}/`, type)
      expect([state, who, type, status]).toEqual([state, who, type, sees ? 200 : 404])
      if (!sees) expect(text).not.toContain('Sight')
    }
  }
})
