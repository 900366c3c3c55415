import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { archive } from '../../harness/archive.ts'
import { withFault } from '../../harness/faults.ts'
import { checkTable, csv, done, readTable, rowsIn, sendTable, work, xlsx } from '../../harness/imports.ts'
import { sure } from '../../harness/make.ts'

let app: App
beforeAll(async () => {
  app = await openApp({ env: { RATE_IMPORTS: '1000/day', RATE_IMPORT_ROWS: '3/day' } })
})

const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex')

const relation = (type: string, target: string) =>
  `<Relationships><Relationship Id="r1" Type="http://x/${type}" Target="${target}"/></Relationships>`
/** The part that says as what the workbook reads another one. */
const related = (type: string, target: string) => ({ 'xl/_rels/workbook.xml.rels': relation(type, target) })

const book = { 'xl/workbook.xml': '<workbook><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>' }

describe('a file that is refused at once', () => {
  test.each([
    ['table.csv', '', 'The file is empty.'],
    ['table.ods', 'x', 'The file is no ODS workbook.'],
    ['table.xls', 'x', 'The workbook is in the format of Excel 97 to 2003. Save it as .xlsx.'],
    ['table.xlsm', 'x', 'The workbook may carry macros. Save it as .xlsx, without them.'],
    ['table', 'x', 'The name must end in .csv, .tsv, .txt, .xlsx, .ods or .jsonl.'],
    ['table.xlsx', 'name\r\nx', 'The file is no XLSX workbook.'],
    ['table.csv', 'PK\u0003\u0004', 'The file is a workbook, and its name ends neither in .xlsx nor in .ods.'],
  ])('%s', async (name, bytes, message) => {
    const answer = await sendTable(app.contributor, name, bytes)
    expect([answer.status, answer.body]).toEqual([400, { file: [message] }])
  })
})

