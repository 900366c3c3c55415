import jsonld from 'jsonld'
import { DataFactory, Parser, Store } from 'n3'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { faultIn } from '../../harness/crm.ts'
import { filled } from '../../harness/filled.ts'
import { contribute, everyState, publish, sightings, sure } from '../../harness/make.ts'

const LD = 'application/ld+json'
const base = 'http://localhost:8000'
const crm = (name: string) => `http://www.cidoc-crm.org/cidoc-crm/${name}`
const prov = (name: string) => `http://www.w3.org/ns/prov#${name}`
const heritage = (name: string) => `https://cair-nepal.org/heritageGraph/${name}`
const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'
const label = 'http://www.w3.org/2000/01/rdf-schema#label'

let app: App
let place: { id: number }
let deity: { id: number }
let temple: { id: number; cultural_entity_id: string }
let source: { id: string }
beforeAll(async () => {
  app = await openApp()
  source = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name: 'Inventory' } }))
  place = await publish(app, 'locations', { name: 'Dattatraya Square', coordinates: '27.6738, 85.4352' })
  deity = await publish(app, 'deities', { name: 'Dattatreya' })
  temple = await publish(app, 'structures', {
    name: 'Dattatreya Temple',
    name_ne: 'दत्तात्रय मन्दिर',
    alternate_names: ['Dattaju'],
    note: 'Said to be made from one tree.',
    architectural_style: 'Pagoda',
    construction_date: 'c. 1427 CE',
    commissioned_by: 'Yaksha Malla',
    coordinates: '27.6737, 85.4356',
    has_current_location: place.id,
    dedicated_to: [deity.id],
    same_as: [
      'http://www.wikidata.org/entity/Q5227316',
      'Q5227316 "> <x',
      'gn:1283240',
      'https://m.wikidata.org/wiki/Q6437402#sitelinks',
      'wd:Nyatapola',
    ],
    assertion: {
      source_type: 'book',
      source_citation: 'Gutschow 1982, p. 12',
      source_url: 'https://example.org/book',
      confidence: 'certain',
    },
    source: source.id,
  })
})

const read = (who: Persona, path: string, accept = LD) => who.get(path, { headers: { accept } })
const iri = (path: string) => `${base}${path}`
const templePath = () => `/cidoc/structures/${temple.id}/`

/** Nothing may be fetched to read an answer. */
const options = {
  format: 'application/n-quads' as const,
  safe: true,
  documentLoader: async (url: string): Promise<never> => {
    throw new Error(`asked for ${url}`)
  },
}
/** An answer as triples: read by one library, parsed by another. */
async function triples(body: object): Promise<Store> {
  const quads = String(await jsonld.toRDF(body, options))
  return new Store(new Parser({ format: 'N-Quads' }).parse(quads))
}
const objects = (store: Store, subject: string, property: string) =>
  store.getObjects(subject.startsWith('_:') ? DataFactory.blankNode(subject.slice(2)) : subject, property, null)
/** What lies at the end of a path of properties. */
const follow = (store: Store, from: string, ...path: string[]): string[] =>
  path.reduce<string[]>((at, property) => at.flatMap((one) => objects(store, one, property).map(nameOf)), [from]).sort()
const nameOf = (term: { termType: string; value: string }) =>
  term.termType === 'BlankNode' ? `_:${term.value}` : term.value

