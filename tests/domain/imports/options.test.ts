import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { checkTable, csv, done, readTable, rowsIn, work, xlsx } from '../../harness/imports.ts'
import { sure } from '../../harness/make.ts'

let app: App
beforeAll(async () => {
  app = await openApp({ env: { RATE_IMPORTS: '1000/day' } })
})

const namesOf = ({ columns }: { columns: { name: string }[] }) => columns.map(({ name }) => name)
const change = async (id: string, body: object) => {
  sure(200, await app.contributor.patch(`/data/imports/${id}/`, { body }))
  await work()
  return sure(200, await app.contributor.get(`/data/imports/${id}/`))
}
/** Sends a table with options beside it, as a form does. */
async function sendWith(name: string, bytes: string | Uint8Array, options: Record<string, string>) {
  const body = new FormData()
  body.set('file', new File([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)], name))
  for (const [member, value] of Object.entries(options)) body.set(member, value)
  return app.contributor.post('/data/imports/', { body })
}
async function readWith(name: string, bytes: string | Uint8Array, options: Record<string, string>) {
  const { id } = sure(201, await sendWith(name, bytes, options))
  await work()
  return sure(200, await app.contributor.get(`/data/imports/${id}/`))
}

describe('the delimiter is guessed over the first rows', () => {
  const rows = [
    ['Name', 'Latitude', 'Longitude', 'Year built'],
    ['Aa mandir', '27,67', '85,32', '1702'],
    ['Bb mandir', '27,68', '85,33', '1703'],
  ]
  const text = (mark: string) => rows.map((cells) => cells.join(mark)).join('\n')
  test.each([
    ['semicolon', ';'],
    ['tab', '\t'],
    ['pipe', '|'],
  ])('%s, under a title line with commas, in cells with commas', async (name, mark) => {
    const it = await readTable(app.contributor, 'temples.csv', `Temples of Patan, Lalitpur, 2020\n\n${text(mark)}`)
    expect(it.options).toEqual({ delimiter: name, encoding: 'utf-8', sheet: 0, header_row: 3, given: [] })
    expect(namesOf(it)).toEqual(rows[0])
  })

  test('of headers that nobody knows, by the number of cells that most rows have', async () => {
    const table = ['Inventory, first part', 'foo;bar;baz', '1,5;a, b;x', '2,5;c;y'].join('\n')
    const it = await readTable(app.contributor, 'temples.csv', table)
    expect([it.options.delimiter, namesOf(it)]).toEqual(['semicolon', ['foo', 'bar', 'baz']])
  })

  test('a table of one column has none', async () => {
    const it = await readTable(app.contributor, 'temples.csv', 'Name\nAa mandir\nBb; Cc\nDd mandir\nEe mandir')
    expect([it.options.delimiter, namesOf(it)]).toEqual(['comma', ['Name']])
  })

  test('or given, with the file or afterwards; the file is read again', async () => {
    const table = 'Name;Note\nA|a;x\nB|b;y'
    const guessed = await readTable(app.contributor, 'temples.csv', table)
    expect([guessed.options.delimiter, namesOf(guessed)]).toEqual(['semicolon', ['Name', 'Note']])
    const changed = await change(guessed.id, { delimiter: 'pipe' })
    expect(changed.options).toMatchObject({ delimiter: 'pipe', given: ['delimiter'] })
    expect(changed.state).toBe('read')
    expect(changed.columns[0].name).not.toBe('Name')
    const given = await readWith('temples.csv', table, { delimiter: 'pipe' })
    expect(given.options).toEqual(changed.options)
    expect(namesOf(given)).toEqual(namesOf(changed))
    const back = await change(guessed.id, { delimiter: 'semicolon', header_row: 1 })
    expect(back.options).toMatchObject({ delimiter: 'semicolon', given: ['delimiter', 'header_row'] })
  })

  test('a file that cannot be read with one may be read with another', async () => {
    const table = 'Name;Note\n"A";"x\nB;y'
    const it = await readTable(app.contributor, 'temples.csv', table)
    expect(it.state).toBe('failed')
    expect(it.failed).toBe('The table cannot be read in line 3: a quotation mark is not closed.')
    const again = await change(it.id, { delimiter: 'comma' })
    expect([again.state, again.failed, namesOf(again)]).toEqual(['read', null, ['Name;Note']])
  })
})

