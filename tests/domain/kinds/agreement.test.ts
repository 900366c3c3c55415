import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { jsonSchemaOf, type Kind, kindKeys, kinds, schemaOf } from '../../../lib/domain/kinds/index.ts'
import { assertionInputFields } from '../../../lib/domain/kinds/schema/assertion-input.ts'
import { spellingsOf } from '../../../lib/domain/kinds/schema/enums.ts'
import type { Field } from '../../../lib/domain/kinds/schema/fields.ts'

const uuid = '11111111-1111-4111-8111-111111111111'
const astral = '\u{11400}'

/** Values that some type takes, or nearly takes, and values that none does. */
const nasty: readonly unknown[] = [
  ...[
    '',
    ' ',
    '\n',
    '\t ',
    '\u00a0',
    '\ufeff',
    'a',
    'Nyatapola',
    'न्यातपोल',
    '\u0958',
    'a\nb',
    'a\tb',
    'a\u0000b',
    'a\u007f',
    '\u0085',
  ],
  ...['a\u200db', '\ud800', 'a\udc00b', astral, '\u202e'],
  ...[
    '0',
    '1',
    '3, 17',
    '3,17,',
    ' 3 ',
    '007',
    '-3',
    '+3',
    '2.5',
    '1e3',
    '1e400',
    'NaN',
    'Infinity',
    '-0',
    '0.5',
    '1.0',
    '1.01',
    '.5',
    '5.',
  ],
  ...[
    '999999',
    '1000000',
    '-999999',
    '9999',
    '10000',
    '999999999999999',
    '1000000000000000',
    '3, Bhairav',
    'Bhairav, Green Tara',
  ],
  ...[uuid, uuid.toUpperCase(), ` ${uuid} `, `${uuid}, ${uuid}`, `${uuid}, 3`, `3, ${uuid}`, `${uuid}x`, `x${uuid}`],
  ...[
    '27.67, 85.32',
    '27.67,85.32',
    ' 27.67 , 85.32 ',
    '27.67 85.32',
    '90, 180',
    '90.0, 180.000',
    '90.1, 0',
    '-90.0001, 0',
    '0, 180.5',
    '27.67\u00a0, 85.32',
  ],
  ...[
    '91, 181',
    '89.99999999999999999999, 0',
    `0.${'1'.repeat(21)}, 0`,
    '027, 085',
    'POINT(85.32 27.67)',
    'point (85.32  27.67)',
    'POINT(27.67, 85.32)',
    'POINT(85.32 97)',
    'Point Z',
  ],
  ...[
    'http://example.org',
    'HTTPS://example.org/x?y#z',
    'http://',
    'http:// x',
    'http:///x',
    'ftp://example.org',
    'javascript:alert(1)',
    'http://ex\u0001ample.org',
  ],
  ...[
    'true',
    'false',
    'TRUE',
    'Extant',
    'Damaged',
    'extant',
    'PublishedBook',
    'FieldSurvey',
    'book',
    'constructor',
    '__proto__',
    'toString',
    'likely',
  ],
  ...['[]', '["a"]', '["a\\u0001"]', '[1]', '["a', '{"id":3}'],
  ...[
    0, -0, 1, 5, 12, -3, 2.5, 0.5, 1.5, 1702, 90, 91, 180.5, 999999, 1000000, 1e14, 999999999999999, 1e15, -1e15, 1e21,
    1e-7, 1e308,
  ],
  ...[Number.POSITIVE_INFINITY, Number.NaN, true, false, null],
  ...[
    [],
    [null],
    ['', ' ', null],
    [[]],
    [[null]],
    [[['a']]],
    {},
    { id: 3 },
    { id: '3' },
    { id: uuid },
    { id: 3, name: 7 },
    { id: null, name: 'Bhairav' },
    [{ id: uuid }],
    [{ id: uuid, caption: 'a\nb', creator: '', licence: null, date: ' ', face: true }],
    [{ id: uuid, creator: 'a\nb' }],
    [{ id: uuid, face: 'yes' }],
    [{ id: `${uuid} ` }],
    Array(30).fill({ id: uuid }),
    Array(31).fill({ id: uuid }),
  ],
  ...[
    { id: '', name: '' },
    { id: [], name: 'x' },
    { id: 'x', name: 'Bhairav' },
    { id: 0, name: 'Bhairav' },
    { name: 'Bhairav' },
    { name: '12' },
    { name: {} },
    { text: 'x' },
  ],
  ...[
    { name: 'a\u0000' },
    { name: 'x'.repeat(301) },
    { id: true },
    { id: [3] },
    { name: ['x'] },
    { id: 2.5 },
    { id: `${uuid}, ${uuid}` },
  ],
  ...[
    { lat: 1, lng: 2 },
    { lat: '1', lng: '2.5' },
    { lat: 91, lng: 0 },
    { lat: 1 },
    { lat: null, lng: 1 },
    { lat: '1 ', lng: 1 },
    { lat: Number.NaN, lng: 1 },
    { lat: '1e1', lng: 1 },
    { lat: -0, lng: 1e-8 },
  ],
  ...[
    ['a'],
    ['a', 'b'],
    ['a', null],
    ['a', 3],
    ['a', ['b']],
    ['a\n'],
    ['x'.repeat(301)],
    Array(200).fill('a'),
    Array(201).fill('a'),
    Array(201).fill(null),
  ],
  ...[
    [3],
    [3, 17],
    ['3'],
    ['3, 17'],
    [{ id: 3 }, 'Bhairav'],
    [true],
    [{}],
    [uuid],
    [uuid, 3],
    [null, 3],
    Array(200).fill(3),
    Array(201).fill(3),
  ],
  ...[
    Array(200).fill('3').join(','),
    Array(201).fill('3').join(','),
    Array(200).fill(uuid).join(', '),
    Array(201).fill(uuid).join(', '),
    `${' '.repeat(8000)}3`,
  ],
  ...[64, 100, 200, 255, 300, 500, 1000, 2000].flatMap((n) => [
    'x'.repeat(n),
    'x'.repeat(n + 1),
    astral.repeat(n),
    astral.repeat(n + 1),
    `${'x'.repeat(n)}\ud800`,
    `http://${'x'.repeat(n - 7)}`,
    `http://${'x'.repeat(n - 6)}`,
    ' '.repeat(n + 1),
  ]),
  ...['x'.repeat(10_000), 'x'.repeat(10_001), astral.repeat(10_000), astral.repeat(10_001), `${'x'.repeat(10_000)}\n`],
]

