import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../harness/app.ts'
import { commandsOf, contribute, publish, sure } from '../harness/make.ts'

/** Every write route of records, entities, assertions and reviews, with a body that each of them takes. */
type Write = {
  route: string
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: () => string
  body?: object
  who: 'contributor' | 'community'
}

let app: App
let it: { id: number; cultural_entity_id: string }
let open: { id: number; cultural_entity_id: string }
let hidden: typeof it
let claim: { id: string }
beforeAll(async () => {
  app = await openApp()
  // Signing in writes, and is none of what is refused.
  await app.community.get('/api/user/info')
  it = await publish(app, 'structures', { name: 'Written', note: 'n' })
  open = await contribute(app.contributor, 'structures', { name: 'Still open', note: 'n' })
  hidden = await contribute(app.contributor, 'structures', { name: 'Hidden' })
  claim = sure(
    201,
    await app.other.post('/cidoc/assertions/', {
      body: { entity_type: 'structure', entity_id: it.id, property: 'note', value: 'x' },
    }),
  )
})

const entity = () => `/data/cultural-entities/${it.cultural_entity_id}/`
const fields = { name: 'Good', note: 'Good' }
const writes: readonly Write[] = [
  { route: 'create a record', method: 'POST', path: () => '/cidoc/structures/', body: fields, who: 'contributor' },
  {
    route: 'replace a record',
    method: 'PUT',
    path: () => `/cidoc/structures/${it.id}/`,
    body: fields,
    who: 'contributor',
  },
  {
    route: 'change a record',
    method: 'PATCH',
    path: () => `/cidoc/structures/${it.id}/`,
    body: fields,
    who: 'contributor',
  },
  {
    route: 'create an entity',
    method: 'POST',
    path: () => '/data/cultural-entities/',
    body: { name: 'Good', category: 'other', description: 'd' },
    who: 'contributor',
  },
  { route: 'replace by identity', method: 'PUT', path: entity, body: fields, who: 'contributor' },
  { route: 'change by identity', method: 'PATCH', path: entity, body: fields, who: 'contributor' },
  {
    route: 'create a revision',
    method: 'POST',
    path: () => `/data/cultural-entities/${open.cultural_entity_id}/create_revision/`,
    body: fields,
    who: 'contributor',
  },
  {
    route: 'make a claim',
    method: 'POST',
    path: () => '/cidoc/assertions/',
    body: { property: 'note', value: 'v' },
    who: 'contributor',
  },
  {
    route: 'settle a claim',
    method: 'PATCH',
    path: () => `/cidoc/assertions/${claim.id}/`,
    body: { reconciliation_status: 'pending' },
    who: 'community',
  },
  {
    route: 'decide',
    method: 'POST',
    path: () => `/data/review-workspace/${hidden.cultural_entity_id}/decide/`,
    body: { verdict: 'accept' },
    who: 'community',
  },
  {
    route: 'ask for a field',
    method: 'POST',
    path: () => '/cidoc/assist/suggest-field/',
    body: { ontology_class: 'structure', field_key: 'note' },
    who: 'contributor',
  },
]
const named = (...routes: string[]) => writes.filter((one) => routes.includes(one.route))
const forms = named(
  'create a record',
  'replace a record',
  'change a record',
  'replace by identity',
  'change by identity',
  'create a revision',
)

const notText = { detail: 'JSON parse error: the body is not UTF-8.' }
const noObject = { detail: 'The body must be a JSON object.' }
const badToken = { detail: 'The token is malformed, expired or revoked.' }
const signInNeeded = { detail: 'Authentication credentials were not provided.' }
const notFound = { detail: 'Not found.' }

/** Sends what must be refused, and looks whether anything was written nevertheless. */
async function refuse({ method, path, who }: Pick<Write, 'method' | 'path' | 'who'>, sent: object, as = app[who]) {
  let reply: Awaited<ReturnType<typeof as.post>> | undefined
  const commands = await commandsOf(async () => {
    reply = await as.send(method, path(), sent)
  })
  expect(commands.filter((name) => /Write|Put|Delete/.test(name))).toEqual([])
  return [reply?.status, reply?.body]
}

