import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
})

const strict = { headers: { prefer: 'handling=strict' } }
const noEffect = (what: string, near = '') => `This ${what} is not read; it has no effect.${near}`

describe('a query', () => {
  const list = '/cidoc/structures/'
  test.each([
    ['bbox=', 'bbox', 'It is blank; it has no effect.'],
    ['zoom=', 'zoom', noEffect('parameter')],
    ['serach=x', 'serach', noEffect('parameter', ' Did you mean search?')],
    ['limit=abc', 'limit', 'A whole number is wanted; it has no effect.'],
    ['limit=0', 'limit', 'A whole number from 1 is wanted; it has no effect.'],
    ['page_size=500', 'page_size', 'A page holds at most 100.'],
    ['page=0', 'page', 'Pages are counted from 1; it has no effect.'],
    ['offset=-1', 'offset', 'A whole number is wanted; it has no effect.'],
    ['mine=maybe', 'mine', 'Give true or false; this has no effect.'],
    ['limit=5&limit=6', 'limit', 'It was sent several times; the last one counts.'],
    [
      'ordering=newest',
      'ordering',
      'It has no effect. Not a valid choice. Choose one of: created_at, id, -created_at, -id, -updated_at, name, -name.',
    ],
    [`search=${'x'.repeat(201)}`, 'search', 'Only the first 200 characters count.'],
  ])('%s is answered with a warning, and with 400 where the client is strict', async (query, member, message) => {
    const warned = await app.anon.get(`${list}?${query}`)
    expect([warned.status, warned.body.warnings]).toEqual([200, [{ member, message }]])
    expect(warned.headers['preference-applied']).toBeUndefined()
    const refused = await app.anon.get(`${list}?${query}`, strict)
    expect([refused.status, refused.body]).toEqual([400, { [member]: [message] }])
    expect(refused.headers['preference-applied']).toBe('handling=strict')
  })

  test.each([
    ['/cidoc/structures/?status=nonsense', 'status', 'Not a valid choice. Choose one of: '],
    ['/data/activities/?entity=7', 'entity', 'Not a valid UUID.'],
  ])('%s finds nothing, and says why', async (path, member, message) => {
    const warned = await app.anon.get(path)
    expect([warned.status, warned.body.results, warned.body.warnings]).toEqual([
      200,
      [],
      [{ member, message: expect.stringContaining(message) }],
    ])
    expect((await app.anon.get(path, strict)).status).toBe(400)
  })

  test.each(['%FF', '%E0%A4', 'a%C0%AF'])('of %s is not UTF-8', async (bytes) => {
    const refused = await app.anon.get(`${list}?search=${bytes}`)
    expect([refused.status, refused.body]).toEqual([400, { detail: 'The query is not UTF-8.' }])
    expect((await app.anon.get(`/data/oai/?verb=${bytes}`)).status).toBe(400)
  })

  test('that says nothing wrong has no warnings, and a strict one is answered alike', async () => {
    const query = `${list}?limit=5&offset=0&mine=false&ordering=-name&search=`
    const [lenient, asked] = [await app.anon.get(query), await app.anon.get(query, strict)]
    expect(lenient.status).toBe(200)
    expect(lenient.body).not.toHaveProperty('warnings')
    expect(asked.text).toBe(lenient.text)
    expect(asked.headers['preference-applied']).toBe('handling=strict')
  })

  test('is told of in other representations, and where the answer has no members', async () => {
    const map = await app.anon.get(`${list}?bbox=`, { headers: { accept: 'application/geo+json' } })
    expect(map.body.warnings).toEqual([{ member: 'bbox', message: 'It is blank; it has no effect.' }])
    const ids = await app.anon.get('/data/submissions/ids/?aftr=1')
    expect([ids.body, ids.headers.warning]).toEqual([
      [],
      `299 - "aftr: ${noEffect('parameter', ' Did you mean after?')}"`,
    ])
  })

  test('of a page is unknown where there are no pages', async () => {
    const sent = '/data/notifications/unread_count/?limit=5'
    const answer = await app.contributor.get(sent)
    expect(answer.body.warnings).toEqual([{ member: 'limit', message: noEffect('parameter') }])
    expect((await app.contributor.get(sent, strict)).status).toBe(400)
  })

  test.each([
    'handling=strict',
    'respond-async, handling="strict"',
    'Handling = STRICT',
    'handling=strict, handling=lenient',
  ])('is held strictly after Prefer: %s', async (prefer) => {
    expect((await app.anon.get(`${list}?bbox=`, { headers: { prefer } })).status).toBe(400)
  })
  test.each(['handling=lenient', 'handling=strictly', 'x-handling=strict', 'handling=lenient, handling=strict'])(
    'and not after Prefer: %s',
    async (prefer) => {
      expect((await app.anon.get(`${list}?bbox=`, { headers: { prefer } })).status).toBe(200)
    },
  )
})