describe('a record as linked data', () => {
  let store: Store
  beforeAll(async () => {
    const answer = await read(app.anon, templePath())
    expect([answer.status, answer.headers['content-type']]).toEqual([200, LD])
    store = await triples(JSON.parse(answer.text))
  })
  const of = (...path: string[]) => follow(store, iri(templePath()), ...path)

  test('needs no document to be fetched and has no member that means nothing', async () => {
    const body = JSON.parse((await read(app.anon, templePath())).text)
    const [expanded] = await jsonld.expand(body, options)
    const keys = (value: unknown): string[] =>
      Array.isArray(value)
        ? value.flatMap(keys)
        : typeof value === 'object' && value !== null
          ? Object.entries(value).flatMap(([key, each]) => [key, ...keys(each)])
          : []
    expect(keys(expanded).filter((key) => !/^(@(id|type|value|language)|https?:\/\/.+)$/.test(key))).toEqual([])
    // An unknown prefix would pass for the scheme of an address.
    const unknown = store
      .getQuads(null, null, null, null)
      .flatMap(({ predicate, object }) =>
        [predicate, object].filter((it) => it.termType === 'NamedNode' && !/^(https?:\/\/)/.test(it.value)),
      )
    expect(unknown).toEqual([])
  })

  test('has its class in CIDOC-CRM and in the ontology, and its names', () => {
    expect(of(rdf)).toEqual([heritage('ArchitecturalStructure'), crm('E22_Human-Made_Object')].sort())
    expect(of(crm('P1_is_identified_by'), crm('P190_has_symbolic_content'))).toEqual(
      ['Dattaju', 'Dattatreya Temple', 'दत्तात्रय मन्दिर'].sort(),
    )
    const names = objects(store, iri(templePath()), label)
    expect(names.map((it) => [it.value, 'language' in it && it.language])).toEqual([
      ['Dattatreya Temple', ''],
      ['दत्तात्रय मन्दिर', 'ne'],
    ])
    expect(of(crm('P3_has_note'))).toEqual(['Said to be made from one tree.'])
  })

  test('was made in a production, in a time-span that begins and ends, for someone', () => {
    const production = `${iri(templePath())}#production`
    expect(of(crm('P108i_was_produced_by'))).toEqual([production])
    expect(follow(store, production, rdf)).toEqual([crm('E12_Production')])
    expect(follow(store, production, crm('P17_was_motivated_by'), label)).toEqual(['Yaksha Malla'])
    const span = [production, crm('P4_has_time-span')] as const
    expect(follow(store, ...span, label)).toEqual(['c. 1427 CE'])
    // "About" is ten years either way, as where claims are compared.
    expect(follow(store, ...span, crm('P82a_begin_of_the_begin'))).toEqual(['1416-12-31T00:00:00Z'])
    expect(follow(store, ...span, crm('P82b_end_of_the_end'))).toEqual(['1437-12-31T23:59:59Z'])
    expect(follow(store, ...span, heritage('date_precision'))).toEqual(['Circa'])
  })

  test('names other records by their addresses', () => {
    expect(of(crm('P55_has_current_location'))).toEqual([iri(`/cidoc/locations/${place.id}/`)])
    expect(of(heritage('dedicated_to'))).toEqual([iri(`/cidoc/deities/${deity.id}/`)])
    expect(of(crm('P2_has_type'), label)).toEqual(['Pagoda'])
    expect(of(crm('P53_has_former_or_current_location'), crm('P168_place_is_defined_by'))).toEqual([
      'POINT(85.4356 27.6737)',
    ])
  })

  test('names the address that stays, in its list too', async () => {
    const page = `http://localhost:8000/resource/structure/${temple.id}`
    expect(of('http://xmlns.com/foaf/0.1/page')).toEqual([page])
    sure(200, await app.anon.get(new URL(page).pathname))
    const list = (await read(app.anon, '/cidoc/structures/', 'application/n-quads')).text
    expect(list).toContain(`<http://localhost:8000${templePath()}> <http://xmlns.com/foaf/0.1/page> <${page}> .`)
  })

  test('takes an address that a contributor sent for a name only if it is one, as its collection names the thing', () => {
    const same = objects(store, iri(templePath()), 'http://www.w3.org/2002/07/owl#sameAs')
    expect(same.map((it) => [it.termType, it.value]).sort()).toEqual([
      ['Literal', 'Q5227316 "> <x'],
      ['Literal', 'wd:Nyatapola'],
      ['NamedNode', 'http://www.wikidata.org/entity/Q5227316'],
      ['NamedNode', 'http://www.wikidata.org/entity/Q6437402'],
      ['NamedNode', 'https://sws.geonames.org/1283240/'],
    ])
  })

  test('has each assertion as an attribute assignment with property, value, person and source', async () => {
    const plain = sure(200, await app.anon.get(templePath()))
    const note = plain.assertions.find((it: { property: string }) => it.property === 'note')
    const own = iri(`/cidoc/assertions/${note.id}/`)
    expect(of(crm('P140i_was_attributed_by'))).toEqual(
      plain.assertions.map((it: { id: string }) => iri(`/cidoc/assertions/${it.id}/`)).sort(),
    )
    expect(follow(store, own, rdf)).toEqual([crm('E13_Attribute_Assignment'), prov('Activity')].sort())
    expect(follow(store, own, crm('P140_assigned_attribute_to'))).toEqual([iri(templePath())])
    expect(follow(store, own, crm('P177_assigned_property_of_type'))).toEqual([crm('P3_has_note')])
    expect(follow(store, own, crm('P14_carried_out_by'), label)).toEqual(['dev'])
    const claim = `${own}#claim`
    expect(follow(store, own, prov('generated'))).toEqual([claim])
    expect(follow(store, claim, prov('value'))).toEqual(['Said to be made from one tree.'])
    expect(follow(store, claim, heritage('confidence'))).toEqual(['certain'])
    expect(follow(store, claim, prov('wasAttributedTo'), label)).toEqual(['dev'])
    expect(follow(store, claim, prov('wasDerivedFrom'), label)).toEqual(['Gutschow 1982, p. 12'])
    // What is derived from a book is the entry, not the temple.
    const entry = of('http://xmlns.com/foaf/0.1/isPrimaryTopicOf', prov('wasDerivedFrom'))
    expect([entry, of(prov('wasDerivedFrom'))]).toEqual([[iri(`/cidoc/data_sources/${source.id}/`)], []])
    for (const property of [crm('P14_carried_out_by'), prov('wasAssociatedWith')])
      expect(follow(store, own, property, label)).toEqual(['dev'])
    const dedicated = plain.assertions.find((it: { property: string }) => it.property === 'dedicated_to')
    expect(follow(store, iri(`/cidoc/assertions/${dedicated.id}/`), crm('P141_assigned'))).toEqual([
      iri(`/cidoc/deities/${deity.id}/`),
    ])
  })
})

