import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { archive } from '../../harness/archive.ts'
import { readTable, rowsIn, sendTable } from '../../harness/imports.ts'
import { sure } from '../../harness/make.ts'

let app: App
beforeAll(async () => {
  app = await openApp({ env: { RATE_IMPORTS: '1000/day' } })
})

const cell = (text: string, attributes = '') =>
  `<table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell>`
const row = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`
const sheet = (rows: string, attributes = 'table:name="A"') => `<table:table ${attributes}>${rows}</table:table>`
/** What LibreOffice writes behind the last row: all rows that a sheet may have, in one element. */
const EMPTY_REST =
  '<table:table-row table:number-rows-repeated="1048570"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
const content = (sheets: string, styles = '') =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<office:document-content><office:scripts/><office:automatic-styles>${styles}</office:automatic-styles>` +
  `<office:body><office:spreadsheet>${sheets}</office:spreadsheet></office:body></office:document-content>`
const workbook = (xml: string, parts: Record<string, string> = {}) =>
  archive({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', ...parts, 'content.xml': xml })

/** The rows of a workbook, as the reader gives them. */
async function readRows(bytes: Uint8Array) {
  const { readOpenDocument } = await import('../../../lib/domain/imports/formats/open-document.ts')
  const sheets: { name: string; rows: [number, string[]][] }[] = []
  for await (const { facts, rows } of readOpenDocument(Buffer.from(bytes))) {
    const taken: [number, string[]][] = []
    for await (const it of rows) taken.push(it)
    sheets.push({ name: facts.name, rows: taken })
  }
  return sheets
}
const cellsIn = async (...cells: string[]) => (await readRows(workbook(content(sheet(row(...cells))))))[0]?.rows[0]?.[1]

describe('a cell', () => {
  test.each<[string, string, string]>([
    ['a text', cell('Patan'), 'Patan'],
    ['a text with marks of XML', cell('Tom &amp; &#x915;&#2326; &lt;b&gt;'), 'Tom & कख <b>'],
    [
      'a text in pieces',
      cell('Krishna <text:span>Mandir</text:span><text:s text:c="2"/><text:a>x</text:a>'),
      'Krishna Mandir  x',
    ],
    [
      'lines',
      '<table:table-cell><text:p>a<text:line-break/>b</text:p><text:p>c</text:p></table:table-cell>',
      'a\nb\nc',
    ],
    ['a whole number', cell('1,702', 'office:value-type="float" office:value="1702"'), '1702'],
    ['a number of an inventory', cell('00007', 'office:value-type="float" office:value="7"'), '00007'],
    [
      'a number of binary arithmetic',
      cell('0.3', 'office:value-type="float" office:value="0.30000000000000004"'),
      '0.3',
    ],
    [
      'a number with a decimal comma in sight',
      cell('27,6722', 'office:value-type="float" office:value="27.6722"'),
      '27.6722',
    ],
    ['a share', cell('50%', 'office:value-type="percentage" office:value="0.5"'), '0.5'],
    ['a day', cell('25. Dez. 1890', 'office:value-type="date" office:date-value="1890-12-25"'), '1890-12-25'],
    ['midnight', cell('x', 'office:value-type="date" office:date-value="1990-12-25T00:00:00"'), '1990-12-25'],
    [
      'a moment',
      cell('x', 'office:value-type="date" office:date-value="1990-12-25T12:30:00.123"'),
      '1990-12-25T12:30:00',
    ],
    ['true', cell('WAHR', 'office:value-type="boolean" office:boolean-value="true"'), 'true'],
    ['a text in an attribute', '<table:table-cell office:value-type="string" office:string-value="x"/>', 'x'],
    [
      'a fault of a formula',
      cell(
        '#DIV/0!',
        'table:formula="of:=1/0" office:value-type="string" office:string-value="" calcext:value-type="error"',
      ),
      '#DIV/0!',
    ],
    [
      'a comment and a picture beside it',
      `<table:table-cell><office:annotation><text:p>no</text:p></office:annotation><draw:frame><text:p>no</text:p></draw:frame><text:p>yes<text:note><text:p>no</text:p></text:note></text:p></table:table-cell>`,
      'yes',
    ],
    ['a comment of XML and marked text', cell('a<!-- > --><![CDATA[<b>]]>'), 'a<b>'],
  ])('%s', async (_, xml, text) => {
    expect(await cellsIn(xml)).toEqual([text])
  })

  test('is repeated as often as its element says, and empty ones at the end are none', async () => {
    const cells = await cellsIn(
      '<table:table-cell table:number-columns-repeated="2"/>',
      cell('x', 'table:number-columns-repeated="3"'),
      '<table:table-cell table:number-columns-repeated="16300"/>',
    )
    expect(cells).toEqual(['', '', 'x', 'x', 'x'])
  })
})

test('rows in groups and headers are rows; repeated ones are spread out; what is beside the sheets is none', async () => {
  const xml = content(
    '<table:tracked-changes><table:table><table:table-row/></table:table></table:tracked-changes>' +
      sheet(
        `<table:table-header-rows>${row(cell('Name'))}</table:table-header-rows>` +
          `<table:table-row table:number-rows-repeated="2"><table:table-cell/></table:table-row>` +
          `<table:table-row-group><table:table-row table:number-rows-repeated="2">${cell('A')}</table:table-row></table:table-row-group>` +
          `<table:shapes><table:table>${row(cell('no'))}</table:table></table:shapes>` +
          EMPTY_REST,
      ) +
      sheet(row(cell('B')), 'table:name="Tom &amp; Co"'),
  )
  expect(await readRows(workbook(xml))).toEqual([
    {
      name: 'A',
      rows: [
        [1, ['Name']],
        [4, ['A']],
        [5, ['A']],
      ],
    },
    { name: 'Tom & Co', rows: [[1, ['B']]] },
  ])
})

test('a document in blocks that end anywhere is read as in one', async () => {
  const { XmlReader } = await import('../../../lib/domain/imports/formats/xml-tokens.ts')
  const xml = '<?xml version="1.0"?><a b="1 &gt; 0" c=\'>"\'><!-- <x> --><d/>t &amp; u<![CDATA[ <e> ]]></a>'
  const readIn = (size: number) => {
    const told: unknown[] = []
    let text = ''
    const tell = (...it: unknown[]) => {
      if (text !== '') told.push(text)
      text = ''
      told.push(it)
    }
    const reader = new XmlReader({
      open: (name, attributes) => tell('open', name, [...attributes]),
      close: (name) => tell('close', name),
      text: (piece) => {
        text += piece
      },
    })
    for (let at = 0; at < xml.length; at += size) reader.take(xml.slice(at, at + size))
    reader.end()
    return told
  }
  const whole = readIn(xml.length)
  expect(whole).toEqual([
    [
      'open',
      'a',
      [
        ['b', '1 > 0'],
        ['c', '>"'],
      ],
    ],
    ['open', 'd', []],
    ['close', 'd'],
    't & u <e> ',
    ['close', 'a'],
  ])
  for (let size = 1; size < 20; size += 1) expect(readIn(size)).toEqual(whole)
})

test('rows and columns that are hidden are read, and told', async () => {
  const columns =
    '<table:table-column/><table:table-column-group><table:table-column table:number-columns-repeated="2" table:visibility="collapse"/></table:table-column-group><table:table-column table:number-columns-repeated="1000" table:visibility="collapse"/>'
  const rows =
    row(cell('Name'), cell('Owner'), cell('Note')) +
    row(cell('A'), cell('98510'), cell('p')).replace('<table:table-row', '$& table:visibility="filter"')
  const it = await readTable(app.contributor, 'owners.ods', workbook(content(sheet(columns + rows))))
  expect(it.told).toEqual([
    'Columns that are hidden in the workbook were read as well: B, C. Take them out of the mapping if they are not for others.',
    'Rows that are hidden in the workbook, by hand or by a filter, were read as well.',
    ...it.told.slice(2),
  ])
})

test('formulas, merged cells, hidden sheets, a title above the headers, and a column twice are told', async () => {
  const styles =
    '<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>'
  const xml = content(
    sheet(row(cell('a')), 'table:name="Hidden" table:style-name="ta2"') +
      sheet(
        row(
          cell('Temples of Patan', 'table:number-columns-spanned="3"'),
          '<table:covered-table-cell table:number-columns-repeated="2"/>',
        ) +
          row(cell('Name'), cell('Note'), cell('Note')) +
          row(
            cell('A', 'table:number-rows-spanned="3"'),
            cell('P', 'table:formula="of:=UPPER(&quot;p&quot;)" office:value-type="string"'),
            cell('q'),
          ) +
          row('<table:covered-table-cell/>', cell('r'), '<table:table-cell table:formula="of:=1+1"/>') +
          row('<table:covered-table-cell/>', cell('s')) +
          EMPTY_REST,
        'table:name="Temples"',
      ),
    styles,
  )
  const it = await readTable(app.contributor, 'temples.ods', workbook(xml))
  expect(it.mapping).toMatchObject({ sheet: 1, header_row: 2 })
  expect(it.sheets[1]).toMatchObject({ name: 'Temples', hidden: false, rows: 5, columns: 3 })
  expect(it.columns[0]).toMatchObject({ name: 'Name', filled: 3, samples: ['A'] })
  expect(it.told).toEqual([
    'The workbook has 2 sheets: "Temples" was taken.',
    '1 of the sheets is hidden, and not taken unless asked for.',
    '1 cells hold formulas: the values that they had were taken.',
    '1 cells hold formulas without stored values: they are empty here. Open the file in a spreadsheet program and save it, then send it again.',
    '1 ranges of cells are merged: the value stands in the first cell of each.',
    '1 ranges of cells are merged over several rows: the value was put into each of these rows.',
    'The headers were found in row 2; what stands above them is left out.',
    'There is more than one column "Note": a further one is called "Note (2)".',
  ])
})

test('options are given as for other workbooks', async () => {
  const bytes = workbook(
    content(
      sheet(row(cell('Name'))) + sheet(row(cell('x')) + row(cell('Name'), cell('Note')) + row(cell('B'), cell('y'))),
    ),
  )
  const refused = await app.contributor.post('/data/imports/', { body: formWith(bytes, { delimiter: 'comma' }) })
  expect([refused.status, refused.body]).toEqual([400, { delimiter: ['Only a table in text has a delimiter.'] }])
  const { id } = sure(
    201,
    await app.contributor.post('/data/imports/', { body: formWith(bytes, { sheet: '1', header_row: '2' }) }),
  )
  const { work } = await import('../../harness/imports.ts')
  await work()
  const it = sure(200, await app.contributor.get(`/data/imports/${id}/`))
  expect([it.state, it.options.given, it.columns.map(({ name }: { name: string }) => name)]).toEqual([
    'read',
    ['sheet', 'header_row'],
    ['Name', 'Note'],
  ])
})

function formWith(bytes: Uint8Array, options: Record<string, string>) {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(bytes)], 'temples.ods'))
  for (const [name, value] of Object.entries(options)) form.set(name, value)
  return form
}