describe('a file of which the worker says what is wrong', () => {
  const bomb = () => archive({ ...book, 'xl/worksheets/sheet1.xml': new Uint8Array(450 * 1024 * 1024) })
  // A file of some hundred KB that would hold gigabytes of memory: many tiny texts, under any name, many sheets, one endless row.
  const many = (tag: string, bytes: number) => Buffer.alloc(bytes, tag)
  const texts = (name: string) => () =>
    archive({ ...book, ...related('sharedStrings', name), [`xl/${name}`]: many('<si><t/></si>', 60_000_000) })
  const sheets = () => archive({ 'xl/workbook.xml': many('<sheet name="A"/>', 40_000_000) })
  const endless = Buffer.concat([Buffer.from('<row>'), many('<c/>', 40_000_000)])
  const row = () => archive({ ...book, ...related('worksheet', 'odd/a.xml'), 'xl/odd/a.xml': endless })
  // One text of 30,000 characters that 50,000 cells name.
  const sameText = async () =>
    xlsx(Array.from({ length: 500 }, () => Array.from({ length: 100 }, () => 'x'.repeat(30_000))))
  const elsewhere = () =>
    archive({ ...book, '_rels/.rels': relation('officeDocument', 'xl/other.xml'), 'xl/other.xml': '' })
  test.each<[string, () => string | Uint8Array | Promise<Uint8Array>, string]>([
    ['empty.csv', () => '\r\n\r\n', 'The table is empty.'],
    ['empty.xlsx', () => xlsx([]), 'The table is empty.'],
    ['broken.xlsx', () => Buffer.from('PK\u0003\u0004 and no more'), 'The file is no workbook, or is damaged.'],
    ['other.xlsx', () => archive({ 'a.txt': 'x' }), 'The file is no XLSX workbook.'],
    [
      'locked.xlsx',
      () => Buffer.concat([COMPOUND, Buffer.alloc(500), Buffer.from('EncryptedPackage', 'utf16le')]),
      'The workbook is encrypted. Remove its password and send it again.',
    ],
    [
      'old.xlsx',
      () => Buffer.concat([COMPOUND, Buffer.alloc(500)]),
      'The workbook is in the format of Excel 97 to 2003. Save it as .xlsx.',
    ],
    [
      'macros.xlsx',
      () => archive({ ...book, 'xl/vbaProject.bin': 'x' }),
      'The workbook carries macros. Save it as .xlsx, without them.',
    ],
    ['bomb.xlsx', bomb, 'The workbook is packed too tightly to be sound.'],
    ['texts.xlsx', texts('sharedStrings.xml'), 'The workbook has more than 2000000 texts. Split it.'],
    ['hidden-texts.xlsx', texts('odd/texts.xml'), 'The workbook has more than 2000000 texts. Split it.'],
    ['two-books.xlsx', elsewhere, 'The file is no XLSX workbook.'],
    ['sheets.xlsx', sheets, 'The workbook is packed too tightly to be sound.'],
    ['row.xlsx', row, 'The workbook is packed too tightly to be sound.'],
    ['same-text.xlsx', sameText, 'The rows up to 18 hold more text than a table may. Send it in parts.'],
    ['lines.jsonl', () => '\n{"name": \n["x"]', 'Line 2 has no object in JSON.'],
    ['nothing.jsonl', () => '{}\n', 'The table is empty.'],
    [
      'latin.jsonl',
      () => Buffer.from('{"name": "Caf\xe9"}', 'latin1'),
      'JSON Lines are written in UTF-8, and this file is not.',
    ],
    ['zeros.csv', () => 'name\u0000\r\nx', 'The file is no text: it holds bytes of zero.'],
    ['quotes.csv', () => 'name,note\r\nx,"open', 'The table cannot be read in line 2: a quotation mark is not closed.'],
    [
      'wide.csv',
      () => Array.from({ length: 1001 }, (_, i) => `c${i}`).join(','),
      'The table has more than 1000 columns.',
    ],
    ['long.csv', () => `name\r\n${'x\r\n'.repeat(20_001)}`, 'The table has more than 20000 rows. Send it in parts.'],
  ])('%s', async (name, bytes, message) => {
    const it = await readTable(app.contributor, name, await bytes())
    expect([it.state, it.failed]).toEqual(['failed', message])
    const again = await app.contributor.post(`/data/imports/${it.id}/check/`)
    expect([again.status, again.body]).toEqual([409, { detail: 'An import that is failed cannot do this.' }])
  })
})

test('a large part that no reader of rows holds is no fault: the order in which Excel calculates', async () => {
  const { unzipSync, zipSync } = await import('fflate')
  const parts = unzipSync(await xlsx([['Name'], ['Shrine']]))
  const bytes = zipSync({ ...parts, 'xl/calcChain.xml': Buffer.alloc(5_000_000, '<c r="A1"/>') })
  const it = await readTable(app.contributor, 'formulas.xlsx', bytes)
  expect([it.state, it.columns.map(({ name }: { name: string }) => name)]).toEqual(['read', ['Name']])
})

test('a file that ends its worker three times is given up with a sentence', async () => {
  const { get, put, withNextVersion } = await import('../../../lib/engines/table/index.ts')
  const { runUnit } = await import('../../../lib/engines/table/immediate.ts')
  const { importItem } = await import('../../../lib/domain/imports/items.ts')
  const { id } = sure(201, await sendTable(app.contributor, 'heavy.csv', 'name\r\nx'))
  const load = async () => (await get(importItem, { id })) ?? expect.fail('the import is gone')
  const endLease = async () => {
    const it = await load()
    const ended = it.work && { ...it.work, held_until: '2020-01-01T00:00:00.000Z' }
    await runUnit((unit) => unit.add([put(importItem, withNextVersion(it, { work: ended }), it)]))
  }
  for (let death = 1; death <= 3; death += 1) {
    // The first write of a worker takes the task. Its process ends right after that.
    expect(await withFault(0, 'killed after', work, 'every write')).toBe(true)
    expect((await load()).work?.takes).toBe(death)
    await endLease()
  }
  await work()
  const it = sure(200, await app.contributor.get(`/data/imports/${id}/`))
  expect([it.state, it.failed, (await load()).work]).toEqual([
    'failed',
    'The process that worked on this ended three times. The file is probably too large for it.',
    null,
  ])
})