describe('dates', () => {
  const ends = ['P82a_begin_of_the_begin', 'P81a_end_of_the_begin', 'P81b_begin_of_the_end', 'P82b_end_of_the_end']
  const span = async (segment: string, body: object) => {
    const made = await contribute(app.contributor, segment, body)
    const path = `/cidoc/${segment}/${made.id}/`
    const store = await triples(JSON.parse((await read(app.contributor, path)).text))
    const at = (property: string) => follow(store, iri(path), crm('P4_has_time-span'), property)[0]
    for (const moment of store.getObjects(null, crm('P82a_begin_of_the_begin'), null))
      expect('datatype' in moment && moment.datatype).toMatchObject({
        value: 'http://www.w3.org/2001/XMLSchema#dateTime',
      })
    return [...ends.map((end) => at(crm(end))?.replace(/(T00:00:00|T23:59:59)Z$/, '')), at(heritage('date_precision'))]
  }
  const none = undefined

  test.each<[string, object, (string | undefined)[]]>([
    ['a year', { has_timespan: '1934' }, ['1934-01-01', none, none, '1934-12-31', none]],
    ['a day', { has_timespan: '1934-01-15' }, ['1934-01-15', none, none, '1934-01-15', none]],
    [
      'two members between which it went on',
      { start_date: '1934', end_date: '1936-05' },
      ['1934-01-01', '1934-12-31', '1936-05-01', '1936-05-31', none],
    ],
    [
      'an interval, throughout which it went on',
      { has_timespan: '1690/1692' },
      ['1690-01-01', '1690-12-31', '1692-01-01', '1692-12-31', none],
    ],
    [
      'a beginning and an end in one year',
      { start_date: '1934', end_date: '1934' },
      ['1934-01-01', none, none, '1934-12-31', none],
    ],
    ['what is uncertain', { has_timespan: '1934?' }, ['1924-01-01', none, none, '1944-12-31', 'Circa']],
    ['an uncertain end', { has_timespan: '1690/1700~' }, ['1679-01-03', none, none, '1711-12-30', 'Circa']],
    ['a century with its digits left open', { has_timespan: '16XX' }, ['1600-01-01', none, none, '1699-12-31', none]],
    ['an open end', { has_timespan: '-0056/..' }, ['-0056-01-01', none, none, none, none]],
    ['an open beginning', { has_timespan: '../1768' }, [none, none, none, '1768-12-31', none]],
    [
      'years before our era, as astronomers count them',
      { has_timespan: '57 BCE' },
      ['-0056-01-01', none, none, '-0056-12-31', none],
    ],
    ['the year before the first', { has_timespan: '1 BCE' }, ['0000-01-01', none, none, '0000-12-31', none]],
    [
      'a year of Bikram Sambat',
      { has_timespan: '2031', calendar_system: 'BikramSambat' },
      ['1974-04-14', none, none, '1975-04-13', none],
    ],
    [
      'words that name our calendar in a record of another',
      { has_timespan: '1934 CE', calendar_system: 'BikramSambat' },
      ['1934-01-01', none, none, '1934-12-31', none],
    ],
  ])('of %s', async (name, dated, expected) => {
    expect(await span('events', { name: `Event of ${name}`, ...dated })).toEqual(expected)
  })

  test('between the earliest and the latest moment that it may have been are bounds alone', async () => {
    const rite = { name: 'Rite', date_earliest: '1600', date_latest: '1650' }
    expect(await span('rituals', rite)).toEqual(['1600-01-01', none, none, '1650-12-31', none])
  })

  test('that nobody can read keep their words', async () => {
    const made = await contribute(app.contributor, 'persons', { name: 'Arniko', birth_date: 'in the old days' })
    const path = `/cidoc/persons/${made.id}/`
    const store = await triples(JSON.parse((await read(app.contributor, path)).text))
    expect(follow(store, iri(path), crm('P98i_was_born'), crm('P4_has_time-span'), label)).toEqual(['in the old days'])
  })
})

test('a production that is a record is the one through which its product is dated', async () => {
  const production = await publish(app, 'productions', { name: 'Making of the bell' })
  const bell = await publish(app, 'structures', {
    name: 'Taleju bell',
    construction_date: '1737',
    was_produced_by_event: production.id,
  })
  const path = `/cidoc/structures/${bell.id}/`
  const store = await triples(JSON.parse((await read(app.anon, path)).text))
  const event = iri(`/cidoc/productions/${production.id}/`)
  expect(follow(store, iri(path), crm('P108i_was_produced_by'))).toEqual([event])
  expect(follow(store, event, crm('P4_has_time-span'), crm('P82a_begin_of_the_begin'))).toEqual([
    '1737-01-01T00:00:00Z',
  ])
})

describe('every kind', () => {
  /** The classes of CIDOC-CRM that a thing is said to belong to, here or by its kind. */
  const classesOf = (store: Store, term: string, byKind: Map<string, string>) =>
    [...follow(store, term, rdf), byKind.get(/\/cidoc\/([^/]+)\/\d+\/$/.exec(term)?.[1] ?? '') ?? ''].flatMap(
      (it) => /[/:](E\d+)_[\w-]+$/.exec(it)?.[1] ?? [],
    )

  test('says nothing that CIDOC-CRM does not allow of such things', async () => {
    const { kinds, recordKinds } = await import('../../../lib/domain/kinds/index.ts')
    const { crmClasses } = await import('../../../lib/doors/linked/classes.ts')
    const byKind = new Map(recordKinds.map((key) => [kinds[key].segment, crmClasses[key]]))
    const faults = new Set<string>()
    const said = new Set<string>()
    for (const key of recordKinds) {
      const body = filled(kinds[key])
      const { id } = await contribute(app.contributor, kinds[key].segment, body)
      const path = `/cidoc/${kinds[key].segment}/${id}/`
      const store = await triples(JSON.parse((await read(app.contributor, path)).text))
      expect(follow(store, iri(path), rdf), key).toContain(crmClasses[key].replace('crm:', crm('')))
      expect(follow(store, iri(path), crm('P3_has_note')), key).toEqual([body.note])
      for (const { subject, predicate, object } of store) {
        const property = predicate.value.startsWith(crm('')) ? predicate.value.slice(crm('').length) : undefined
        if (!property) continue
        said.add(property)
        const from = classesOf(store, nameOf(subject), byKind)
        const to = object.termType === 'Literal' ? 'a literal' : classesOf(store, nameOf(object), byKind)
        const fault = faultIn(property, from, to)
        if (fault) faults.add(`${key}: ${fault}`)
      }
      for (const accept of ['application/json', LD, 'application/geo+json'])
        expect(
          (await app.contributor.get(`/cidoc/${kinds[key].segment}/`, { query: { all: 1 }, headers: { accept } }))
            .status,
        ).toBe(200)
      expect((await read(app.contributor, path, 'application/geo+json')).status).toBe(200)
    }
    expect([...faults]).toEqual([])
    expect(said.size).toBeGreaterThan(40)
  })
})