const wild = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...nasty) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 320 }) },
  { weight: 1, arbitrary: fc.double() },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(...nasty), { maxLength: 5 }) },
  {
    weight: 1,
    arbitrary: fc.record({ id: fc.constantFrom(...nasty), name: fc.constantFrom(...nasty) }, { requiredKeys: [] }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ lat: fc.constantFrom(...nasty), lng: fc.constantFrom(...nasty) }, { requiredKeys: [] }),
  },
)

const words = fc.string({
  unit: fc.constantFrom('a', 'Z', 'ध', '\u0301', ' ', '-', astral),
  minLength: 1,
  maxLength: 60,
})

/** Values that a field of the type should take. */
function good(field: Field): fc.Arbitrary<unknown> {
  if (field.vocabulary) return fc.constantFrom(...spellingsOf(field.vocabulary))
  if (field.type === 'relation')
    return fc.constantFrom<unknown>(uuid, { id: uuid, name: 'x' }, 'Bhairav', { name: 'Bhairav' }, ['Bhairav'])
  if (field.type === 'coordinates')
    return fc.constantFrom<unknown>('27.67, 85.32', { lat: 27.67, lng: '85.32' }, 'POINT(85.32 27.67)')
  if (field.type === 'media')
    return fc.constantFrom<unknown>(
      [{ id: uuid }],
      [{ id: uuid, caption: 'a\nb', licence: 'CC0-1.0', face: true }, null],
    )
  if (field.type === 'url') return fc.webUrl()
  if (field.type === 'boolean') return fc.boolean()
  if (field.type === 'number') return fc.integer({ min: 0, max: field.maximum ?? 0 })
  if (field.type === 'float') return fc.double({ min: 0, max: 1, noNaN: true })
  return words
}