test('a file that may have ended its worker is worked on alone, so that no other ends with it', async () => {
  const { get, put, withNextVersion } = await import('../../../lib/engines/table/index.ts')
  const { runUnit } = await import('../../../lib/engines/table/immediate.ts')
  const { importItem } = await import('../../../lib/domain/imports/items.ts')
  const ids: string[] = []
  for (const name of ['heavy.csv', 'light.csv'])
    ids.push(sure(201, await sendTable(app.contributor, name, 'name\r\nx')).id)
  const load = async (id: string) => (await get(importItem, { id })) ?? expect.fail('the import is gone')
  const takes = () => Promise.all(ids.map(async (id) => (await load(id)).work?.takes))
  const endLeases = async () => {
    for (const it of await Promise.all(ids.map(load))) {
      const ended = it.work && { ...it.work, held_until: '2020-01-01T00:00:00.000Z' }
      await runUnit((unit) => unit.add([put(importItem, withNextVersion(it, { work: ended }), it)]))
    }
  }
  // Both are in hand when the process ends.
  for (const id of ids) {
    const it = await load(id)
    const taken = it.work && { ...it.work, takes: 1 }
    await runUnit((unit) => unit.add([put(importItem, withNextVersion(it, { work: taken }), it)]))
  }
  await endLeases()
  await withFault(1, 'killed after', work, 'every write')
  expect((await takes()).sort()).toEqual([1, 2])
  await endLeases()
  await work()
  expect(await takes()).toEqual([undefined, undefined])
  for (const id of ids) expect(sure(200, await app.contributor.get(`/data/imports/${id}/`)).state).toBe('read')
})