test.each([
  [{ from: ['E39'], property: 'P53_has_former_or_current_location', to: ['E53'] }],
  [{ from: ['E22'], property: 'P50_has_current_keeper', to: ['E22'] }],
  [{ from: ['E22'], property: 'P44_has_condition', to: 'a literal' as const }],
  [{ from: ['E22'], property: 'P0_is', to: ['E1'] }],
])('the table of CIDOC-CRM refuses %j', ({ from, property, to }) => {
  expect(faultIn(property, from, to)).toMatch(property)
})

describe('a relationship', () => {
  const claim = async (property: string, to: { id: number }, entity_type: string, settled?: string) => {
    const body = {
      entity_type: 'structure',
      entity_id: temple.id,
      property: `relationship.${property}`,
      object_entity_type: entity_type,
      object_entity_id: to.id,
      source: source.id,
    }
    const made = sure(201, await app.other.post('/cidoc/assertions/', { body }))
    const settle = { body: { reconciliation_status: settled } }
    if (settled) sure(200, await app.curator.patch(`/cidoc/assertions/${made.id}/`, settle))
    return iri(`/cidoc/assertions/${made.id}/`)
  }

  test('that is accepted is a property of the record, of its makers one of its production, with its source', async () => {
    const mason = await publish(app, 'persons', { name: 'A mason' })
    const built = await claim('built_by', mason, 'person', 'accepted')
    const located = await claim('located_in', place, 'location', 'accepted')
    const store = await triples(JSON.parse((await read(app.anon, templePath())).text))
    const production = `${iri(templePath())}#production`
    const person = iri(`/cidoc/persons/${mason.id}/`)
    expect(follow(store, production, crm('P14_carried_out_by'))).toEqual([person])
    expect(follow(store, iri(templePath()), crm('P53_has_former_or_current_location'))).toContain(
      iri(`/cidoc/locations/${place.id}/`),
    )
    expect(follow(store, built, crm('P141_assigned'))).toEqual([person])
    expect(follow(store, located, crm('P177_assigned_property_of_type'))).toEqual([
      crm('P53_has_former_or_current_location'),
    ])
    expect(follow(store, `${located}#claim`, prov('wasDerivedFrom'))).toEqual([
      iri(`/cidoc/data_sources/${source.id}/`),
    ])
  })

  test('that waits is no property of the record, and is told to nobody who may not see it', async () => {
    const guthi = await publish(app, 'guthis', { name: 'A guthi' })
    const waits = await claim('managed_by', guthi, 'guthi')
    const seen = await triples(JSON.parse((await read(app.curator, templePath())).text))
    expect(follow(seen, waits, crm('P141_assigned'))).toEqual([iri(`/cidoc/guthis/${guthi.id}/`)])
    expect(follow(seen, iri(templePath()), crm('P50_has_current_keeper'))).toEqual([])
    expect((await read(app.anon, templePath())).text).not.toContain(`/cidoc/guthis/${guthi.id}/`)
  })
})

test('a relationship is a property of CIDOC-CRM only between things that it is for', async () => {
  const { relationshipProperty } = await import('../../../lib/doors/linked/relationships.ts')
  const { predicates, recordKinds } = await import('../../../lib/domain/kinds/index.ts')
  const { crmClasses } = await import('../../../lib/doors/linked/classes.ts')
  const short = (key: (typeof recordKinds)[number]) => [/E\d+/.exec(crmClasses[key])?.[0] ?? '']
  const faults = predicates.flatMap(({ code }) =>
    recordKinds.flatMap((from) =>
      recordKinds.flatMap((to) => {
        const { property, of } = relationshipProperty(code, from, to)
        if (!property.startsWith('crm:')) return []
        const maker = of && (of === 'production' ? 'E12' : 'E65')
        return faultIn(property.slice('crm:'.length), maker ? [maker] : short(from), short(to)) ?? []
      }),
    ),
  )
  expect(faults).toEqual([])
  const propertyOf = (code: string, from: 'guthi' | 'structure' | 'event') =>
    relationshipProperty(code, from, 'location').property
  expect(propertyOf('located_in', 'structure')).toBe('crm:P53_has_former_or_current_location')
  expect(propertyOf('located_in', 'guthi')).toBe('crm:P74_has_current_or_former_residence')
  expect(propertyOf('located_in', 'event')).toBe('crm:P7_took_place_at')
  expect(propertyOf('managed_by', 'structure')).toBe('heritageGraph:managed_by')
})