function bodyOf(kind: Kind): fc.Arbitrary<Record<string, unknown>> {
  const members = Object.entries(kind.fields).flatMap(([name, field]) =>
    [name, ...field.aliases].map((member) => [member, field] as const),
  )
  const sound = Object.fromEntries(members.map(([member, field]) => [member, good(field)]))
  const any = Object.fromEntries(
    [...members.map(([member]) => member), 'latitude', 'longitude', 'assertion', 'unknown'].map((member) => [
      member,
      wild,
    ]),
  )
  const block = fc.record(
    Object.fromEntries(
      Object.entries(assertionInputFields).map(([name, field]) => [name, fc.oneof(good(field), wild)]),
    ),
    { requiredKeys: [] },
  )
  const required = members.filter(([, field]) => field.required).map(([member]) => member)
  return fc
    .record({
      base: fc.record(sound, { requiredKeys: required }),
      spoilt: fc.subarray(Object.keys(any), { maxLength: 3 }),
      any: fc.record(any),
      block: fc.option(block, { nil: undefined }),
      dropped: fc.subarray(required, { maxLength: 1 }),
    })
    .map(({ base, spoilt, any, block, dropped }) => {
      const body: Record<string, unknown> = { ...base, ...(block && { assertion: block }) }
      for (const member of spoilt) body[member] = any[member]
      if (spoilt.length === 0) for (const member of dropped) delete body[member]
      return body
    })
}

const ajv = new Ajv2020({ strict: false })

describe.each(kindKeys)('%s', (key) => {
  const kind = kinds[key]
  const schema = schemaOf(kind, 'create')
  const published = ajv.compile(jsonSchemaOf(kind))

  test('the published schema and the service take the same bodies', { timeout: 60_000 }, () => {
    let taken = 0
    let refused = 0
    fc.assert(
      fc.property(bodyOf(kind), (body) => {
        const takes = v.safeParse(schema, body).success
        if (takes) taken += 1
        else refused += 1
        expect(published(body), JSON.stringify(body).slice(0, 500)).toBe(takes)
      }),
      { numRuns: Number(process.env.FC_RUNS ?? 120) },
    )
    expect(taken).toBeGreaterThan(0)
    expect(refused).toBeGreaterThan(5)
  })

  test('they agree on every nasty value of every member', { timeout: 60_000 }, () => {
    const valid = {
      name: 'x',
      category: 'other',
      description: 'x',
      asserted_property: 'x',
      asserted_value: 'x',
      canonical_label: 'x',
      type_scope: 'person',
    }
    const members = Object.entries(kind.fields).flatMap(([name, field]) => [name, ...field.aliases])
    for (const member of [...members, 'latitude', 'longitude', 'assertion']) {
      for (const value of nasty) {
        const body = { ...valid, [member]: value }
        const takes = v.safeParse(schema, body).success
        if (published(body) !== takes)
          expect.fail(`${member}: ${JSON.stringify(value)?.slice(0, 80)} the service ${takes ? 'takes' : 'refuses'}`)
      }
    }
  })
})

test('neither takes a body that is no object', () => {
  for (const body of [null, [], 'x', 3, true, [{ name: 'x' }]]) {
    expect(v.safeParse(schemaOf(kinds.person, 'create'), body).success).toBe(false)
    expect(ajv.validate(jsonSchemaOf(kinds.person), body)).toBe(false)
  }
})