describe('the encoding', () => {
  const latin = Buffer.from('Name,Note\nCaf\xe9,x', 'latin1')
  test('is guessed, also UTF-16 without a mark', async () => {
    const wide = Buffer.from('Name,Note\nAa mandir,x', 'utf16le')
    const it = await readTable(app.contributor, 'temples.csv', wide)
    expect([it.options.encoding, namesOf(it)]).toEqual(['utf-16', ['Name', 'Note']])
    const swapped = await readTable(app.contributor, 'temples.csv', Buffer.from(wide).swap16())
    expect([swapped.options.encoding, namesOf(swapped)]).toEqual(['utf-16', ['Name', 'Note']])
    expect((await readTable(app.contributor, 'temples.csv', latin)).options.encoding).toBe('windows-1252')
  })

  test('or given; a file that is not in it fails, and may be read again', async () => {
    const it = await readWith('temples.csv', latin, { encoding: 'utf-8' })
    expect([it.state, it.failed]).toEqual(['failed', 'The file is not in UTF-8.'])
    const again = await change(it.id, { encoding: 'windows-1252' })
    expect([again.state, again.failed, again.columns[0].samples]).toEqual(['read', null, ['Café']])
  })
})

describe('the header row', () => {
  test('of two is the lower one that names fields, even if it names fewer', async () => {
    const table = csv([
      ['Name of monument', 'Location', 'Description', 'Source'],
      ['Name', 'Latitude', 'Longitude', 'KVPT'],
      ['A', 27.7, 85.3, 'x'],
    ])
    const it = await readTable(app.contributor, 'temples.csv', table)
    expect([it.options.header_row, namesOf(it)]).toEqual([2, ['Name', 'Latitude', 'Longitude', 'KVPT']])
  })

  test('with many headers of one’s own is found below a row of groups', async () => {
    const table = csv([
      ['Identity', '', '', 'Survey', '', '', ''],
      ['Name', 'KVPT code', 'Ward chief', 'Surveyor', 'Phase', 'Latitude', 'Longitude'],
      ['A', 'k1', 'w', 's', 'p', 27.7, 85.3],
      ['B', 'k2', 'w', 's', 'p', 27.7, 85.3],
    ])
    const it = await readTable(app.contributor, 'temples.csv', table)
    expect([it.options.header_row, it.mapping.rules.length]).toEqual([2, 3])
  })

  test('takes from the headers above it what it leaves empty', async () => {
    const table = csv([
      ['Name', 'Coordinates', '', 'Year built'],
      ['', 'Latitude', 'Longitude', ''],
      ['A', 27.7, 85.3, 1702],
    ])
    const it = await readTable(app.contributor, 'temples.csv', table)
    expect(namesOf(it)).toEqual(['Name', 'Latitude', 'Longitude', 'Year built'])
    expect(await checkTable(app.contributor, 'temples.csv', table)).toMatchObject({ counts: { new: 1 } })
  })

  test('is found far down, and may be given', async () => {
    const table = csv([
      ...Array.from({ length: 30 }, (_, i) => [`Line ${i} of a preface`]),
      ['Name', 'Note'],
      ['A', 'x'],
    ])
    const it = await readTable(app.contributor, 'temples.csv', table)
    expect([it.options.header_row, namesOf(it)]).toEqual([31, ['Name', 'Note']])
    const changed = await change(it.id, { header_row: 32 })
    expect(changed.options).toMatchObject({ header_row: 32, given: ['header_row'] })
    expect(namesOf(changed)).toEqual(['A', 'x'])
    expect((await readWith('temples.csv', table, { header_row: '32' })).options).toEqual(changed.options)
  })
})