describe('a contribution by its review identity', () => {
  const path = () => `/data/cultural-entities/${temple.cultural_entity_id}/`

  test('is the same linked data as the record, by the name of the record', async () => {
    const answer = await read(app.anon, path())
    expect([answer.status, answer.headers['content-type']]).toEqual([200, LD])
    expect(JSON.parse(answer.text)).toEqual(JSON.parse((await read(app.anon, templePath())).text))
  })

  test('is a feature on the map with its JSON as properties', async () => {
    const { text } = await read(app.anon, path(), 'application/geo+json')
    expect(JSON.parse(text)).toEqual({
      type: 'Feature',
      id: temple.cultural_entity_id,
      geometry: { type: 'Point', coordinates: [85.4356, 27.6737] },
      properties: sure(200, await app.anon.get(path())),
    })
  })

  test('lists as a collection and as features, with the members of the JSON', async () => {
    const ask = { query: { category: 'temple', limit: 3 } }
    const plain = sure(200, await app.anon.get('/data/cultural-entities/', ask))
    const other = async (accept: string) =>
      JSON.parse((await app.anon.get('/data/cultural-entities/', { ...ask, headers: { accept } })).text)
    const map = await other('application/geo+json')
    expect([map.count, map.next]).toEqual([plain.count, plain.next])
    expect(map.features.map((it: { properties: object }) => it.properties)).toEqual(plain.results)
    const linked = await other(LD)
    expect([linked.id, linked['hydra:totalItems']]).toEqual([
      iri('/data/cultural-entities/?category=temple'),
      plain.count,
    ])
    expect(linked['hydra:member']).toHaveLength(plain.results.length)
  })

  test('without a kind of its own has its review identity for a name', async () => {
    const body = { name: 'A stone', category: 'other', description: 'It stands by the road.' }
    const { entity_id } = sure(201, await app.contributor.post('/data/cultural-entities/', { body }))
    const own = `/data/cultural-entities/${entity_id}/`
    const store = await triples(JSON.parse((await read(app.contributor, own)).text))
    expect(follow(store, iri(own), label)).toEqual(['A stone'])
    const [assignment = ''] = follow(store, iri(own), crm('P140i_was_attributed_by'))
    expect(follow(store, assignment, crm('P140_assigned_attribute_to'))).toEqual([iri(own)])
    for (const accept of [LD, 'application/geo+json']) {
      expect((await read(app.other, own, accept)).status).toBe(404)
      expect((await read(app.other, '/data/cultural-entities/', accept)).text).not.toContain('A stone')
    }
  })

  test('that is restricted is linked data for whoever is signed in, and for nobody else', async () => {
    const made = await publish(app, 'structures', { name: 'Restricted shrine', access_tier: 'restricted' })
    const own = `/data/cultural-entities/${made.cultural_entity_id}/`
    for (const accept of [LD, 'application/geo+json']) {
      expect([(await read(app.anon, own, accept)).status, (await read(app.other, own, accept)).status]).toEqual([
        404, 200,
      ])
      expect((await read(app.anon, '/data/cultural-entities/', accept)).text).not.toContain('Restricted shrine')
      expect((await read(app.other, '/data/cultural-entities/', accept)).text).toContain('Restricted shrine')
    }
  })
})

describe('a data source', () => {
  const made = (body: object) => app.contributor.post('/cidoc/data_sources/', { body }).then((it) => sure(201, it))

  test('is an information object, written in a language, published in a time-span', async () => {
    const book = await made({
      name: 'The Nepal Valley',
      author: 'Niels Gutschow, Bernhard Kölver',
      language: 'German',
      publication_year: '1975',
      url: 'https://example.org/valley',
    })
    const path = `/cidoc/data_sources/${book.id}/`
    const answer = await read(app.anon, path)
    expect([answer.status, answer.headers['content-type'], answer.headers.vary]).toEqual([
      200,
      LD,
      'Origin, Accept-Encoding, Accept',
    ])
    const store = await triples(JSON.parse(answer.text))
    const of = (...along: string[]) => follow(store, iri(path), ...along)
    expect(of(rdf)).toEqual(
      [crm('E73_Information_Object'), crm('E33_Linguistic_Object'), heritage('DataSource')].sort(),
    )
    expect(of(crm('P72_has_language'), label)).toEqual(['German'])
    expect(of(heritage('source_url'))).toEqual(['https://example.org/valley'])
    expect(of(heritage('author'))).toEqual(['Bernhard Kölver', 'Niels Gutschow'])
    const born = of(crm('P94i_was_created_by'), crm('P4_has_time-span'), crm('P82a_begin_of_the_begin'))
    expect(born).toEqual(['1975-01-01T00:00:00Z'])
  })

  test('and their list are hidden as linked data from whoever may not see it', async () => {
    const hidden = await made({ name: 'Told in confidence', access_tier: 'community_only' })
    const path = `/cidoc/data_sources/${hidden.id}/`
    expect([(await read(app.anon, path)).status, (await read(app.other, path)).status]).toEqual([404, 200])
    const list = async (who: Persona) => JSON.parse((await read(who, '/cidoc/data_sources/')).text)
    const names = async (who: Persona) => (await list(who))['hydra:member'].map((it: { id: string }) => it.id)
    expect(await names(app.anon)).not.toContain(iri(path))
    expect(await names(app.other)).toContain(iri(path))
    expect((await list(app.anon))['hydra:totalItems']).toBe(sure(200, await app.anon.get('/cidoc/data_sources/')).count)
  })

  test('has no place on a map', async () => {
    const { status, body } = await read(app.anon, `/cidoc/data_sources/${source.id}/`, 'application/geo+json')
    expect([status, body.detail]).toEqual([
      406,
      'Not acceptable. There is application/json, text/html, application/ld+json, text/turtle, application/n-triples, application/n-quads, application/rdf+xml.',
    ])
  })
})

