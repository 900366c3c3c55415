import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { type KindKey, kinds, type Mode, pointOf, schemaOf } from '../../../lib/domain/kinds/index.ts'

const uuid = '11111111-1111-4111-8111-111111111111'
const other = '22222222-2222-4222-8222-222222222222'

/** What a body becomes, or its faults as {member: [text]}. */
function read(kind: KindKey, body: unknown, mode: Mode = 'create') {
  const result = v.safeParse(schemaOf(kinds[kind], mode), body)
  return result.success ? result.output : faultsOf(result.issues)
}

/** The values of a body that has a name, or its faults. */
function data(kind: KindKey, body: object): Record<string, unknown> {
  const result = v.safeParse(schemaOf(kinds[kind], 'create'), { name: 'x', ...body })
  return result.success ? result.output.data : faultsOf(result.issues)
}

function faultsOf(issues: readonly v.BaseIssue<unknown>[]): Record<string, string[]> {
  const faults: Record<string, string[]> = {}
  for (const issue of issues) {
    const member = String(issue.path?.[0]?.key ?? 'non_field_errors')
    faults[member] = [...(faults[member] ?? []), issue.message]
  }
  return faults
}

describe('relations', () => {
  test.each([
    [3, [{ id: 3 }]],
    ['3', [{ id: 3 }]],
    [' 3 ', [{ id: 3 }]],
    [{ id: 3, name: 'Bhairav' }, [{ id: 3 }]],
    [{ id: '3' }, [{ id: 3 }]],
    [{ id: null, name: ' Bhairav ' }, [{ text: 'Bhairav' }]],
    ['Bhairav', [{ text: 'Bhairav' }]],
    ['Krishna Mandir, Kathmandu', [{ text: 'Krishna Mandir, Kathmandu' }]],
    [uuid.toUpperCase().replaceAll('1', 'A'), [{ id: uuid.replaceAll('1', 'a') }]],
    [[3], [{ id: 3 }]],
    [['', { name: 'Bhairav' }].slice(1), [{ text: 'Bhairav' }]],
  ])('a relation to one record takes %j', (sent, stored) => {
    expect(data('enshrinement', { enshrined_deity: sent })).toEqual({ name: 'x', enshrined_deity: stored })
  })

  test.each([
    ['3, 17', [{ id: 3 }, { id: 17 }]],
    ['3,17 ,3', [{ id: 3 }, { id: 17 }]],
    [
      [3, '17', { id: 4 }, 'Bhairav', { name: 'Tara' }, null, ''],
      [{ id: 3 }, { id: 17 }, { id: 4 }, { text: 'Bhairav' }, { text: 'Tara' }],
    ],
    [17, [{ id: 17 }]],
  ])('a relation to several takes %j', (sent, stored) => {
    expect(data('iconography', { depicts_deity: sent })).toEqual({ name: 'x', depicts_deity: stored })
  })

  test('two hundred ids are taken, one more is not', () => {
    const ids = Array.from({ length: 201 }, (_, i) => i + 1)
    expect(data('iconography', { depicts_deity: ids.slice(1).join(', ') })).toHaveProperty('depicts_deity.length', 200)
    expect(data('iconography', { depicts_deity: ids })).toEqual({ depicts_deity: ['Give no more than 200 records.'] })
    expect(data('iconography', { depicts_deity: ids.join(',') })).toEqual({
      depicts_deity: ['Give the id of a record, or a name.'],
    })
  })

  test.for<unknown>(['3, 17', [3, 17]])('a relation to one record refuses %j', (sent) => {
    expect(data('enshrinement', { enshrined_deity: sent })).toEqual({ enshrined_deity: ['Give one record only.'] })
  })

  test.for<unknown>([
    0,
    -3,
    2.5,
    1e15,
    true,
    {},
    { id: 'x', name: 'Bhairav' },
    { id: 0, name: 'Bhairav' },
    '0',
    '2.5',
    [{}],
    [[3]],
  ])('a relation refuses %j', (sent) => {
    expect(data('iconography', { depicts_deity: sent })).toEqual({
      depicts_deity: ['Give the id of a record, or a name.'],
    })
  })

  test('a relation to a data source takes UUIDs and names but no numbers', () => {
    const sent = (value: unknown) => data('structure', { documented_in_source: value })
    expect(sent(`${uuid}, ${other}`)).toEqual({ name: 'x', documented_in_source: [{ id: uuid }, { id: other }] })
    expect(sent('Slusser 1982')).toEqual({ name: 'x', documented_in_source: [{ text: 'Slusser 1982' }] })
    for (const wrong of [3, '3', '3, 17', [3]]) {
      expect(sent(wrong)).toEqual({ documented_in_source: ['Give the id (a UUID) of a record, or a name.'] })
    }
  })

  test('the name of a related record has at most 300 characters', () => {
    expect(data('enshrinement', { enshrined_deity: 'x'.repeat(300) })).toHaveProperty('enshrined_deity.length', 1)
    expect(data('enshrinement', { enshrined_deity: { name: 'x'.repeat(301) } })).toEqual({
      enshrined_deity: ['Ensure this field has no more than 300 characters.'],
    })
  })
})

