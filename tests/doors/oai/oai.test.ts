import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { decide, everyState, publish, sure } from '../../harness/make.ts'

let app: App
let following: Following
let state: Awaited<ReturnType<typeof everyState>>
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
  state = await everyState(app, 'structures')
  await following.settled()
})

const lists = new Set(['record', 'header', 'set', 'metadataFormat', 'dc:title', 'dc:identifier', 'dc:relation'])
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  isArray: (name) => lists.has(name),
})
/** An answer of the protocol: always 200, and XML that a parser takes. */
async function ask(query: Record<string, string> | string) {
  const path = `/data/oai/?${typeof query === 'string' ? query : new URLSearchParams(query)}`
  const answer = await app.anon.get(path)
  expect(answer.headers['content-type']).toBe('text/xml; charset=utf-8')
  sure(200, answer)
  expect(XMLValidator.validate(answer.text)).toBe(true)
  return parser.parse(answer.text)['OAI-PMH']
}
const errorOf = async (query: Record<string, string> | string) => {
  const { error } = await ask(query)
  return [error?.['@code'], error?.['#text']]
}
const urn = (it: { cultural_entity_id: string }) => `urn:uuid:${it.cultural_entity_id}`
const dc = { metadataPrefix: 'oai_dc' }
const idsIn = (headers: { identifier: string; '@status'?: string }[]) =>
  headers.map((it) => [it.identifier, it['@status'] ?? 'there'])

describe('the six verbs', () => {
  test('Identify', async () => {
    const answer = await ask({ verb: 'Identify' })
    expect(answer.request).toEqual({ '@verb': 'Identify', '#text': 'http://localhost:8000/data/oai/' })
    expect(answer.Identify).toEqual({
      repositoryName: 'Heritage knowledge service',
      baseURL: 'http://localhost:8000/data/oai/',
      protocolVersion: '2.0',
      adminEmail: 'postmaster@localhost',
      earliestDatestamp: '2025-01-15T10:00:00Z',
      deletedRecord: 'persistent',
      granularity: 'YYYY-MM-DDThh:mm:ssZ',
    })
  })

  test('ListMetadataFormats, of all and of one', async () => {
    for (const more of [{}, { identifier: urn(state.published) }]) {
      const { ListMetadataFormats: all } = await ask({ verb: 'ListMetadataFormats', ...more })
      expect(all.metadataFormat.map((it: { metadataPrefix: string }) => it.metadataPrefix)).toEqual(['oai_dc'])
    }
  })

  test('ListSets names every kind of record', async () => {
    const { recordKinds } = await import('../../../lib/domain/kinds/index.ts')
    const { ListSets } = await ask({ verb: 'ListSets' })
    expect(ListSets.set.map((it: { setSpec: string }) => it.setSpec)).toEqual([...recordKinds, 'entity'])
  })

  test('ListIdentifiers shows what is public, and nothing that never was', async () => {
    const { ListIdentifiers } = await ask({ verb: 'ListIdentifiers', ...dc })
    expect(idsIn(ListIdentifiers.header)).toEqual([[urn(state.published), 'there']])
    expect(ListIdentifiers.header[0].setSpec).toBe('structure')
  })

  test('ListRecords and GetRecord say the same', async () => {
    const { ListRecords } = await ask({ verb: 'ListRecords', ...dc, set: 'structure' })
    const { GetRecord } = await ask({ verb: 'GetRecord', ...dc, identifier: urn(state.published) })
    expect(ListRecords.record).toEqual(GetRecord.record)
    const said = GetRecord.record[0].metadata['oai_dc:dc']
    expect(said['dc:title']).toEqual(['Sight published'])
    expect(said['dc:identifier']).toEqual([
      `http://localhost:8000/resource/structure/${state.published.id}`,
      `http://localhost:8000/cidoc/structures/${state.published.id}/`,
      urn(state.published),
    ])
    expect(said['dc:description']).toBe('A note that is published')
  })

  test('what a contributor wrote stays text', async () => {
    const name = `]]> & <b a="1">'é मन्दिर 🛕`
    const it = await publish(app, 'structures', {
      name,
      same_as: ['wd:Q37', 'https://example.org/?a=1&b', '<no address>'],
    })
    await following.settled()
    const { GetRecord } = await ask({ verb: 'GetRecord', ...dc, identifier: urn(it) })
    const said = GetRecord.record[0].metadata['oai_dc:dc']
    expect(said['dc:title']).toEqual([name])
    expect(said['dc:relation']).toEqual(['http://www.wikidata.org/entity/Q37', 'https://example.org/?a=1&b'])
  })
})