describe('what is decided is told', () => {
  test('letters, marks and line ends of every sort', async () => {
    const latin = Buffer.concat([Buffer.from('name;note\r\nCaf'), Buffer.from([0xe9]), Buffer.from(';x\nB;y\rC;z')])
    const it = await readTable(app.contributor, 'temples.csv', latin)
    expect(it.told).toEqual([
      'The file is in Windows-1252; it was read as such.',
      'The cells are parted by semicolons.',
    ])
    expect(it.columns[0]).toMatchObject({ name: 'name', filled: 3, samples: ['Café', 'B', 'C'] })
    const marked = await readTable(app.contributor, 'temples.tsv', '\uFEFFname\tनाम\nx\tय')
    expect(marked.columns.map(({ name }: { name: string }) => name)).toEqual(['name', 'नाम'])
  })

  test('formulas, merged cells, hidden sheets, a title above the headers, and a column twice', async () => {
    const { writeXlsx } = await import('hucre/xlsx')
    const rows = [['Temples of Patan'], ['Name', 'Note', 'Note'], ['A', 'p', 'q']]
    const bytes = await writeXlsx({
      sheets: [
        { name: 'Hidden', hidden: true, rows: [['a']] },
        {
          name: 'Temples',
          rows,
          merges: [{ startRow: 0, startCol: 0, endRow: 0, endCol: 2 }],
          cells: new Map([['2,1', { value: 'P', formula: 'UPPER("p")', formulaResult: 'P' }]]),
        },
      ],
    })
    const it = await readTable(app.contributor, 'temples.xlsx', bytes)
    expect(it.mapping).toMatchObject({ sheet: 1, header_row: 2 })
    expect(it.told).toEqual([
      'The workbook has 2 sheets: "Temples" was taken.',
      '1 of the sheets is hidden, and not taken unless asked for.',
      '1 cells hold formulas: the values that they had were taken.',
      '1 ranges of cells are merged: the value stands in the first cell of each.',
      'The headers were found in row 2; what stands above them is left out.',
      'There is more than one column "Note": a further one is called "Note (2)".',
    ])
  })

  test('rows and columns that are hidden in a workbook', async () => {
    const { strFromU8, strToU8, unzipSync, zipSync } = await import('fflate')
    const parts = unzipSync(
      await xlsx([
        ['Name', 'Owner', 'Note'],
        ['A', '98510', 'p'],
        ['B', '98511', 'q'],
      ]),
    )
    const sheet = 'xl/worksheets/sheet1.xml'
    const edit = (from: RegExp, to: string) => {
      parts[sheet] = strToU8(strFromU8(parts[sheet] ?? new Uint8Array()).replace(from, to))
    }
    edit(/<cols>.*<\/cols>/, '')
    edit(
      /<sheetData>/,
      '<cols><col min="2" max="2" width="9" hidden="1"/><col min="9" max="16384" hidden="1"/></cols>$&',
    )
    edit(/<\/sheetData>/, '<row r="4" hidden="1"/>$&')
    const rowsAreRead = 'Rows that are hidden in the workbook, by hand or by a filter, were read as well.'
    const columnsAreRead =
      'Columns that are hidden in the workbook were read as well: B. Take them out of the mapping if they are not for others.'
    const empty = await readTable(app.contributor, 'owners.xlsx', zipSync(parts))
    expect(empty.told).toContain(columnsAreRead)
    expect(empty.told).not.toContain(rowsAreRead)
    edit(/<row r="3"/, '<row r="3" hidden="1"')
    expect((await readTable(app.contributor, 'owners.xlsx', zipSync(parts))).told).toContain(rowsAreRead)
  })

  test.each([
    ['of groups above those of columns', ['Identification', '', 'Position', '']],
    ['in two languages', ['नाम', 'टिप्पणी', 'अक्षांश', 'देशान्तर']],
  ])('two rows of headers, %s', async (_, above) => {
    const table = csv([above, ['Name', 'Note', 'Latitude', 'Longitude'], ['A', 'x', 27.7, 85.3]])
    const it = await readTable(app.contributor, 'temples.csv', table)
    expect(it.mapping.header_row).toBe(2)
    expect(it.told).toEqual(['The headers were found in row 2; what stands above them is left out.'])
    expect(it.columns.map(({ name, filled }: { name: string; filled: number }) => [name, filled])).toEqual([
      ['Name', 1],
      ['Note', 1],
      ['Latitude', 1],
      ['Longitude', 1],
    ])
  })

  test('scripts and digits of both kinds in one column', async () => {
    const table = csv([
      ['Name', 'Year built', 'Latitude', 'Longitude'],
      ['Patan Dhoka', '1702', '27.67', '85.32'],
      ['पाटन ढोका', '१७०२', '२७.६८', '८५.३३'],
    ])
    const it = await checkTable(app.contributor, 'temples.csv', table)
    expect(it.counts).toMatchObject({ new: 2, refused: 0 })
  })

  test('a thousand columns', async () => {
    const head = ['Name', ...Array.from({ length: 999 }, (_, i) => `c${i}`)]
    const it = await checkTable(app.contributor, 'temples.csv', csv([head, head.map((name) => `v ${name}`)]))
    expect([it.columns.length, it.failed, it.counts.new]).toEqual([1000, null, 1])
  })

  test.each(['1900', '1904'] as const)('days that a workbook counts from %s', async (dateSystem) => {
    const { writeXlsx } = await import('hucre/xlsx')
    const rows = [
      ['Name', 'Built'],
      ['A', new Date('1934-01-15T00:00:00Z')],
    ]
    const it = await readTable(
      app.contributor,
      'temples.xlsx',
      await writeXlsx({ dateSystem, sheets: [{ name: 'A', rows }] }),
    )
    expect(it.columns[1].samples).toEqual(['1934-01-15'])
  })
})