describe('a workbook of which the worker says what is wrong', () => {
  const many = (tag: string, bytes: number) => Buffer.alloc(bytes, tag).toString()
  const encrypted =
    '<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>'
  const doctype = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
  const TIGHT = 'The workbook is packed too tightly to be sound.'
  const REPEATS = 'The workbook repeats more than 2000000 cells. Split it.'
  const wide = cell('x', 'table:number-columns-repeated="1000"')
  test.each<[string, () => Uint8Array, string]>([
    ['broken', () => Buffer.from('PK\u0003\u0004 and no more'), 'The file is no workbook, or is damaged.'],
    ['other', () => archive({ 'a.txt': 'x' }), 'The file is no ODS workbook.'],
    [
      'text',
      () => workbook('<office:document-content><office:body><office:text/></office:body></office:document-content>'),
      'The file is no ODS workbook.',
    ],
    ['no-sheets', () => workbook(content('')), 'The workbook has no sheets.'],
    ['sheets', () => workbook(content(sheet('').repeat(51))), 'The workbook has more than 50 sheets.'],
    ['empty', () => workbook(content(sheet(EMPTY_REST))), 'The table is empty.'],
    ['cut', () => workbook(content(sheet(row(cell('x')))).slice(0, -40)), 'The file is no workbook, or is damaged.'],
    ['crossed', () => workbook('<a><b></a></b>'), 'The file is no workbook, or is damaged.'],
    [
      'locked',
      () => workbook('\u0000', { 'META-INF/manifest.xml': encrypted }),
      'The workbook is encrypted. Remove its password and send it again.',
    ],
    [
      'macros',
      () => workbook(content(sheet('')), { 'Basic/Standard/Module1.xml': 'x' }),
      'The workbook carries macros. Save it as .ods, without them.',
    ],
    [
      'entities',
      () => workbook(doctype + content(sheet(row(cell('&b;'))))),
      'The workbook declares entities of its own, which no spreadsheet program does.',
    ],
    [
      'repeated-cells',
      () => workbook(content(sheet(`<table:table-row table:number-rows-repeated="21000">${wide}</table:table-row>`))),
      REPEATS,
    ],
    [
      'repeated-in-turn',
      () => workbook(content(sheet(`<table:table-row>${wide}</table:table-row>`.repeat(100)).repeat(30))),
      REPEATS,
    ],
    [
      'repeated-rows',
      () =>
        workbook(
          content(sheet(`<table:table-row table:number-rows-repeated="1000000">${cell('x')}</table:table-row>`)),
        ),
      'The table has more than 20000 rows. Send it in parts.',
    ],
    [
      'wide',
      () => workbook(content(sheet(row(cell('x', 'table:number-columns-repeated="16384"'))))),
      'The table has more than 1000 columns.',
    ],
    [
      'far',
      () => workbook(content(sheet(row('<table:table-cell table:number-columns-repeated="16383"/>', cell('x'))))),
      'The table has more than 1000 columns.',
    ],
    [
      'spaces',
      () => workbook(content(sheet(row(cell('x<text:s text:c="2000000000"/>x'))))),
      'Row 1 has a cell of more than 32767 characters.',
    ],
    [
      'long',
      () => workbook(content(sheet(row(cell(`${'<text:span>abc</text:span>'.repeat(20_000)}`))))),
      'Row 1 has a cell of more than 32767 characters.',
    ],
    [
      'endless-tag',
      () => workbook(content(sheet(row(`<table:table-cell office:value="${many('1', 5_000_000)}"/>`)))),
      TIGHT,
    ],
    ['endless-text', () => workbook(content(sheet(row(cell(many('x', 5_000_000)))))), TIGHT],
    ['deep', () => workbook(content(many('<a>', 60_000))), TIGHT],
    ['bomb', () => workbook(content(sheet(`<!--${'x'.repeat(900_000)}-->`.repeat(500)))), TIGHT],
    [
      'same-text',
      () =>
        workbook(
          content(
            sheet(
              `<table:table-row table:number-rows-repeated="500">${cell('x'.repeat(30_000), 'table:number-columns-repeated="100"')}</table:table-row>`,
            ),
          ),
        ),
      'The rows up to 18 hold more text than a table may. Send it in parts.',
    ],
  ])('%s.ods', async (name, bytes, message) => {
    const it = await readTable(app.contributor, `${name}.ods`, bytes())
    expect([it.state, it.failed]).toEqual(['failed', message])
  })

  test('a list of Basic libraries alone is no macro, and a long name of a sheet is cut', async () => {
    const xml = content(sheet(row(cell('Name')) + row(cell('Shrine')), `table:name="${'n'.repeat(500_000)}"`))
    const it = await readTable(
      app.contributor,
      'a.ods',
      workbook(xml, { 'Basic/Standard/script-lb.xml': 'x', 'Basic/script-lc.xml': 'x' }),
    )
    expect([it.state, it.sheets[0].name.length]).toEqual(['read', 100])
    expect((await rowsIn(app.contributor, it.id)).length).toBeGreaterThanOrEqual(0)
  })
})

test('a file that is no archive is refused at once', async () => {
  const answer = await sendTable(app.contributor, 'table.ods', 'name')
  expect([answer.status, answer.body]).toEqual([400, { file: ['The file is no ODS workbook.'] }])
})
