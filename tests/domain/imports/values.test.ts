import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { checkTable, csv, done, readTable, rowsIn } from '../../harness/imports.ts'
import { contribute, publish, sure } from '../../harness/make.ts'

let app: App
beforeAll(async () => {
  app = await openApp({ env: { RATE_IMPORTS: '1000/day' } })
})

type Doubt = { field: string; column: string; value: string; message: string }
const doubtsIn = (rows: { row: number; doubts: Doubt[] }[]) =>
  rows.flatMap(({ row, doubts }) => doubts.map(({ column, value, message }) => [row, column, value, message]))

describe('the dry run says what is doubtful', () => {
  test('in dates, and how each was understood', async () => {
    const table = csv([
      ['Name', 'Year built'],
      ['Aa shrine', '44000'],
      ['Bb shrine', '12/05/1890'],
      ['Cc shrine', 'Jan 2015'],
      ['Dd shrine', 'a long time ago'],
      ['Ee shrine', 'BS 1759'],
      ['Ff shrine', 'Malla period'],
      ['Gg shrine', '2015-02-30'],
    ])
    const it = await checkTable(app.contributor, 'temples.csv', table)
    expect(it.counts).toMatchObject({ new: 3, doubtful: 4 })
    const rows = await rowsIn(app.contributor, it.id)
    const [date] = rows[3].doubts
    expect(doubtsIn(rows).map(([row]) => row)).toEqual([2, 3, 5, 8])
    expect(rows[0].doubts[0].message).toBe('44000 was read as 2020-06-18, since spreadsheets count days.')
    expect(rows[1].doubts[0].message).toMatch(/^12\/05\/1890 may be 1890-05-12 or 1890-12-05/)
    expect(date).toMatchObject({ field: 'construction_date', column: 'Year built', value: 'a long time ago' })
    const bounds = (row: { dates: { from: string | null; to: string | null }[] }) =>
      row.dates.map(({ from, to }) => [from, to])
    expect(rows.map(bounds)).toEqual([
      [['2020-06-18', '2020-06-18']],
      [[null, null]],
      [['2015-01-01', '2015-01-31']],
      [[null, null]],
      [['1702-04-09', '1703-04-08']],
      [['1200-01-01', '1768-12-31']],
      [[null, null]],
    ])
    const report = await (await fetch(it.report_url)).text()
    expect(report).toContain('construction_date: 1702-04-09/1703-04-08')
    expect(report).toContain('Year built: 44000 was read as 2020-06-18')
    const nepali = sure(
      200,
      await app.contributor.get(`/data/imports/${it.id}/rows/`, { headers: { 'accept-language': 'ne' } }),
    )
    expect(nepali.results[0].doubts[0].message).toMatch(/भनी पढियो/)
    const ran = await done(app.contributor, it.id, 'run', { doubtful: 'skip' })
    expect(ran.made).toMatchObject({ created: 3, left: 4 })
    const [left] = await rowsIn(app.contributor, it.id, { outcome: 'doubtful' })
    expect(left.run.reason).toBe('44000 was read as 2020-06-18, since spreadsheets count days.')
  })

  test('and reads a whole column by its dates that can be read in one way only', async () => {
    const table = csv([
      ['Name', 'Year built'],
      ['Mahakala shrine', '25/12/1890'],
      ['Tripureshvara hall', '12/05/1890'],
    ])
    const it = await checkTable(app.contributor, 'temples.csv', table)
    expect(it.mapping.rules).toContainEqual({
      field: 'construction_date',
      column: 'Year built',
      date_order: 'day_first',
    })
    expect(it.counts).toMatchObject({ new: 2, doubtful: 0 })
    await done(app.contributor, it.id, 'run')
    const rows = await rowsIn(app.contributor, it.id)
    const shown = sure(200, await app.contributor.get(`/cidoc/structures/${rows[1].record.id}/`))
    expect(shown.construction_date).toBe('1890-05-12')
  })

  test('in coordinates, numbers and lists', async () => {
    const table = csv([
      ['Name', 'Latitude', 'Longitude', 'Deity'],
      ['Jj shrine', '85.3', '27.7', ''],
      ['Kk shrine', 'N27 40.404', 'E085 19.518', 'Kumbheshvara, Unmatta Bhairava'],
      ['Ll shrine', '27,6734', '85,4', 'Kumbheshvara; Unmatta Bhairava'],
      ['Mm shrine', '0', '0', '-'],
      ['12', '-', 'n/a', '?'],
      ['Nn shrine', '', '', '#REF!'],
      ['Name', '', '', ''],
    ])
    const it = await checkTable(app.contributor, 'temples.csv', table)
    const rows = await rowsIn(app.contributor, it.id)
    expect(doubtsIn(rows)).toEqual([
      [2, 'Latitude', '85.3, 27.7', 'This point lies far from Nepal. Latitude and longitude seem to be swapped.'],
      [
        3,
        'Deity',
        'Kumbheshvara, Unmatta Bhairava',
        '"Kumbheshvara, Unmatta Bhairava" was taken for one name. If it is a list, part the names by semicolons, or give "split": "," in the mapping.',
      ],
      [5, 'Latitude', '0, 0', 'The point 0, 0 lies in the Atlantic. It often stands for a place that is not known.'],
      [6, 'Name', '12', 'This name has no letter. Is the row a sum, or is the name in another column?'],
      [7, 'Deity', '#REF!', '#REF! is the error of a formula, not a value.'],
      [
        8,
        'Name',
        'Name',
        'This looks like the headers of the table again, not like a name. If it is, leave the row out.',
      ],
    ])
    expect(it.counts).toMatchObject({ doubtful: 6, new: 1, refused: 0 })
  })

  test.each([
    ['Temple name', 'नाम'],
    ['नाम', 'Temple name'],
  ])('a column of names in Devanagari beside one in Latin script is the Nepali name: %s, %s', async (first, second) => {
    const names = { 'Temple name': 'Twin shrine', नाम: 'जुम्ल्याहा देवल' }
    const table = csv([
      [first, second, 'Style'],
      [names[first as 'नाम'], names[second as 'नाम'], 'Pagoda'],
    ])
    const { mapping } = await checkTable(app.contributor, 'temples.csv', table)
    expect(mapping.rules).toEqual(
      expect.arrayContaining([
        { field: 'name', column: 'Temple name' },
        { field: 'name_ne', column: 'नाम' },
      ]),
    )
  })
})