test('a row that is refused says which cell, which values would be taken, and which is near', async () => {
  const table = csv([
    ['Name', 'Existence status', 'Coordinates', 'Source address'],
    ['A', 'Extent', '27.7, 85.3', 'https://x.example'],
    ['', 'Extant', '95, 200', 'x.example'],
  ])
  const it = await checkTable(app.contributor, 'temples.csv', table)
  expect(it.counts).toMatchObject({ refused: 2, new: 0 })
  const [first, second] = await rowsIn(app.contributor, it.id, { outcome: 'refused' })
  expect(first.faults).toEqual([
    expect.objectContaining({
      field: 'existence_status',
      column: 'Existence status',
      value: 'Extent',
      nearest: 'Extant',
    }),
  ])
  expect(first.faults[0].legal).toContain('Extant')
  expect(second.faults.map(({ column }: { column: string }) => column).sort()).toEqual([
    'Coordinates',
    'Name',
    'Source address',
  ])
  expect(await done(app.contributor, it.id, 'run')).toMatchObject({ made: { created: 0, left: 2 }, waiting: 0 })
})

test('a mapping of columns or fields that there are not is refused by name', async () => {
  const it = await readTable(app.contributor, 'temples.csv', csv([['Name'], ['A']]))
  const mapping = {
    kind: 'structure',
    rules: [
      { field: 'nme', column: 'Name' },
      { field: 'note', column: 'Nme' },
    ],
  }
  const answer = await app.contributor.patch(`/data/imports/${it.id}/`, { body: { mapping } })
  expect([answer.status, answer.body]).toEqual([
    400,
    {
      mapping: [
        'Architectural Structure has no field nme. Did you mean name?',
        'There is no column "Nme". Did you mean Name?',
        'Say which column is the name: no architectural structure is without one.',
      ],
    },
  ])
})

test('more rows than a day allows do not run, and nothing is written', async () => {
  const table = csv([['Name'], ...['Aa', 'Bb', 'Cc', 'Dd'].map((name) => [`Limit ${name}`])])
  const it = await checkTable(app.other, 'temples.csv', table)
  const answer = await app.other.post(`/data/imports/${it.id}/run/`, { body: {} })
  expect(answer.status).toBe(429)
  await work()
  expect(sure(200, await app.other.get(`/data/imports/${it.id}/`))).toMatchObject({ state: 'checked', waiting: 0 })
})

test('look-alikes are found within the table, and the same thing twice', async () => {
  const table = csv([
    ['Name', 'Identifier', 'Latitude', 'Longitude'],
    ['Yaksheshvara Mandir', 'a:1', 27.6722, 85.4279],
    ['Yaksheshwara Temple', 'a:2', 27.6722, 85.4279],
    ['Another name altogether', 'a:1', '', ''],
  ])
  const it = await checkTable(app.contributor, 'temples.csv', table)
  expect(it.counts).toMatchObject({ new: 1, doubtful: 2 })
  const [one, two] = await rowsIn(app.contributor, it.id, { outcome: 'doubtful' })
  expect(one.alike).toEqual([expect.objectContaining({ row: 2, how: 'same_name' })])
  expect(two.alike).toEqual(expect.arrayContaining([expect.objectContaining({ row: 2, how: 'same_identity' })]))
})