describe.each(writes)('$route', (write) => {
  test.each([
    ['{', 2],
    ['{"name":', 9],
    ['{"name": "x",}', 14],
    ["{'name': 'x'}", 2],
    ['\u0000', 1],
    ['{"a":1}{"b":2}', 8],
    ['name=x', 1],
  ])('refuses what is not JSON: %j, and says where', async (body, column) => {
    const detail = `JSON parse error: the body is not valid JSON at line 1, column ${column}.`
    expect(await refuse(write, { body })).toEqual([400, { detail }])
  })

  test('refuses bytes that are not UTF-8', async () => {
    const body = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])
    expect(await refuse(write, { body, headers: { 'content-type': 'application/json' } })).toEqual([400, notText])
  })

  test.each(['[]', '"text"', '1', 'null', 'true', '[{"name":"x"}]'])(
    'refuses JSON that is no object: %s',
    async (body) => {
      expect(await refuse(write, { body })).toEqual([400, noObject])
    },
  )

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    '',
  ])('refuses content of type %j', async (type) => {
    expect(await refuse(write, { body: '{}', headers: { 'content-type': type } })).toEqual([
      415,
      { detail: 'Unsupported media type. Send application/json.' },
    ])
  })

  test('refuses more than a mebibyte', async () => {
    const body = JSON.stringify({ ...write.body, padding: 'x'.repeat(1_048_576) })
    expect(await refuse(write, { body })).toEqual([413, { detail: 'The body is larger than 1048576 bytes.' }])
  })

  test('refuses who is not signed in, also with a token that is none', async () => {
    const tokens = ['Bearer x', 'Bearer a.b.c', 'Basic eDp5', 'Bearer', `Bearer ${'x'.repeat(5000)}`]
    expect(await refuse(write, { body: write.body }, app.anon)).toEqual([401, signInNeeded])
    for (const authorization of tokens)
      expect(await refuse(write, { body: write.body, headers: { authorization } }, app.anon)).toEqual([401, badToken])
  })

  test('answers deep nesting without an error of its own', async () => {
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    const reply = await app[write.who].send(write.method, write.path(), { body: `{"nonsense":${deep},"name":[[[]]]}` })
    expect(reply.status).toBeLessThan(500)
  })
})

describe('a path', () => {
  const bad = ['0', '-1', '1.5', '1e3', '01', 'x', '%00', '1%2F2', '9999999999999', '1;drop', '%F0%28', 'HEAD']
  test.each(bad)('with the id %s names no record', async (id) => {
    for (const method of ['PUT', 'PATCH', 'DELETE'] as const)
      expect(
        await refuse({ method, path: () => `/cidoc/structures/${id}/`, who: 'contributor' }, { body: fields }),
      ).toEqual([404, notFound])
  })

  const ids = [
    'x',
    '1',
    '00000000-0000-0000-0000-00000000000',
    '8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10',
    '08000000-ffff-8fff-8fff-ffffffffffff',
    '%00',
  ]
  test.each(ids)('with the identity %s names nothing', async (id) => {
    for (const [method, path] of [
      ['PUT', `/data/cultural-entities/${id}/`],
      ['PATCH', `/data/cultural-entities/${id}/`],
      ['DELETE', `/data/cultural-entities/${id}/`],
      ['POST', `/data/cultural-entities/${id}/create_revision/`],
      ['POST', `/data/cultural-entities/${id}/submit_for_review/`],
    ] as const)
      expect(await refuse({ method, path: () => path, who: 'contributor' }, { body: fields })).toEqual([404, notFound])
    const decide = () => `/data/review-workspace/${id}/decide/`
    expect(await refuse({ method: 'POST', path: decide, who: 'community' }, { body: { verdict: 'accept' } })).toEqual([
      404,
      notFound,
    ])
    const settle = () => `/cidoc/assertions/${id}/`
    const body = { reconciliation_status: 'accepted' }
    expect(await refuse({ method: 'PATCH', path: settle, who: 'community' }, { body })).toEqual([404, notFound])
  })

  test.each([
    ['no-such-kind', ' There is no kind of this name.'],
    ['assertion', ' There is no kind of this name.'],
    ['structure', ' There is no kind of this name. Did you mean structures?'],
    ['__proto__', ' There is no kind of this name.'],
    ['constructor', ' There is no kind of this name.'],
    // It has addresses of its own.
    ['cultural-entities', ''],
  ])('of the kind %s takes nothing', async (segment, why) => {
    expect(
      await refuse({ method: 'POST', path: () => `/cidoc/${segment}/`, who: 'contributor' }, { body: fields }),
    ).toEqual([404, { detail: `Not found.${why}` }])
  })

  test.each(forms.filter(({ method }) => method !== 'POST'))(
    'to a record of someone else is not found, or refused: $route',
    async (write) => {
      const status = (await app.other.send(write.method, write.path(), { body: write.body })).status
      expect(status).toBe(403)
      const path = () =>
        write.path().startsWith('/cidoc')
          ? `/cidoc/structures/${hidden.id}/`
          : `/data/cultural-entities/${hidden.cultural_entity_id}/`
      expect(await refuse({ ...write, path }, { body: write.body }, app.other)).toEqual([404, notFound])
    },
  )
})