describe('coordinates', () => {
  test.each([
    ['27.6716, 85.4284', '27.6716, 85.4284', 27.6716, 85.4284],
    ['27.77805556,85.36222222', '27.77805556,85.36222222', 27.77805556, 85.36222222],
    ['-90,180', '-90,180', -90, 180],
    [{ lat: 27.5, lng: '85.25' }, '27.5, 85.25', 27.5, 85.25],
    [{ lat: -0, lng: 1e-8 }, '0, 0.00000001', 0, 1e-8],
    [{ lat: 90, lng: -180 }, '90, -180', 90, -180],
    ['POINT(85.4284 27.6716)', 'POINT(85.4284 27.6716)', 27.6716, 85.4284],
    ['point (85 27)', 'point (85 27)', 27, 85],
  ])('%j is a point', (sent, stored, lat, lng) => {
    const read = data('location', { coordinates: sent })
    expect(read).toEqual({ name: 'x', coordinates: stored })
    expect(pointOf(read)).toEqual({ lat, lng })
  })

  test.for<unknown>([
    '90.0001, 0',
    '0, 180.5',
    '-91,0',
    '97.1, 27',
    { lat: 91, lng: 0 },
    { lat: 0, lng: '-181' },
    'POINT(27 97)',
  ])('%j is out of range', (sent) => {
    expect(data('structure', { coordinates: sent })).toEqual({
      coordinates: ['Latitude must be between -90 and 90, longitude between -180 and 180.'],
    })
  })

  test.for<unknown>([
    'Bhaktapur',
    '27.67',
    '27.67 85.32',
    '1e1, 2',
    27.67,
    true,
    { lat: 1 },
    [27, 85],
    'POINT(27, 85)',
  ])('%j is no point', (sent) => {
    expect(data('structure', { coordinates: sent })).toEqual({
      coordinates: ['Give coordinates as "latitude, longitude" in degrees, for example "27.6716, 85.4284".'],
    })
  })

  test('latitude and longitude together stand for coordinates', () => {
    expect(data('monument', { latitude: 27.5, longitude: '85.25' })).toEqual({ name: 'x', coordinates: '27.5, 85.25' })
  })
  test('one of latitude and longitude is not enough', () => {
    expect(data('monument', { latitude: 27.5 })).toEqual({ longitude: ['Latitude and longitude go together.'] })
    expect(data('monument', { latitude: '', longitude: 85 })).toEqual({
      latitude: ['Latitude and longitude go together.'],
    })
  })
  test('latitude and longitude have their ranges', () => {
    expect(data('location', { latitude: 90.5, longitude: -181 })).toEqual({
      latitude: ['Latitude must be between -90 and 90.'],
      longitude: ['Longitude must be between -180 and 180.'],
    })
  })
  test('coordinates win over latitude and longitude', () => {
    expect(data('location', { place_coordinates: '1, 2', latitude: 3, longitude: 4 })).toEqual({
      name: 'x',
      coordinates: '1, 2',
    })
  })
  test('a kind without coordinates drops latitude and longitude', () => {
    expect(data('person', { latitude: 'junk', longitude: 4 })).toEqual({ name: 'x' })
  })
})