describe('a claim by itself', () => {
  const noteOf = async () =>
    sure(200, await app.anon.get(templePath())).assertions.find((it: { property: string }) => it.property === 'note')

  test('is the attribute assignment that its record has', async () => {
    const { id } = await noteOf()
    const { '@context': _, ...alone } = JSON.parse((await read(app.anon, `/cidoc/assertions/${id}/`)).text)
    const within = JSON.parse((await read(app.anon, templePath())).text)['crm:P140i_was_attributed_by']
    expect(alone).toEqual(within.find((it: { id: string }) => it.id === alone.id))
    const query = { entity_type: 'structure', entity_id: temple.id }
    const list = JSON.parse((await app.anon.get('/cidoc/assertions/', { query, headers: { accept: LD } })).text)
    expect(list['hydra:member']).toContainEqual(alone)
    expect((await triples(list)).size).toBeGreaterThan(50)
  })

  test('that waits is told to whoever works on it, and to nobody else', async () => {
    const body = {
      entity_type: 'structure',
      entity_id: temple.id,
      property: 'note',
      value: 'Whispered.',
      source: source.id,
    }
    const { id } = sure(201, await app.contributor.post('/cidoc/assertions/', { body }))
    const path = `/cidoc/assertions/${id}/`
    const seen = await Promise.all([app.anon, app.other, app.contributor, app.curator].map((who) => read(who, path)))
    expect(seen.map(({ status }) => status)).toEqual([404, 404, 200, 200])
    const query = { cultural_entity_id: temple.cultural_entity_id }
    const list = (who: Persona) => who.get('/cidoc/assertions/', { query, headers: { accept: LD } })
    expect((await list(app.other)).text).not.toContain('Whispered.')
    expect((await list(app.curator)).text).toContain('Whispered.')
  })

  test('about a place that is hidden does not tell it', async () => {
    const place = { name: 'Secret spring', coordinates: '27.6737, 85.4356', access_tier: 'community_only' }
    const made = await publish(app, 'structures', place)
    const { assertions } = sure(200, await app.contributor.get(`/cidoc/structures/${made.id}/`))
    const { id } = assertions.find((it: { property: string }) => it.property === 'coordinates')
    expect((await read(app.contributor, `/cidoc/assertions/${id}/`)).text).toContain('85.4356')
    const other = await read(app.other, `/cidoc/assertions/${id}/`)
    expect([other.status, other.text.includes('85.43')]).toEqual([200, false])
  })
})

test('no slot of any kind has a prefix that the context does not explain', async () => {
  const { context } = await import('../../../lib/doors/linked/context.ts')
  const { kinds } = await import('../../../lib/domain/kinds/index.ts')
  const slots = Object.values(kinds).flatMap((kind) => [
    kind.classUri,
    ...Object.values(kind.fields).flatMap((field) => field.slot_uri ?? []),
  ])
  expect(slots.filter((slot) => typeof context[slot.split(':')[0] ?? ''] !== 'string')).toEqual([])
})

describe('lists', () => {
  test('are collections as linked data, with the members and the pages of the JSON', async () => {
    await publish(app, 'structures', { name: 'Another temple' })
    const plain = sure(200, await app.anon.get('/cidoc/structures/', { query: { limit: 1 } }))
    const answer = await app.anon.get('/cidoc/structures/', { query: { limit: 1 }, headers: { accept: LD } })
    expect([answer.status, answer.headers['content-type']]).toEqual([200, LD])
    const store = await triples(JSON.parse(answer.text))
    const hydra = (name: string) => `http://www.w3.org/ns/hydra/core#${name}`
    const list = iri('/cidoc/structures/')
    expect(follow(store, list, hydra('totalItems'))).toEqual([String(plain.count)])
    expect(follow(store, list, hydra('member'))).toEqual([iri(`/cidoc/structures/${plain.results[0].id}/`)])
    const [next = ''] = follow(store, list, hydra('view'), hydra('next'))
    const further = JSON.parse((await read(app.anon, next.slice(base.length))).text)
    const [second] = sure(200, await app.anon.get('/cidoc/structures/', { query: { limit: 2 } })).results.slice(1)
    expect(further['hydra:member'].map((it: { id: string }) => it.id)).toEqual([iri(`/cidoc/structures/${second.id}/`)])
  })

  test('with a filter are collections of their own', async () => {
    const { text } = await app.anon.get('/api/v1/cidoc/structures', {
      query: { search: 'Dattatreya', page_size: 5 },
      headers: { accept: LD },
    })
    const body = JSON.parse(text)
    expect([body.id, body['hydra:totalItems']]).toEqual([iri('/cidoc/structures/?search=Dattatreya'), 1])
  })

  test('cost in every representation what the JSON costs', async () => {
    for (const path of ['/cidoc/structures/', templePath()]) {
      const { cost } = await app.anon.get(path)
      for (const accept of [LD, 'application/geo+json']) expect((await read(app.anon, path, accept)).cost).toEqual(cost)
    }
  })
})