/** What a form may not say, and what it is told. `needs` are the members that make the rest of the body good. */
const faults: [string, object, object][] = [
  ['no text', { name: 5 }, { name: ['Not a valid text.'] }],
  ['an object as text', { note: { text: 'x' } }, { note: ['Not a valid text.'] }],
  ['true as text', { note: true }, { note: ['Not a valid text.'] }],
  [
    'a name that is too long',
    { name: 'x'.repeat(201) },
    { name: ['Ensure this field has no more than 200 characters.'] },
  ],
  [
    'a note that is too long',
    { note: 'x'.repeat(10_001) },
    { note: ['Ensure this field has no more than 10000 characters.'] },
  ],
  ['a control character', { name: 'a\u0007b' }, { name: ['Control characters are not allowed.'] }],
  [
    'a character that turns the direction of writing',
    { name: 'a\u202eb' },
    { name: ['Characters that turn the direction of writing are not allowed.'] },
  ],
  ['a line break in a line', { name: 'a\nb' }, { name: ['Control characters are not allowed.'] }],
  ['a null character', { note: 'a\u0000b' }, { note: ['Control characters are not allowed.'] }],
  ['half a character', { note: '\ud800' }, { note: ['Control characters are not allowed.'] }],
  [
    'a word that is not of the list',
    { condition: 'Fine' },
    { condition: ['Not a valid choice. Choose one of: Excellent, Good, Fair, Poor, Very_Poor, Ruinous.'] },
  ],
  [
    'a list for a choice',
    { condition: ['Good'] },
    { condition: ['Not a valid choice. Choose one of: Excellent, Good, Fair, Poor, Very_Poor, Ruinous.'] },
  ],
  [
    'a place off the globe',
    { coordinates: '91, 85' },
    { coordinates: ['Latitude must be between -90 and 90, longitude between -180 and 180.'] },
  ],
  [
    'longitude before latitude',
    { coordinates: { lat: 27, lng: 181 } },
    { coordinates: ['Latitude must be between -90 and 90, longitude between -180 and 180.'] },
  ],
  [
    'a place in words',
    { coordinates: 'near the gate' },
    { coordinates: ['Give coordinates as "latitude, longitude" in degrees, for example "27.6716, 85.4284".'] },
  ],
  ['half a place', { latitude: 27 }, { longitude: ['Latitude and longitude go together.'] }],
  [
    'an address that browsers run',
    { source_url: 'javascript:alert(1)' },
    { source_url: ['Enter a web address that starts with http:// or https://.'] },
  ],
  [
    'a relation to nothing',
    { dedicated_to: [999_999] },
    { dedicated_to: ['There is no deity with one of these ids.'] },
  ],
  [
    'a relation that is a negative number',
    { dedicated_to: -1 },
    { dedicated_to: ['Give the id of a record, or a name.'] },
  ],
  [
    'a relation that is true',
    { has_current_location: true },
    { has_current_location: ['Give the id of a record, or a name.'] },
  ],
  ['two where one is meant', { has_current_location: [1, 2] }, { has_current_location: ['Give one record only.'] }],
  [
    'too many relations',
    { dedicated_to: Array.from({ length: 201 }, (_, i) => i + 1) },
    { dedicated_to: ['Give no more than 200 records.'] },
  ],
  [
    'text where a registered source is meant',
    { has_provenance_assertion: 'words' },
    { has_provenance_assertion: ['Choose an existing one by its id.'] },
  ],
  ['a source that is no object', { assertion: 'book' }, { assertion: ['Give an object.'] }],
]

describe.each(forms)('the form to $route', (write) => {
  test.each(faults)('is refused with %s', async (_, fault, told) => {
    expect(await refuse(write, { body: { ...fields, ...fault } })).toEqual([400, told])
  })

  test('is told every fault at once, by the names that were sent', async () => {
    const body = { name: 7, place_coordinates: 'x', condition: 'y', has_architectural_style: 'z' }
    const [status, told] = await refuse(write, { body })
    expect(status).toBe(400)
    expect(Object.keys(told).sort()).toEqual(['condition', 'has_architectural_style', 'name', 'place_coordinates'])
  })

  test('does not repeat what was sent', async () => {
    const [, told] = await refuse(write, {
      body: { ...fields, condition: 'hunter2', coordinates: 'hunter2', dedicated_to: [777_777] },
    })
    expect(JSON.stringify(told)).not.toMatch(/hunter2|777777/)
  })
})