describe('options', () => {
  test('an illegal value is answered with the legal ones and is not repeated', () => {
    expect(data('structure', { existence_status: 'Gone' })).toEqual({
      existence_status: [
        'Not a valid choice. Choose one of: Extant, PartiallyExtant, Destroyed, Lost, Hypothetical, Unknown.',
      ],
    })
  })
  test.each([
    ['structure', 'existence_status', 'Damaged', 'Damaged'],
    ['structure', 'existence_status', 'Partially_Extant', 'Partially_Extant'],
    ['structure', 'architectural_style', 'StupaStyle', 'Stupa'],
    ['guthi', 'guthi_type', 'Raj_Guthi', 'RajGuthi'],
    ['data_source', 'source_type', 'FieldSurvey', 'field_survey'],
    ['data_source', 'source_type', 'PublishedBook', 'book'],
    ['data_source', 'source_type', 'PublishedScholarship', 'published'],
    ['event', 'date_precision', 'Circa', 'circa'],
    ['source', 'source_type', 'PublishedBook', 'PublishedBook'],
  ] as const)('%s.%s takes %s as %s', (kind, member, sent, stored) => {
    expect(data(kind, { [member]: sent })).toEqual({ name: 'x', [member]: stored })
  })
  test.for<unknown>(['constructor', '__proto__', 3, true, ['Extant'], {}])('%j is not an option', (sent) => {
    expect(data('structure', { existence_status: sent })).toHaveProperty('existence_status')
    expect(data('structure', { existence_status: sent })).not.toHaveProperty('name')
  })
})

describe('numbers, dates and flags', () => {
  test.each([
    ['calendar', 'year_offset_from_gregorian', -879, -879],
    ['calendar', 'year_offset_from_gregorian', '+57', 57],
    ['calendar', 'year_offset_from_gregorian', '-0', 0],
    ['data_source', 'datacite_publication_year', '1975', 1975],
    ['kumari_selection', 'is_critical_for_festival', 'false', false],
    ['kumari_selection', 'is_critical_for_festival', true, true],
    ['event', 'has_timespan', 12, '12'],
    ['event', 'has_timespan', '1200/1300', '1200/1300'],
    ['period', 'start_year', 879, '879'],
    ['structure', 'last_known_existence_date', '2024-01-01', '2024-01-01'],
    ['production', 'commissioned_by', 4, '4'],
  ] as const)('%s.%s takes %j', (kind, member, sent, stored) => {
    const read = data(kind, { [member]: sent })
    expect(read).toEqual({ name: 'x', [member]: stored })
    expect(Object.values(read).some((value) => Object.is(value, -0))).toBe(false)
  })
  test.each([
    ['calendar', 'year_offset_from_gregorian', 'NaN', 'Not a valid number.'],
    ['calendar', 'year_offset_from_gregorian', Number.POSITIVE_INFINITY, 'Not a valid number.'],
    ['calendar', 'year_offset_from_gregorian', 1.5, 'Give a whole number.'],
    ['calendar', 'year_offset_from_gregorian', 1_000_000, 'Years ahead must be between -999999 and 999999.'],
    ['data_source', 'datacite_publication_year', -1, 'Publication year must be between 0 and 9999.'],
    ['assertion', 'confidence_score', 1.01, 'Confidence score must be between 0 and 1.'],
    ['kumari_selection', 'is_critical_for_festival', 'yes', 'Give true or false.'],
    ['person', 'occupation', 12, 'Not a valid text.'],
    ['event', 'has_timespan', 1.5, 'Not a valid text.'],
  ] as const)('%s.%s refuses %j', (kind, member, sent, message) => {
    expect(data(kind, { asserted_property: 'x', asserted_value: 'x', [member]: sent })).toEqual({ [member]: [message] })
  })
})

