import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { publish, sure } from '../../harness/make.ts'
import { parseRdf } from '../../harness/rdf.ts'

const TRIG = 'application/trig'
const base = 'http://localhost:8000'

let app: App
let temple: { id: number }
let claims: { id: string; property: string }[]
beforeAll(async () => {
  app = await openApp({ env: { EXPORT_LICENCE: 'https://creativecommons.org/licenses/by/4.0/' } })
  const source = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name: 'Inventory' } }))
  temple = await publish(app, 'structures', {
    name: 'Dattatreya Temple',
    note: 'Said to be made from one tree.',
    architectural_style: 'Pagoda',
    construction_date: 'c. 1427 CE',
    commissioned_by: 'Yaksha Malla',
    coordinates: '27.6737, 85.4356',
    source: source.id,
    assertion: { source_citation: 'Gutschow 1982', confidence: 'certain' },
  })
  claims = sure(200, await app.anon.get(`/cidoc/structures/${temple.id}/`)).assertions
})

const read = (who: Persona, id: string) => who.get(`/cidoc/assertions/${id}/`, { headers: { accept: TRIG } })
const idOf = (property: string) => claims.find((it) => it.property === property)?.id ?? ''

const np = (name: string) => `http://www.nanopub.org/nschema#${name}`

test('each accepted claim is a nanopublication: head, assertion, provenance and publication info', async () => {
  expect(claims.length).toBeGreaterThan(5)
  for (const { id } of claims) {
    const { status, headers, text, cost } = await read(app.anon, id)
    expect([status, headers['content-type']]).toEqual([200, TRIG])
    expect(cost.units).toBeLessThan(10)
    const quads = await parseRdf(text, TRIG)
    const own = `${base}/cidoc/assertions/${id}/#`
    const graphs = new Set(quads.map(({ graph }) => graph.value))
    expect(graphs).toEqual(new Set(['head', 'assertion', 'provenance', 'pubinfo'].map((it) => own + it)))
    const head = quads.filter(({ graph }) => graph.value === `${own}head`)
    expect(
      head.slice(1).map(({ subject, predicate, object }) => [subject.value, predicate.value, object.value]),
    ).toEqual([
      [`${own}nanopublication`, np('hasAssertion'), `${own}assertion`],
      [`${own}nanopublication`, np('hasProvenance'), `${own}provenance`],
      [`${own}nanopublication`, np('hasPublicationInfo'), `${own}pubinfo`],
    ])
    const about = (graph: string, subject: string) =>
      quads.some((it) => it.graph.value === own + graph && it.subject.value === own + subject)
    expect([about('provenance', 'assertion'), about('pubinfo', 'nanopublication')]).toEqual([true, true])
  }
})

/** Python with the package `nanopub`, if there is one: `pip install nanopub`. */
const PYTHON = process.env.NANOPUB_PYTHON ?? 'python3'
const run = promisify(execFile)
const hasNanopub = await run(PYTHON, ['-c', 'import nanopub']).then(
  () => true,
  () => false,
)
const CHECK = `
import sys
from rdflib import Dataset
from nanopub import Nanopub
for path in sys.argv[1:]:
    try:
        print(Nanopub(rdf=Dataset().parse(path, format="trig")).is_valid)
    except Exception as error:
        print(False)
`

test.skipIf(!hasNanopub)(
  'the package nanopub of others finds each valid (skipped where `pip install nanopub` is not)',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'nanopub-'))
    const texts = await Promise.all(claims.map(async ({ id }) => (await read(app.anon, id)).text))
    // One that is none: nobody says where it comes from.
    texts.push(
      (texts[0] ?? '').replaceAll('#assertion> prov:', '#other> prov:').replaceAll('#assertion> <', '#other> <'),
    )
    const paths = await Promise.all(
      texts.map(async (text, at) => {
        const path = join(folder, `${at}.trig`)
        await writeFile(path, text)
        return path
      }),
    )
    const { stdout } = await run(PYTHON, ['-c', CHECK, ...paths])
    await rm(folder, { recursive: true })
    expect(stdout.trim().split('\n')).toEqual([...claims.map(() => 'True'), 'False'])
  },
  60_000,
)

describe('what is asserted is what the record says', () => {
  const asserted = async (property: string) => {
    const quads = await parseRdf((await read(app.anon, idOf(property))).text, TRIG)
    return quads
      .filter(({ graph }) => graph.value.endsWith('#assertion'))
      .map(({ subject, predicate, object }) =>
        [subject.value, predicate.value, object.value].map((it) => it.replace(base, '')),
      )
  }
  const crm = (name: string) => `http://www.cidoc-crm.org/cidoc-crm/${name}`
  const own = () => `/cidoc/structures/${temple.id}/`

  test('of a text', async () => {
    expect(await asserted('note')).toEqual([[own(), crm('P3_has_note'), 'Said to be made from one tree.']])
  })
  test('of a name', async () => {
    expect(await asserted('name')).toEqual([[own(), 'http://www.w3.org/2000/01/rdf-schema#label', 'Dattatreya Temple']])
  })
  test('of who had it made: stated of the production', async () => {
    expect(await asserted('commissioned_by')).toEqual(
      expect.arrayContaining([
        [own(), crm('P108i_was_produced_by'), `${own()}#production`],
        [`${own()}#production`, 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type', crm('E12_Production')],
      ]),
    )
  })
  test('of a date: its words', async () => {
    expect((await asserted('construction_date')).map(([subject, , value]) => [subject, value])).toEqual([
      [own(), 'c. 1427 CE'],
    ])
  })
})

test('provenance and publication name author, source, time and licence', async () => {
  const { text } = await read(app.anon, idOf('note'))
  const said = (await parseRdf(text, TRIG)).map(
    ({ graph, predicate, object }) =>
      `${graph.value.split('#')[1]} ${predicate.value.split(/[#/]/).at(-1)} ${object.value}`,
  )
  expect(said).toEqual(
    expect.arrayContaining([
      'provenance label dev',
      'provenance label Gutschow 1982',
      'provenance confidence certain',
      'pubinfo created 2025-01-15T10:00:00.000Z',
      'pubinfo license https://creativecommons.org/licenses/by/4.0/',
    ]),
  )
})

test('a claim that waits is none: 404 for whoever may not see it, 406 for whoever may', async () => {
  const body = { entity_type: 'structure', entity_id: temple.id, property: 'note', value: 'Whispered.' }
  const { id } = sure(201, await app.contributor.post('/cidoc/assertions/', { body }))
  const seen = await Promise.all([app.anon, app.other, app.contributor].map((who) => read(who, id)))
  expect(seen.map(({ status }) => status)).toEqual([404, 404, 406])
  expect(seen.some(({ text }) => text.includes('Whispered.'))).toBe(false)
})

test('a place of the community is rounded for the others', async () => {
  const made = await publish(app, 'structures', {
    name: 'Spring',
    coordinates: '27.6737, 85.4356',
    access_tier: 'community_only',
  })
  const { assertions } = sure(200, await app.contributor.get(`/cidoc/structures/${made.id}/`))
  const { id } = assertions.find((it: { property: string }) => it.property === 'coordinates')
  expect((await read(app.contributor, id)).text).toContain('85.4356')
  expect((await read(app.other, id)).text).not.toContain('85.43')
  expect((await read(app.anon, id)).status).toBe(404)
})