describe('the different values of a column', () => {
  const valuesOf = async (id: string, query: Record<string, string | number> = {}, who = app.contributor) =>
    sure(200, await who.get(`/data/imports/${id}/values/`, { query }))
  type Value = { value: string; rows: number; chosen: boolean; becomes: { what: string; text: string }[] }
  const shown = (groups: Value[][]) =>
    groups.map((group) =>
      group.map(({ value, rows, becomes }) => [value, rows, becomes.map(({ what, text }) => [what, text])]),
    )

  const table = csv([
    ['Name', 'Style', 'Deity', 'Year built'],
    ['Aa hall', 'Pagoda', 'Vajrabhairava', '1702'],
    ['Bb hall', 'pagoda', 'Vajrabhairava; Nobody yet', 'BS 1759'],
    ['Cc hall', 'Pagado', 'Of the others', 'some time'],
    ['Dd hall', 'Pagoda', '', '1702'],
  ])

  test('say what each becomes, with likely spellings together; hidden records are not shown', async () => {
    const { id } = await publish(app, 'deities', { name: 'Vajrabhairava' })
    await contribute(app.other, 'deities', { name: 'Of the others' })
    const it = await checkTable(app.contributor, 'temples.csv', table)
    const { columns, groups: none, next } = await valuesOf(it.id)
    expect([none, next]).toEqual([[], null])
    expect(columns).toEqual([
      { column: 'Style', field: 'architectural_style', values: 3, groups: 1, doubtful: 1, unlisted: 0 },
      { column: 'Deity', field: 'dedicated_to', values: 3, groups: 3, doubtful: 0, unlisted: 0 },
      { column: 'Year built', field: 'construction_date', values: 3, groups: 3, doubtful: 1, unlisted: 0 },
    ])
    const styles = await valuesOf(it.id, { column: 'Style' })
    expect(shown(styles.groups)).toEqual([
      [
        ['Pagoda', 2, [['option', 'Pagoda']]],
        ['pagoda', 1, [['option', 'Pagoda']]],
        ['Pagado', 1, [['refused', 'Pagado']]],
      ],
    ])
    expect(styles.groups[0][2].becomes[0].nearest).toBe('Pagoda')
    const deities = await valuesOf(it.id, { column: 'Deity' })
    expect(shown(deities.groups)).toEqual([
      [['Vajrabhairava', 2, [['record', 'Vajrabhairava']]]],
      [['Nobody yet', 1, [['new_record', 'Nobody yet']]]],
      [['Of the others', 1, [['new_record', 'Of the others']]]],
    ])
    expect(
      deities.groups.map((group: { becomes: { record: object | null }[] }[]) => group[0]?.becomes[0]?.record),
    ).toEqual([{ kind: 'deity', id, name: 'Vajrabhairava', entity_id: expect.any(String) }, null, null])
    const dates = await valuesOf(it.id, { column: 'Year built' })
    expect(
      dates.groups.map(([first]: { becomes: { what: string; from: string }[] }[]) => [
        first?.becomes[0]?.what,
        first?.becomes[0]?.from,
      ]),
    ).toEqual([
      ['date', '1702-01-01'],
      ['date', '1702-04-09'],
      ['text', null],
    ])
    // Whoever may not read the import gets nothing of it.
    expect((await app.other.get(`/data/imports/${it.id}/values/`)).status).toBe(404)
  })

  test('are paged by rows', async () => {
    const it = await checkTable(app.contributor, 'temples.csv', table)
    const first = await valuesOf(it.id, { column: 'Year built', limit: 2 })
    expect(first.groups.length).toBe(2)
    const { pathname, searchParams } = new URL(first.next)
    const second = sure(200, await app.contributor.get(pathname, { query: Object.fromEntries(searchParams) }))
    expect([shown(second.groups), second.next]).toEqual([[[['some time', 1, [['text', 'some time']]]]], null])
    const wrong = await app.contributor.get(`/data/imports/${it.id}/values/`, { query: { column: 'Stile' } })
    expect([wrong.status, wrong.body]).toEqual([
      400,
      { column: ['There is no list of values of "Stile". Did you mean Style?'] },
    ])
  })

  test('that begin in one row are on one page, so that none is lost', async () => {
    const both = csv([
      ['Name', 'Deity'],
      ['Ee hall', 'Shiva of Ee; Parvati of Ee'],
      ['Ff hall', 'Ganesh of Ff'],
    ])
    const it = await checkTable(app.contributor, 'temples.csv', both)
    const first = await valuesOf(it.id, { column: 'Deity', limit: 1 })
    const values = (groups: Value[][]) => groups.flat().map(({ value }) => value)
    expect(values(first.groups)).toEqual(['Shiva of Ee', 'Parvati of Ee'])
    const { pathname, searchParams } = new URL(first.next)
    const second = sure(200, await app.contributor.get(pathname, { query: Object.fromEntries(searchParams) }))
    expect([values(second.groups), second.next]).toEqual([['Ganesh of Ff'], null])
  })

  test('are matched once for all their rows', async () => {
    const { id } = await publish(app, 'deities', { name: 'Samvara' })
    const read = await readTable(app.contributor, 'temples.csv', table)
    expect(await valuesOf(read.id)).toEqual({ columns: [], groups: [], next: null })
    const values = [
      { column: 'Style', value: 'Pagado', becomes: 'Pagoda' },
      { column: 'Deity', value: 'Vajrabhairava', becomes: `#${id}` },
      { column: 'Deity', value: 'Nobody yet', becomes: '' },
      { column: 'Deity', value: 'Of the others', becomes: 'Samvara; Tara of the wall' },
    ]
    sure(200, await app.contributor.patch(`/data/imports/${read.id}/`, { body: { values } }))
    const it = await done(app.contributor, read.id, 'check')
    expect(it.counts).toMatchObject({ refused: 0 })
    const deities = await valuesOf(it.id, { column: 'Deity' })
    expect(shown(deities.groups)).toEqual([
      [['Vajrabhairava', 2, [['record', String(id)]]]],
      [['Nobody yet', 1, [['nothing', '']]]],
      [
        [
          'Of the others',
          1,
          [
            ['record', 'Samvara'],
            ['new_record', 'Tara of the wall'],
          ],
        ],
      ],
    ])
    expect(deities.groups.flat().every(({ chosen }: Value) => chosen)).toBe(true)
    await done(app.contributor, read.id, 'run')
    const rows = await rowsIn(app.contributor, read.id)
    const records = await Promise.all(
      rows
        .slice(0, 3)
        .map(async ({ record }: { record: { id: number } }) =>
          sure(200, await app.contributor.get(`/cidoc/structures/${record.id}/`)),
        ),
    )
    const named = (record: { dedicated_to: { name: string }[] }) => record.dedicated_to.map(({ name }) => name)
    expect(records.map(named)).toEqual([['Samvara'], ['Samvara'], ['Samvara', 'Tara of the wall']])
    expect(records[2].architectural_style).toBe('Pagoda')
  })

  test('take a choice back with null, and refuse what does not fit', async () => {
    const { id } = await readTable(app.contributor, 'temples.csv', table)
    const change = (body: object) => app.contributor.patch(`/data/imports/${id}/`, { body })
    const choice = { column: 'Style', value: 'Pagado', becomes: 'Pagoda' }
    const chosen = sure(200, await change({ values: [choice] }))
    const ruleOf = ({ mapping }: { mapping: { rules: { column: string; values?: object }[] } }) =>
      mapping.rules.find(({ column }) => column === 'Style')
    expect(ruleOf(chosen)?.values).toEqual([{ value: 'Pagado', becomes: 'Pagoda' }])
    expect(ruleOf(sure(200, await change({ values: [{ ...choice, becomes: null }] })))?.values).toBeUndefined()
    const unread = await change({ values: [{ ...choice, column: 'Stile' }] })
    expect([unread.status, unread.body]).toEqual([400, { values: ['No rule reads the column "Stile".'] }])
    const mixed = await change({ values: [choice], header_row: 2 })
    expect([mixed.status, mixed.body]).toEqual([
      400,
      { values: ['Values are chosen for a mapping that stands. Send them by themselves.'] },
    ])
    const many = Array.from({ length: 201 }, (_, i) => ({ ...choice, value: `v${i}` }))
    expect((await change({ values: many })).body).toEqual({ values: ['Replace 200 values of a column at most.'] })
    expect((await app.other.patch(`/data/imports/${id}/`, { body: { values: [choice] } })).status).toBe(404)
  })
})