describe('what is withdrawn', () => {
  test('is deleted, in lists and by its identifier, and comes back', async () => {
    const it = await publish(app, 'structures', { name: 'Comes and goes' })
    await following.settled()
    app.tick(60)
    sure(204, await app.staff.delete(`/cidoc/structures/${it.id}/`))
    // Before the projector has told of it, too.
    const before = await ask({ verb: 'GetRecord', ...dc, identifier: urn(it) })
    expect([before.GetRecord.record[0].header[0]['@status'], before.GetRecord.record[0].metadata]).toEqual([
      'deleted',
      undefined,
    ])
    await following.settled()
    const late = { verb: 'ListRecords', ...dc, from: '2025-01-15T10:01:00Z' }
    const { ListRecords } = await ask(late)
    expect(ListRecords.record).toHaveLength(1)
    expect(ListRecords.record[0].header[0]).toMatchObject({ identifier: urn(it), '@status': 'deleted' })
    expect(JSON.stringify(ListRecords)).not.toContain('Comes')
    sure(200, await app.staff.post(`/cidoc/structures/${it.id}/restore/`))
    await following.settled()
    expect((await ask(late)).ListRecords.record[0].header[0]['@status']).toBeUndefined()
  })

  test('is deleted where it is hidden', async () => {
    const it = await publish(app, 'structures', { name: 'Goes into hiding' })
    await following.settled()
    sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { access_tier: 'restricted' } }))
    sure(201, await decide(app.curator, it, { verdict: 'accept' }))
    await following.settled()
    const { GetRecord } = await ask({ verb: 'GetRecord', ...dc, identifier: urn(it) })
    expect(GetRecord.record[0].header[0]['@status']).toBe('deleted')
  })
})

describe('lists in parts', () => {
  test('hold each thing once; what changes meanwhile is for the next harvest', async () => {
    const { writeChanges } = await import('../../../lib/domain/feed/tell.ts')
    const made = []
    for (let i = 0; i < 70; i += 1) made.push(await publish(app, i % 2 ? 'persons' : 'deities', { name: `Part ${i}` }))
    await writeChanges(made.map((it) => ({ sort: 'record', id: it.cultural_entity_id })))
    await following.settled()
    app.tick(5)
    const harvest = async (query: Record<string, string>, between = async () => {}) => {
      const found: string[] = []
      const sizes = []
      let { ListRecords } = await ask({ verb: 'ListRecords', ...query })
      for (;;) {
        found.push(...ListRecords.record.map((it: { header: { identifier: string }[] }) => it.header[0]?.identifier))
        sizes.push(ListRecords.record.length)
        const token = ListRecords.resumptionToken?.['#text']
        if (!token) return { found, sizes, last: ListRecords.resumptionToken }
        await between()
        ;({ ListRecords } = await ask({ verb: 'ListRecords', resumptionToken: token }))
      }
    }
    const whole = await harvest(dc)
    expect(whole.sizes.slice(0, -1).every((size) => size === 50)).toBe(true)
    expect(new Set(whole.found).size).toBe(whole.found.length)
    expect(whole.found).toEqual(expect.arrayContaining(made.map(urn)))
    expect(whole.last).toEqual({ '@cursor': '50' })

    // The last deity changes while the harvest is under way: it has it now, or the next one has it.
    app.tick(60)
    const [late] = made.filter((_, i) => i === 68)
    let done = false
    const changed = await harvest(dc, async () => {
      if (done || !late) return
      done = true
      app.tick(60)
      sure(200, await app.contributor.patch(`/cidoc/deities/${late.id}/`, { body: { note: 'changed' } }))
      sure(201, await decide(app.curator, late, { verdict: 'accept' }))
      await following.settled()
    })
    const next = await harvest({ ...dc, from: '2025-01-15T10:02:30Z' })
    expect(new Set([...changed.found, ...next.found])).toEqual(new Set(whole.found))
    expect(next.found).toContain(late && urn(late))
  }, 60_000)

  test('between two times, both included, by day and by second', async () => {
    const ids = async (span: object) => {
      const { ListIdentifiers, error } = await ask({ verb: 'ListIdentifiers', ...dc, set: 'person', ...span })
      return ListIdentifiers?.header.length ?? error['@code']
    }
    const all = await ids({})
    expect(await ids({ from: '2025-01-15', until: '2025-01-15' })).toBe(all)
    expect(await ids({ from: '2025-01-16' })).toBe('noRecordsMatch')
    expect(await ids({ until: '2025-01-14' })).toBe('noRecordsMatch')
    const { ListIdentifiers } = await ask({ verb: 'ListIdentifiers', ...dc, set: 'person' })
    const at = ListIdentifiers.header[0].datestamp
    expect(await ids({ from: at, until: at })).toBe(all)
  })

  test('cost the same wherever they stand', async () => {
    const first = await app.anon.get('/data/oai/?verb=ListIdentifiers&metadataPrefix=oai_dc&set=person')
    expect(first.cost.calls).toBeLessThanOrEqual(3)
  })
})