describe('a body', () => {
  const body = {
    name: 'Nyatapola',
    existance_status: 'Extant',
    status: 'accepted',
    assertion: { confidence: 'likely', source_typ: 'book' },
  }
  const warnings = [
    { member: 'existance_status', message: noEffect('member', ' Did you mean existence_status?') },
    { member: 'status', message: noEffect('member') },
    { member: 'assertion.source_typ', message: noEffect('member', ' Did you mean source_type?') },
  ]

  test('with unknown members is taken without them, and told', async () => {
    const made = await app.contributor.post('/cidoc/structures/', { body })
    expect([made.status, made.body.status, made.body.warnings]).toEqual([201, 'pending_review', warnings])
    const read = await app.contributor.get(`/cidoc/structures/${made.body.id}/`)
    expect(read.body).not.toHaveProperty('warnings')
  })

  test('is refused with all of them where the client is strict, and nothing is written', async () => {
    const before = (await app.contributor.get('/cidoc/structures/?mine=true')).body.count
    const refused = await app.contributor.post('/cidoc/structures/', { body, ...strict })
    expect([refused.status, refused.body]).toEqual([
      400,
      {
        existance_status: [warnings[0]?.message],
        status: [warnings[1]?.message],
        assertion: { source_typ: [warnings[2]?.message] },
      },
    ])
    expect((await app.contributor.get('/cidoc/structures/?mine=true')).body.count).toBe(before)
  })

  test('of a form is looked at inside of form_data', async () => {
    const sent = { name: 'Kumari Ghar', category: 'monument', description: 'x', form_data: { descripton: 'x' } }
    const made = await app.contributor.post('/data/cultural-entities/', { body: sent })
    expect([made.status, made.body.warnings]).toEqual([
      201,
      [{ member: 'form_data.descripton', message: noEffect('member', ' Did you mean description?') }],
    ])
  })

  test.each([
    ['/data/projects/', { slug: 'warned', title: 'Warned', titel: 'x' }, 'titel', ' Did you mean title?'],
    ['/cidoc/entity-clusters/', { canonical_label: 'X', type_scope: 'person', labl: 1 }, 'labl', ''],
    ['/cidoc/data_sources/', { name: 'Regmi', autor: 'x' }, 'autor', undefined],
  ])('to %s is held against its schema', async (path, sent, member, near) => {
    const made = await app.curator.post(path, { body: sent })
    expect(made.status).toBe(201)
    expect(made.body.warnings).toHaveLength(1)
    expect(made.body.warnings[0].member).toBe(member)
    if (near !== undefined) expect(made.body.warnings[0].message).toBe(noEffect('member', near))
  })

  test('names errors by their path', async () => {
    const nested = await app.contributor.post('/cidoc/structures/', {
      body: { name: 'X', assertion: { confidence: 'sure', source_type: 7 } },
    })
    expect(nested.status).toBe(400)
    expect(Object.keys(nested.body.assertion)).toEqual(['source_type', 'confidence'])
    expect(nested.body.assertion.confidence[0]).toMatch(/^Not a valid choice\. Choose one of: /)
    const tags = await app.contributor.post('/data/projects/', { body: { slug: 'a', title: 'A', tags: ['x', 7] } })
    expect([tags.status, tags.body]).toEqual([400, { tags: { 1: ['Not a valid text.'] } }])
  })

  test.each([
    ['{"name": "x",}', 1, 14],
    ['{\n  "name": "x"\n  "note": 1}', 3, 3],
    ['{"name": tru}', 1, 10],
    ['{"name": "x', 1, 12],
    ['{"name": "a\nb"}', 1, 12],
  ])('that is not JSON names the place: %j', async (sent, line, column) => {
    const answer = await app.contributor.post('/cidoc/structures/', { body: sent })
    expect([answer.status, answer.body]).toEqual([
      400,
      { detail: `JSON parse error: the body is not valid JSON at line ${line}, column ${column}.` },
    ])
  })
})

describe('a kind that there is not', () => {
  test.each([
    ['/cidoc/structurs/', 'Did you mean structures?'],
    ['/cidoc/deity/', 'Did you mean deities?'],
    ['/cidoc/transfer_of_custody/', 'Did you mean transfers_of_custody?'],
    ['/cidoc/xyzzyxyz/', undefined],
  ])('%s is 404', async (path, near) => {
    const answer = await app.anon.get(path)
    const detail = ['Not found.', 'There is no kind of this name.', near].filter(Boolean).join(' ')
    expect([answer.status, answer.body]).toEqual([404, { detail }])
  })

  test('is named in queries and bodies', async () => {
    const related = await app.anon.get('/cidoc/related/?domain=strcture&id=1')
    expect(related.body).toEqual({ domain: ['There is no kind of this name. Did you mean structure?'] })
  })
})