describe('texts', () => {
  test('text is kept as sent but for its normal form', () => {
    expect(data('person', { institutional_affiliation: ' cafe\u0301 ' })).toEqual({
      name: 'x',
      institutional_affiliation: ' caf\u00e9 ',
    })
  })
  test('characters are counted, not halves of them', () => {
    const astral = '\u{11400}'
    expect(data('person', { name_ne: astral.repeat(200) })).toHaveProperty('name_ne')
    expect(data('person', { name_ne: astral.repeat(201) })).toEqual({
      name_ne: ['Ensure this field has no more than 200 characters.'],
    })
  })
  test.for<unknown>(['a\u0000b', 'a\nb', 'a\tb', 'a\u007f', '\u0085', '\ud800', 'a\udc00'])(
    'a line refuses %j',
    (sent) => {
      expect(data('person', { occupation: sent })).toEqual({ occupation: ['Control characters are not allowed.'] })
    },
  )
  test('several lines take line breaks and tabs and nothing else of the sort', () => {
    expect(data('person', { biography: 'a\r\n\tb' })).toEqual({ name: 'x', biography: 'a\r\n\tb' })
    expect(data('person', { biography: 'a\u000bb' })).toEqual({ biography: ['Control characters are not allowed.'] })
  })
  test('joiners, which Devanagari needs, are no control characters', () => {
    expect(data('person', { name_ne: 'क्\u200dष' })).toEqual({ name: 'x', name_ne: 'क्\u200dष' })
  })
  test('a list where text is meant becomes text with commas', () => {
    expect(data('person', { occupation: ['Architect', ' Sculptor ', ''] })).toEqual({
      name: 'x',
      occupation: 'Architect, Sculptor',
    })
  })
  test.each([
    [
      ['Araniko', ' Balabahu ', '', null],
      ['Araniko', 'Balabahu'],
    ],
    ['Araniko, Balabahu,', ['Araniko', 'Balabahu']],
    ['["Araniko, the builder","Balabahu"]', ['Araniko, the builder', 'Balabahu']],
    ['["Araniko\\u0001"]', ['["Araniko\\u0001"]']],
  ])('alternate names take %j', (sent, stored) => {
    expect(data('person', { aliases: sent })).toEqual({ name: 'x', alternate_names: stored })
  })
  test.for<unknown>(['ftp://example.org', 'javascript:alert(1)', 'example.org', 'http://', 'http://a b', 'http:///x'])(
    '%j is no web address',
    (sent) => {
      expect(data('person', { source_url: sent })).toEqual({
        source_url: ['Enter a web address that starts with http:// or https://.'],
      })
    },
  )
})

describe('absence', () => {
  test.for<unknown>(['', '  ', null, [], [null, '']])('%j means absent in every field', (sent) => {
    for (const kind of Object.values(kinds)) {
      const body = Object.fromEntries(
        Object.entries(kind.fields).map(([name, field]) => [name, field.required ? 'other' : sent]),
      )
      const read = v.parse(schemaOf(kind, 'create'), body)
      expect(Object.keys(read.data).every((name) => kind.fields[name]?.required)).toBe(true)
      expect(read.cleared).toEqual([])
    }
  })
  test('a name is required', () => {
    for (const body of [{}, { name: '' }, { name: ' \n' }, { name: null }]) {
      expect(read('person', body)).toEqual({ name: ['This field is required.'] })
    }
  })
  test('a source takes its title instead of a name', () => {
    expect(read('source', { title: 'Nepal Mandala' })).toMatchObject({ data: { name: 'Nepal Mandala' } })
    expect(read('source', { name: '', title: 'Nepal Mandala' })).toMatchObject({ data: { name: 'Nepal Mandala' } })
    expect(read('source', { name: 'A', title: 'B' })).toMatchObject({ data: { name: 'A' } })
    expect(read('source', { title: ' ' })).toEqual({ title: ['This field is required.'] })
    expect(read('source', {})).toEqual({ name: ['This field is required.'] })
  })
  test('a cultural entity needs name, category and description', () => {
    const required = ['This field is required.']
    expect(read('entity', {})).toEqual({ name: required, category: required, description: required })
  })
  test('a claim of a relationship may name the other record instead of a value', () => {
    expect(read('assertion', { asserted_property: 'relationship.located_in', object_entity_id: 5 })).toMatchObject({
      data: { object_entity_id: '5' },
    })
    expect(read('assertion', { property: 'height' })).toEqual({ asserted_value: ['This field is required.'] })
    expect(read('assertion', { property: 'height', value: 12 })).toMatchObject({
      data: { asserted_property: 'height', asserted_value: '12' },
    })
  })
  test('a change may leave everything out', () => {
    expect(read('structure', {}, 'change')).toMatchObject({ data: {}, cleared: [] })
  })
  test('a change empties what it sends as null or blank', () => {
    const body = {
      note: null,
      has_architectural_style: '',
      documented_in_source: [],
      latitude: null,
      longitude: null,
      condition: 'Good',
    }
    const read_ = read('structure', body, 'change')
    expect(read_).toMatchObject({ data: { condition: 'Good' } })
    expect(read_).toHaveProperty('cleared', ['note', 'architectural_style', 'coordinates', 'documented_in_source'])
  })
  test('a change cannot empty a name', () => {
    expect(read('person', { name: null }, 'change')).toEqual({ name: ['This field may not be blank.'] })
    expect(read('source', { title: '' }, 'change')).toEqual({ title: ['This field may not be blank.'] })
  })
})