describe('a form', () => {
  const form = (body: string, type = 'application/x-www-form-urlencoded') =>
    app.anon.post('/data/oai/', { body, headers: { 'content-type': type } })

  test('asks as a query does', async () => {
    const posted = sureText(await form('verb=ListIdentifiers&metadataPrefix=oai_dc&set=structure'))
    const got = sureText(await app.anon.get('/data/oai/?verb=ListIdentifiers&metadataPrefix=oai_dc&set=structure'))
    expect(posted).toBe(got)
  })
  test('is told what is repeated', async () => {
    expect(sureText(await form('verb=Identify&verb=Identify'))).toContain('code="badVerb">The verb is repeated.')
  })
  test('of another type is refused', async () => {
    const answer = await form('verb=Identify', 'text/plain')
    expect(sure(415, answer).detail).toBe(
      'Unsupported media type. Send application/json or application/x-www-form-urlencoded.',
    )
  })
  const sureText = (answer: { status: number; text: string }) => {
    expect(answer.status).toBe(200)
    return answer.text
  }
})

describe('errors of the protocol', () => {
  const record = () => `verb=GetRecord&identifier=${urn(state.published)}`
  test.each([
    ['', 'badVerb', 'The verb is missing.'],
    ['verb=Nothing', 'badVerb', 'There is no such verb.'],
    ['verb=toString', 'badVerb', 'There is no such verb.'],
    ['verb=Identify&verb=Identify', 'badVerb', 'The verb is repeated.'],
    ['verb=Identify&from=2025-01-01', 'badArgument', 'Identify takes no argument of this name.'],
    ['verb=Identify&constructor=1', 'badArgument', 'Identify takes no argument of this name.'],
    ['verb=ListRecords', 'badArgument', 'The argument metadataPrefix is missing.'],
    ['verb=GetRecord&metadataPrefix=oai_dc', 'badArgument', 'The argument identifier is missing.'],
    ['verb=ListRecords&metadataPrefix=a&metadataPrefix=b', 'badArgument', 'The argument metadataPrefix is repeated.'],
    ['verb=ListRecords&metadataPrefix=oai_dc&resumptionToken=x', 'badArgument', 'resumptionToken is sent alone.'],
    ['verb=ListRecords&metadataPrefix=marc', 'cannotDisseminateFormat', 'There is oai_dc.'],
    ['verb=ListRecords&resumptionToken=forged', 'badResumptionToken', undefined],
    ['verb=ListSets&resumptionToken=forged', 'badResumptionToken', undefined],
    ['verb=ListRecords&metadataPrefix=oai_dc&set=nothing', 'noRecordsMatch', undefined],
    ['verb=ListRecords&metadataPrefix=oai_dc&set=a:', 'badArgument', 'This is no setSpec.'],
    ['verb=ListRecords&metadataPrefix=oai_dc&from=2025-02-30', 'badArgument', undefined],
    ['verb=ListRecords&metadataPrefix=oai_dc&from=yesterday', 'badArgument', undefined],
    ['verb=ListRecords&metadataPrefix=oai_dc&from=2025-01-15T10:00Z', 'badArgument', undefined],
    [
      'verb=ListRecords&metadataPrefix=oai_dc&from=2026-01-01&until=2025-01-01',
      'badArgument',
      'from is later than until.',
    ],
    [
      'verb=ListRecords&metadataPrefix=oai_dc&from=2025-01-01&until=2025-01-02T00:00:00Z',
      'badArgument',
      'from and until have different granularities.',
    ],
    ['verb=GetRecord&metadataPrefix=oai_dc&identifier=x', 'idDoesNotExist', undefined],
    ['verb=ListMetadataFormats&identifier=x', 'idDoesNotExist', undefined],
  ])('%s', async (query, code, message) => {
    const [found, said] = await errorOf(query)
    expect(found).toBe(code)
    if (message !== undefined) expect(said).toBe(message)
    // What is wrong is not repeated: the schema of the protocol would refuse it.
    const { request } = await ask(query)
    if (/^bad(Verb|Argument)$/.test(code)) expect(request).toBe('http://localhost:8000/data/oai/')
    else expect(request).toMatchObject({ '#text': 'http://localhost:8000/data/oai/' })
  })

  test('a format that there is not, of a record that there is', async () => {
    expect((await errorOf(`${record()}&metadataPrefix=marc`))[0]).toBe('cannotDisseminateFormat')
  })
  test('what the public never saw does not exist', async () => {
    for (const it of [state.pending, state.restricted, state.deleted])
      expect((await errorOf({ verb: 'GetRecord', ...dc, identifier: urn(it) }))[0]).toBe('idDoesNotExist')
  })
  test('a token of another verb is not good', async () => {
    const { ListIdentifiers } = await ask({ verb: 'ListRecords', ...dc }).then(async ({ ListRecords }) => ({
      ListIdentifiers: ListRecords.resumptionToken['#text'],
    }))
    expect((await errorOf({ verb: 'ListIdentifiers', resumptionToken: ListIdentifiers }))[0]).toBe('badResumptionToken')
  })
  test('the request is named without arguments where the verb or they are wrong', async () => {
    expect((await ask('verb=Nothing')).request).toBe('http://localhost:8000/data/oai/')
    expect((await ask('verb=ListRecords&metadataPrefix=marc')).request['@metadataPrefix']).toBe('marc')
  })
})