describe('a required member', () => {
  test.each([{}, { name: '' }, { name: null }, { name: '   ' }, { note: 'x' }])('is missed in %j', async (body) => {
    for (const write of named('create a record', 'replace a record', 'replace by identity'))
      expect(await refuse(write, { body })).toEqual([400, { name: ['This field is required.'] }])
    for (const write of named('change a record', 'change by identity', 'create a revision')) {
      if (!('name' in body)) continue
      expect(await refuse(write, { body })).toEqual([400, { name: ['This field may not be blank.'] }])
    }
  })

  test.each([
    [
      'create an entity',
      { name: 'x' },
      { category: ['This field is required.'], description: ['This field is required.'] },
    ],
    [
      'make a claim',
      {},
      { asserted_property: ['This field is required.'], asserted_value: ['This field is required.'] },
    ],
    ['settle a claim', {}, { reconciliation_status: ['This field is required.'] }],
    ['decide', {}, { verdict: ['This field is required.'] }],
    ['ask for a field', {}, { ontology_class: ['This field is required.'], field_key: ['This field is required.'] }],
  ])('is missed by: %s', async (route, body, told) => {
    for (const write of named(route)) expect(await refuse(write, { body })).toEqual([400, told])
  })

  test('is missed in an empty body just as in {}', async () => {
    for (const body of ['', undefined]) {
      const [write] = named('create a record')
      if (write) expect(await refuse(write, { body })).toEqual([400, { name: ['This field is required.'] }])
    }
  })
})

describe('a verdict', () => {
  test.each([
    [{ verdict: 'approve' }, { verdict: ['Not a valid choice. Choose one of: '] }],
    [{ verdict: 1 }, { verdict: ['This field is required.'] }],
    [
      { verdict: 'accept', conflict_handling: 'ignore' },
      { conflict_handling: ['Not a valid choice. Choose one of: '] },
    ],
    [
      { verdict: 'accept', confidence_override: 'very' },
      { confidence_override: ['Not a valid choice. Choose one of: '] },
    ],
    [{ verdict: 'accept', verification_method: 5 }, { verification_method: ['Not a valid choice. Choose one of: '] }],
    [{ verdict: 'accept', feedback: 5 }, { feedback: ['Not a valid text.'] }],
    [
      { verdict: 'accept', feedback: 'x'.repeat(5001) },
      { feedback: ['Ensure this field has no more than 5000 characters.'] },
    ],
    [{ verdict: 'accept', internal_note: '\u0000' }, { internal_note: ['Control characters are not allowed.'] }],
  ])('%j is refused', async (body, told) => {
    const [write] = named('decide')
    if (!write) throw new Error('no such route')
    const [status, answer] = await refuse(write, { body })
    expect(status).toBe(400)
    const [[member, [text = ''] = []] = ['', []]] = Object.entries<string[]>(told)
    expect(answer).toEqual({ [member]: [expect.stringContaining(text)] })
  })
})

describe('a claim', () => {
  test.each([
    [{ property: 'note', value: 'x', confidence: 'sure' }, 'confidence'],
    [{ property: 'note', value: 'x', confidence_score: 2 }, 'confidence_score'],
    [{ property: 'note', value: 'x', source_url: 'ftp://x' }, 'source_url'],
    [{ property: 'x'.repeat(101), value: 'x' }, 'property'],
    [{ property: 'note', value: 'x', entity_type: 'structure', entity_id: 999_999 }, 'entity_id'],
    [{ property: 'note', value: 'x', cultural_entity_id: 'x' }, 'cultural_entity_id'],
    [{ property: 'note', value: 'x', entity_type: 'nothing', entity_id: 1 }, 'entity_id'],
    [{ property: 'note', value: 'x', was_attributed_to_agent: 999_999 }, 'was_attributed_to_agent'],
    [
      { property: 'relationship.no_such', value: 'x', object_entity_type: 'structure', object_entity_id: 1 },
      'asserted_property',
    ],
  ])('%j is refused, naming %s', async (body, member) => {
    const [write] = named('make a claim')
    if (!write) throw new Error('no such route')
    const [status, answer] = await refuse(write, { body })
    expect([status, Object.keys(answer)]).toEqual([400, [member]])
  })
})