test('the context is served by itself, and is the one in the answers', async () => {
  const alone = await app.anon.get('/api/v1/cidoc/context.jsonld')
  expect([alone.status, alone.headers['content-type']]).toEqual([200, LD])
  const within = JSON.parse((await read(app.anon, templePath())).text)
  expect(JSON.parse(alone.text)).toEqual({ '@context': within['@context'] })
})

describe('GeoJSON', () => {
  const MAP = 'application/geo+json'

  test('of a record is a feature: longitude first, and the members of the JSON', async () => {
    const answer = await read(app.anon, templePath(), MAP)
    expect([answer.status, answer.headers['content-type']]).toEqual([200, MAP])
    expect(JSON.parse(answer.text)).toEqual({
      type: 'Feature',
      id: temple.id,
      geometry: { type: 'Point', coordinates: [85.4356, 27.6737] },
      properties: sure(200, await app.anon.get(templePath())),
    })
  })

  test('of a list is a collection, with null where there is no point', async () => {
    await publish(app, 'structures', { name: 'Somewhere' })
    const plain = sure(200, await app.anon.get('/cidoc/structures/'))
    const body = JSON.parse((await read(app.anon, '/cidoc/structures/', MAP)).text)
    expect(Object.keys(body).sort()).toEqual(['count', 'features', 'next', 'previous', 'type'])
    expect([body.type, body.count, body.next]).toEqual(['FeatureCollection', plain.count, plain.next])
    expect(body.features.map((it: { properties: object }) => it.properties)).toEqual(plain.results)
    for (const { type, geometry, properties } of body.features) {
      expect(type).toBe('Feature')
      const { latitude, longitude } = properties
      expect(geometry).toEqual(latitude === null ? null : { type: 'Point', coordinates: [longitude, latitude] })
    }
    expect(body.features.some((it: { geometry: unknown }) => it.geometry === null)).toBe(true)
  })

  test('of a kind without coordinates has no geometry', async () => {
    const body = JSON.parse((await read(app.anon, `/cidoc/deities/${deity.id}/`, MAP)).text)
    expect(body.geometry).toBeNull()
  })
})

describe('whoever may see what is the same in every representation', () => {
  const types = [LD, 'application/geo+json']

  test('for each state of a record and each person', async () => {
    const made = await everyState(app, 'structures')
    for (const { state, who, sees } of sightings) {
      const reader = { ...app, anon: app.anon }[who]
      for (const type of types) {
        const { status, text } = await read(reader, `/cidoc/structures/${made[state].id}/`, type)
        expect([state, who, type, status]).toEqual([state, who, type, sees ? 200 : 404])
        if (!sees) expect(text).not.toContain('Sight')
        const list = (await read(reader, '/cidoc/structures/', type)).text
        const plain = sure(200, await reader.get('/cidoc/structures/'))
        const listed = plain.results.some((it: { id: number }) => it.id === made[state].id)
        expect(list.includes(`Sight ${state}`)).toBe(listed)
      }
    }
  })

  test('a place of the community is rounded for the others, in values and claims as well', async () => {
    const shrine = await publish(app, 'structures', {
      name: 'Hidden shrine',
      coordinates: '27.6737, 85.4356',
      access_tier: 'community_only',
    })
    const path = `/cidoc/structures/${shrine.id}/`
    for (const type of types) {
      const seen = async (who: Persona) => (await read(who, path, type)).text
      expect(await seen(app.contributor)).toContain('85.4356')
      expect(await seen(app.other)).toContain('85.4')
      expect(await seen(app.other)).not.toContain('85.43')
      expect(await seen(app.other)).not.toContain('27.67')
      expect((await read(app.other, '/cidoc/structures/', type)).text).not.toContain('85.43562')
    }
    const map = JSON.parse((await read(app.other, path, 'application/geo+json')).text)
    expect(map.geometry.coordinates).toEqual([85.4, 27.7])
  })

  test('an edit that waits is not told', async () => {
    const made = await publish(app, 'structures', { name: 'Edited', note: 'Old words.' })
    const path = `/cidoc/structures/${made.id}/`
    app.tick(60)
    sure(200, await app.contributor.patch(path, { body: { note: 'New words.' } }))
    for (const type of types) {
      const { text } = await read(app.anon, path, type)
      expect([text.includes('Old words.'), text.includes('New words.')]).toEqual([true, false])
    }
    const modified = async (who: Persona) =>
      JSON.parse((await read(who, path)).text)['foaf:isPrimaryTopicOf']['dcterms:modified']['@value']
    const { updated_at } = sure(200, await app.anon.get(path))
    expect(await modified(app.anon)).toBe(updated_at)
    expect(await modified(app.contributor)).not.toBe(updated_at)
  })
})

/** Records of a kind and their list also lead clients of Memento to the past. */
const varyOf = (path: string) =>
  `Origin, Accept-Encoding, Accept${path.startsWith('/cidoc/structures/') ? ', Accept-Datetime' : ''}`