describe('the sheet', () => {
  const book = async () => {
    const { writeXlsx } = await import('hucre/xlsx')
    return writeXlsx({
      sheets: [
        {
          name: 'Read me',
          rows: [
            ['Field', 'Meaning'],
            ['Name', 'The name'],
            ['Condition', 'The state'],
          ],
        },
        {
          name: 'Data',
          rows: [
            ['Name', 'Condition'],
            ['A', 'Fair'],
          ],
        },
        {
          name: 'More',
          rows: [
            ['Name', 'Note'],
            ['B', 'y'],
          ],
        },
      ],
    })
  }
  test('is the first with a table; notes are never chosen beside one', async () => {
    expect((await readTable(app.contributor, 'temples.xlsx', await book())).options.sheet).toBe(1)
    const alone = await readTable(app.contributor, 'temples.xlsx', await xlsx([['Name'], ['A']], 'Notes'))
    expect([alone.state, alone.options.sheet]).toEqual(['read', 0])
  })

  test('may be given, with the file or afterwards', async () => {
    const given = await readWith('temples.xlsx', await book(), { sheet: '2' })
    expect([given.options.sheet, given.options.given, namesOf(given)]).toEqual([2, ['sheet'], ['Name', 'Note']])
    const guessed = await readTable(app.contributor, 'temples.xlsx', await book())
    expect((await change(guessed.id, { sheet: 2 })).options).toEqual(given.options)
    const none = await readWith('temples.xlsx', await book(), { sheet: '7' })
    expect([none.state, none.failed]).toEqual(['failed', 'There is no sheet 7.'])
  })
})

test('options that do not fit are refused by name', async () => {
  const refusal = async (name: string, bytes: string | Uint8Array, options: Record<string, string>) => {
    const { status, body } = await sendWith(name, bytes, options)
    return [status, body]
  }
  const wrong = 'Not a valid choice. Choose one of: comma, semicolon, tab, pipe.'
  expect(await refusal('a.csv', 'Name', { delimiter: 'colon' })).toEqual([400, { delimiter: [wrong] }])
  expect(await refusal('a.csv', 'Name', { sheet: 'x' })).toEqual([400, { sheet: ['Give a whole number.'] }])
  const bytes = await xlsx([['Name'], ['A']])
  const noDelimiter = { delimiter: ['Only a table in text has a delimiter.'] }
  expect(await refusal('a.xlsx', bytes, { delimiter: 'comma' })).toEqual([400, noDelimiter])
  const it = await readTable(app.contributor, 'a.xlsx', bytes)
  const answer = await app.contributor.patch(`/data/imports/${it.id}/`, { body: { encoding: 'utf-8' } })
  expect([answer.status, answer.body]).toEqual([
    400,
    { encoding: ['Only the encoding of a CSV or TSV file is chosen.'] },
  ])
  const text = await checkTable(app.contributor, 'a.csv', csv([['Name'], [`Option ${crypto.randomUUID()}`]]))
  await done(app.contributor, text.id, 'run')
  const late = await app.contributor.patch(`/data/imports/${text.id}/`, { body: { delimiter: 'tab' } })
  expect([late.status, late.body]).toEqual([409, { detail: 'The file of an import that has run is not read again.' }])
  const stranger = await app.other.patch(`/data/imports/${text.id}/`, { body: { delimiter: 'tab' } })
  expect(stranger.status).toBe(404)
})

test('formulas without stored values are empty, and named as such', async () => {
  const { unzipSync, zipSync, strFromU8, strToU8 } = await import('fflate')
  const parts = unzipSync(
    await xlsx([
      ['Name', 'Year built', 'Note'],
      ['A', 1702, 'x'],
      ['B', 1703, 'y'],
    ]),
  )
  const sheet = 'xl/worksheets/sheet1.xml'
  const xml = strFromU8(parts[sheet] ?? new Uint8Array())
    .replace('<v>1702</v>', '<f>1700+2</f>')
    .replace('<v>1703</v>', '<f>1700+3</f><v>1703</v>')
  const it = await readTable(app.contributor, 'temples.xlsx', zipSync({ ...parts, [sheet]: strToU8(xml) }))
  expect(it.sheets[0]).toMatchObject({ formulas: 2, formulas_without_values: 1 })
  expect(it.columns[1]).toMatchObject({ filled: 1, samples: ['1703'] })
  expect(it.told).toEqual([
    '1 cells hold formulas: the values that they had were taken.',
    '1 cells hold formulas without stored values: they are empty here. Open the file in a spreadsheet program and save it, then send it again.',
  ])
})

test('cells merged over rows give their value to each of these rows', async () => {
  const { writeXlsx } = await import('hucre/xlsx')
  const rows = [
    ['Name', 'Location'],
    ['A', 'Patan'],
    ['B', null],
    ['C', null],
    ['D', 'Thimi'],
  ]
  const bytes = await writeXlsx({
    sheets: [{ name: 'A', rows, merges: [{ startRow: 1, startCol: 1, endRow: 3, endCol: 1 }] }],
  })
  const it = await readTable(app.contributor, 'temples.xlsx', bytes)
  expect(it.columns[1]).toMatchObject({ filled: 4, samples: ['Patan', 'Thimi'] })
  expect(it.told).toEqual([
    '1 ranges of cells are merged over several rows: the value was put into each of these rows.',
  ])
})