describe('bodies', () => {
  test('unknown members are dropped, and so are those that the service keeps', () => {
    const body = JSON.parse(
      '{"status":"accepted","contributor":"x","id":7,"__proto__":{"note":"y"},"cultural_entity_id":"z","form_data":{"a":1}}',
    )
    expect(data('person', body)).toEqual({ name: 'x' })
  })
  test('a fault is reported under the name that was sent', () => {
    expect(data('structure', { has_architectural_style: 'Gothic', architectural_style: 'Pagoda' })).toEqual({
      has_architectural_style: [expect.stringContaining('Choose one of: Pagoda')],
    })
  })
  test('no message repeats what was sent', () => {
    const result = v.safeParse(schemaOf(kinds.person, 'create'), { name: 'secret\u0000', source_url: 'secret' })
    expect(result.issues?.map((issue) => issue.message).join()).not.toContain('secret')
  })
  test('every fault is reported at once', () => {
    expect(
      Object.keys(read('structure', { note: 3, condition: 'x', coordinates: 'x', assertion: { confidence: 'x' } })),
    ).toEqual(['name', 'note', 'coordinates', 'condition', 'assertion'])
  })
  test.for<unknown>([null, [], 'x', 3])('%j is no body', (body) => {
    expect(read('person', body)).toEqual({ non_field_errors: ['The body must be an object.'] })
  })
})

describe('provenance', () => {
  const given = (body: object) => {
    return v.parse(schemaOf(kinds.structure, 'create'), { name: 'x', ...body }).assertion
  }
  const none = { source_type: '', source_citation: '', source_url: '', confidence: 'likely', data_quality_note: '' }

  test('without a block there is no source, and the values are likely', () => {
    expect(given({})).toEqual(none)
    expect(given({ assertion: null })).toEqual(none)
  })
  test('the block is taken on every kind', () => {
    const block = {
      source_type: 'book',
      source_citation: 'Slusser 1982',
      source_url: '',
      confidence: 'certain',
      data_quality_note: 'p. 12',
    }
    for (const kind of Object.values(kinds)) {
      const required = Object.fromEntries(
        Object.entries(kind.fields)
          .filter(([, field]) => field.required)
          .map(([name]) => [name, 'other']),
      )
      expect(v.parse(schemaOf(kind, 'create'), { ...required, assertion: block }).assertion).toEqual(block)
    }
  })
  test('without a citation in the block that of the record serves', () => {
    const own = { source_citation: 'Slusser 1982', source_url: 'https://example.org/x' }
    expect(given(own)).toEqual({ ...none, ...own })
    expect(given({ ...own, assertion: { source_citation: 'Korn 1976' } })).toEqual({
      ...none,
      ...own,
      source_citation: 'Korn 1976',
    })
  })
  test('faults in the block are reported under its name', () => {
    expect(read('structure', { name: 'x', assertion: { confidence: 'sure', source_url: 'x' } })).toEqual({
      assertion: [
        expect.stringContaining('http'),
        'Not a valid choice. Choose one of: certain, likely, uncertain, speculative.',
      ],
    })
    expect(read('structure', { name: 'x', assertion: 'Slusser' })).toEqual({ assertion: ['Give an object.'] })
  })
})