describe('an Accept header', () => {
  const JSON_TYPE = 'application/json'
  const cases: [string, string][] = [
    ['*/*', JSON_TYPE],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', JSON_TYPE],
    ['application/json, text/plain, */*', JSON_TYPE],
    ['application/ld+json', LD],
    ['application/ld+json, application/json', LD],
    ['application/json, application/ld+json', JSON_TYPE],
    ['application/ld+json;q=0.5, application/json', JSON_TYPE],
    ['application/ld+json;profile="http://www.w3.org/ns/json-ld#compacted, x";q=0.9, */*;q=0.1', LD],
    ['APPLICATION/GEO+JSON', 'application/geo+json'],
    ['application/*', JSON_TYPE],
    ['application/json;q=0, */*', LD],
    ['application/ld+json;q=0.5, application/geo+json;q=0.4, */*;q=0.1', LD],
    ['application/json;q=0.1, application/geo+json;q=1.0', 'application/geo+json'],
    ['application/ld+json; profile="http://www.w3.org/ns/json-ld#expanded"', LD],
    ['text/turtle, application/ld+json;q=0.2', 'text/turtle'],
    ['application/rdf+xml, text/turtle;q=0.9', 'application/rdf+xml'],
    ['application/n-triples', 'application/n-triples'],
    ['application/n-quads;q=0.3', 'application/n-quads'],
    ['*/*;q=0.9, application/json;q=0.1', LD],
    ['nonsense', JSON_TYPE],
    ['', JSON_TYPE],
  ]
  test.each(cases)('%s is answered with %s', async (accept, type) => {
    for (const path of [templePath(), '/cidoc/structures/']) {
      const { status, headers } = await read(app.anon, path, accept)
      expect([status, headers['content-type']]).toEqual([200, type])
      expect(headers.vary).toBe(varyOf(path))
    }
  })

  test.each(['text/n3', 'application/json;q=0', '*/*;q=0'])('%s excludes all that there is', async (accept) => {
    const { status, body } = await read(app.anon, templePath(), accept)
    expect([status, body]).toEqual([
      406,
      {
        detail:
          'Not acceptable. There is application/json, application/ld+json, application/geo+json, text/turtle, application/n-triples, application/n-quads, application/rdf+xml.',
      },
    ])
  })

  test('that excludes all does not tell what is hidden', async () => {
    const hidden = await contribute(app.contributor, 'structures', { name: 'Waits' })
    expect((await read(app.anon, `/cidoc/structures/${hidden.id}/`, 'text/turtle')).status).toBe(404)
  })

  test('is not looked at where there is JSON only', async () => {
    expect((await read(app.anon, '/data/activities/', 'text/turtle')).status).toBe(200)
  })

  test('does not change how a refusal looks', async () => {
    const { status, headers, body } = await read(app.anon, '/cidoc/structures/999999/')
    expect([status, headers['content-type'], body]).toEqual([404, JSON_TYPE, { detail: 'Not found.' }])
  })
})

describe('HEAD', () => {
  test.each(['application/json', LD, 'application/geo+json'])(
    'tells of %s what GET does, without it',
    async (accept) => {
      const [whole, head] = await Promise.all(
        ['GET', 'HEAD'].map((method) => app.anon.send(method, templePath(), { headers: { accept } })),
      )
      const { 'x-request-id': _, ...headers } = head?.headers ?? {}
      expect(whole?.headers).toMatchObject(headers)
      expect([head?.status, head?.bytes.length, headers['content-type']]).toEqual([200, 0, accept])
      expect((await app.anon.send('HEAD', templePath(), { headers: { accept: 'text/n3' } })).status).toBe(406)
    },
  )
})

describe('a cache', () => {
  const paths = () => [
    templePath(),
    '/cidoc/structures/',
    `/data/cultural-entities/${temple.cultural_entity_id}/`,
    '/data/cultural-entities/',
    `/cidoc/data_sources/${source.id}/`,
    '/cidoc/data_sources/',
    '/cidoc/assertions/',
  ]
  test('may mix no two representations: each says that Accept decides, and a refusal is kept by none', async () => {
    for (const path of paths()) {
      for (const accept of ['application/json', LD]) {
        const { headers } = await read(app.anon, path, accept)
        expect([path, headers['content-type'], headers.vary]).toEqual([path, accept, varyOf(path)])
      }
      const refused = await read(app.anon, path, 'text/n3')
      expect([path, refused.status, refused.headers['cache-control']]).toEqual([path, 406, 'private, no-store'])
    }
  })
})

describe('an ETag', () => {
  test('names one representation, and is known again for that one only', async () => {
    const tags = await Promise.all(
      ['application/json', LD, 'application/geo+json'].map(async (accept) => [
        accept,
        (await read(app.anon, templePath(), accept)).headers.etag ?? '',
      ]),
    )
    expect(new Set(tags.map(([, tag]) => tag)).size).toBe(3)
    for (const [accept = '', tag = ''] of tags) {
      const ask = (type: string) => app.anon.get(templePath(), { headers: { accept: type, 'if-none-match': tag } })
      const again = await ask(accept)
      expect([again.status, again.headers.vary]).toEqual([304, varyOf(templePath())])
      const [other = ''] = tags.find(([type]) => type !== accept) ?? []
      expect((await ask(other)).status).toBe(200)
    }
  })

  test('of any representation is good for If-Match', async () => {
    const made = await contribute(app.contributor, 'structures', { name: 'Matched' })
    const path = `/cidoc/structures/${made.id}/`
    const { etag = '' } = (await read(app.contributor, path)).headers
    const change = (note: string) => app.contributor.patch(path, { body: { note }, headers: { 'if-match': etag } })
    expect((await change('One.')).status).toBe(200)
    expect((await change('Two.')).status).toBe(412)
  })
})