test('a line without an object in JSON is refused alone', async () => {
  const table = ['{"name": "Aa line"}', '{"name": ', '["x"]', '{"name": "Bb line"}'].join('\n')
  const it = await checkTable(app.contributor, 'temples.jsonl', table)
  expect(it.counts).toMatchObject({ new: 2, refused: 2 })
  expect(it.told).toContain('Lines without an object in JSON: 2. Each of them is refused.')
  const rows = await rowsIn(app.contributor, it.id, { outcome: 'refused' })
  expect(rows.map(({ row, faults }: { row: number; faults: object[] }) => [row, faults])).toEqual([
    [3, [{ field: '', column: null, value: '{"name":', message: 'This line has no object in JSON.' }]],
    [4, [{ field: '', column: null, value: '["x"]', message: 'This line has no object in JSON.' }]],
  ])
})

test('half a character in a cell is refused by its cell, and in a header it is replaced', async () => {
  const table = [
    '{"name": "Half \\ud83d one", "note\\udc00": "x"}',
    '{"name": "Cc mandir", "alternate_names": ["a", "b\\ud83d"]}',
    '{"name": "Dd mandir", "source_citation": "\\udc00 book"}',
    '{"name": "Whole \\ud83d\\uded5 one"}',
  ].join('\n')
  const it = await checkTable(app.contributor, 'temples.jsonl', table, {
    mapping: {
      kind: 'structure',
      rules: [
        { field: 'name', column: 'name' },
        { field: 'alternate_names', column: 'alternate_names' },
      ],
      assertion: [{ member: 'source_citation', column: 'source_citation' }],
    },
  })
  expect(it.counts).toMatchObject({ refused: 3, new: 1 })
  expect(namesOf(it)[1]).toBe('note\ufffd')
  const rows = await rowsIn(app.contributor, it.id, { outcome: 'refused' })
  expect(rows.map(({ faults }: { faults: { field: string; message: string }[] }) => faults[0]?.field)).toEqual([
    'name',
    'alternate_names',
    'assertion.source_citation',
  ])
  expect(rows[0].faults[0].message).toBe('The text has half of a character. Type it again.')
  expect(await done(app.contributor, it.id, 'run')).toMatchObject({ made: { created: 1, failed: 0 } })
})

test('a list of a shop is told to be one', async () => {
  const shop = csv([
    ['Article', 'Price', 'Quantity', 'Description'],
    ['Soap', 30, 4, 'green'],
    ['Rice', 90, 2, 'white'],
  ])
  const told =
    'Hardly anything in this table tells of heritage: no column is a date, a place, a type or a link. Is it the right table?'
  expect((await readTable(app.contributor, 'stock.csv', shop)).told).toContain(told)
  const plain = csv([
    ['Name', 'Description', 'Note'],
    ['Kubera', 'god of wealth', 'x'],
  ])
  expect((await readTable(app.contributor, 'deities.csv', plain)).told).not.toContain(told)
})

test('a mapping with a fault is told which member it is', async () => {
  const { id } = await readTable(app.contributor, 'temples.csv', 'Name,Note\nAn old hall,x\n')
  const rules = [{ field: 'name', column: 'Name' }]
  const faultsOf = async (mapping: unknown) => {
    const { status, body } = await app.contributor.patch(`/data/imports/${id}/`, { body: { mapping } })
    expect(status).toBe(400)
    return body.mapping
  }
  expect(await faultsOf({ kind: 'nope', rules })).toEqual({ kind: [expect.stringMatching(/^Not a valid choice\./)] })
  expect(await faultsOf({ kind: 'structure', match: 'by_magic', rules })).toEqual({
    match: ['Not a valid choice. Choose one of: id, identifier, name_and_place, none.'],
  })
  expect(await faultsOf({})).toEqual({ kind: ['This field is required.'], rules: ['This field is required.'] })
  expect(await faultsOf(7)).toEqual(['Give a mapping, or the name of one that is kept.'])
})