test('a file whose import cannot be written does not stay', async () => {
  const [{ listKeys }, { clock }] = await Promise.all([
    import('../../../lib/engines/bucket/blobs.ts'),
    import('../../../lib/base/clock.ts'),
  ])
  // Other tests put files into the same bucket meanwhile: only names that are given out here count.
  const given = new Set<string>()
  const { uuid } = clock
  clock.uuid = () => {
    const id = uuid()
    given.add(id)
    return id
  }
  const kept = async () =>
    (await listKeys('imports/')).filter((key) => key.split('/').some((part) => given.has(part))).length
  const before = await kept()
  let refused = 0
  for (let nth = 0, hit = true; hit; nth += 1) {
    const size = await kept()
    let status = 0
    hit = await withFault(
      nth,
      'failed',
      async () => {
        status = (await sendTable(app.contributor, 'fault.csv', 'name\r\nShrine')).status
      },
      'every write',
    )
    if (status !== 201) refused += 1
    expect([nth, (await kept()) - size]).toEqual([nth, status === 201 ? 1 : 0])
  }
  clock.uuid = uuid
  expect(refused).toBeGreaterThan(1)
  expect(await kept()).toBeGreaterThan(before)
})

describe('a file that changes', () => {
  const first = csv([['Name'], [`First ${crypto.randomUUID()}`]])
  const other = csv([['Name'], ['Other']])
  const stored = async (id: string) => {
    const { loadImport } = await import('../../../lib/domain/imports/imports.ts')
    return sureOf(await loadImport(id))
  }
  const sureOf = <T>(it: T | undefined): T => {
    if (it === undefined) throw new Error('There is no such import.')
    return it
  }
  const put = async (key: string | null, text: string) => {
    const { putObject } = await import('../../../lib/engines/bucket/blobs.ts')
    await putObject(key ?? '', Buffer.from(text), 'application/octet-stream')
  }
  const rowNames = async (id: string) => (await rowsIn(app.staff, id)).map(({ name }: { name: string }) => name)

  test('after it was sent is refused by its digest', async () => {
    const { id } = sure(201, await sendTable(app.curator, 'temples.csv', first))
    await put((await stored(id)).object_key, other)
    await work()
    const it = sure(200, await app.curator.get(`/data/imports/${id}/`))
    expect([it.state, it.failed]).toEqual(['failed', 'The file is not what was sent.'])
  })

  test('between mapping and run changes nothing of what was read', async () => {
    const it = await checkTable(app.curator, 'temples.csv', first)
    await put((await stored(it.id)).object_key, other)
    expect(await done(app.curator, it.id, 'run')).toMatchObject({ made: { created: 1 }, failed: null })
    expect(await rowNames(it.id)).toEqual([expect.stringMatching(/^First /)])
  })

  test('where its sender has put it stays what was taken of it', async () => {
    const body = { file_name: 'temples.csv', size: Buffer.byteLength(first), sha256: '' }
    body.sha256 = (await import('node:crypto')).createHash('sha256').update(first).digest('hex')
    const { import_id } = sure(201, await app.curator.post('/data/imports/uploads/', { body }))
    const { pending_key } = await stored(import_id)
    await put(pending_key, first)
    sure(200, await app.curator.post(`/data/imports/uploads/${import_id}/complete/`))
    await put(pending_key, other)
    await work()
    sure(200, await app.curator.post(`/data/imports/${import_id}/check/`))
    await work()
    expect(await rowNames(import_id)).toEqual([expect.stringMatching(/^First /)])
  })

  test('before it is taken is refused, and may be sent again', async () => {
    const sha256 = (await import('node:crypto')).createHash('sha256').update(first).digest('hex')
    const body = { file_name: 'temples.csv', size: Buffer.byteLength(first), sha256 }
    const { import_id } = sure(201, await app.curator.post('/data/imports/uploads/', { body }))
    const { pending_key } = await stored(import_id)
    await put(pending_key, first.replace('First', 'Ferst'))
    const answer = await app.curator.post(`/data/imports/uploads/${import_id}/complete/`)
    expect([answer.status, answer.body]).toEqual([400, { file: ['The file is not the one that was announced.'] }])
    await put(pending_key, first)
    sure(200, await app.curator.post(`/data/imports/uploads/${import_id}/complete/`))
  })
})
