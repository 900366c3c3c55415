import { beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../harness/app.ts'
import { csv, done, readTable, rowsIn, xlsx } from '../harness/imports.ts'
import { sure } from '../harness/make.ts'

let app: App
beforeAll(async () => {
  app = await openApp({ env: { RATE_IMPORTS: '1000/day' } })
})

const temples = [
  ['Temple name', 'नेपाली नाम', 'Latitude', 'Longitude', 'Year built', 'Style', 'Location', 'Source', 'Remarks'],
  ['Chyasilin Mandap', 'च्यासिलिन मण्डप', 27.6722, 85.4279, '1990~', 'Pagoda', 'Bhaktapur', 'Field notes 1991', ''],
  [
    'Yaksheshvara Temple',
    'यक्षेश्वर',
    '27°40\'20"N',
    '85°25\'42"E',
    1482,
    'pagoda',
    'Bhaktapur',
    'Slusser 1982',
    'Near it',
  ],
]

test.each([
  ['CSV', async () => csv(temples)],
  ['XLSX', async () => xlsx(temples)],
])('a table as %s goes from upload to queue, and back', async (format, file) => {
  const it = await readTable(app.contributor, `temples.${format.toLowerCase()}`, await file())
  expect(it).toMatchObject({
    state: 'read',
    failed: null,
    progress: null,
    mapping: { kind: 'structure', match: 'name_and_place' },
  })
  expect(
    Object.fromEntries(it.columns.map((each: { name: string; guess: string }) => [each.name, each.guess])),
  ).toEqual({
    'Temple name': 'name',
    'नेपाली नाम': 'name_ne',
    Latitude: 'latitude',
    Longitude: 'longitude',
    'Year built': 'construction_date',
    Style: 'architectural_style',
    Location: 'location_name',
    Source: 'assertion.source_citation',
    Remarks: 'note',
  })
  const checked = await done(app.contributor, it.id, 'check')
  expect(checked).toMatchObject({ state: 'checked', counts: { new: 2, refused: 0, doubtful: 0 } })
  const ran = await done(app.contributor, it.id, 'run')
  expect(ran).toMatchObject({ state: 'done', made: { created: 2, failed: 0 }, waiting: 2 })
  const rows = await rowsIn(app.contributor, it.id)
  expect(rows.map((row: { record: { status: string } }) => row.record.status)).toEqual([
    'pending_review',
    'pending_review',
  ])

  const { results, batches } = sure(200, await app.community.get('/data/review-queue/'))
  expect(results.filter((row: { name: string }) => /Chyasilin|Yaksh/.test(row.name))).toEqual([])
  expect(batches).toEqual([expect.objectContaining({ id: it.id, waiting: 2 })])
  const decided = await done(app.community, it.id, 'decide', { verdict: 'accept', rows: [2] })
  expect(decided.waiting).toBe(1)
  const shown = sure(200, await app.anon.get(`/cidoc/structures/${rows[0].record.id}/`))
  expect(shown).toMatchObject({ name: 'Chyasilin Mandap', coordinates: '27.6722, 85.4279' })
  expect((await app.anon.get(`/cidoc/structures/${rows[1].record.id}/`)).status).toBe(404)

  expect(await done(app.contributor, it.id, 'withdraw')).toMatchObject({ state: 'withdrawn', waiting: 0 })
  expect(await done(app.staff, it.id, 'take-back')).toMatchObject({ state: 'taken_back', kept: [] })
  expect((await app.anon.get(`/cidoc/structures/${rows[0].record.id}/`)).status).toBe(404)
})

test('the report of a dry run is CSV that says each reason in the language of its sender, and can be sent again', async () => {
  const table = [
    ['Temple name', 'Year built', 'Existence status'],
    ['Reported Mandap', '1990', 'Extant'],
    ['', '1990', 'Extant'],
    ['Refused Mandap', '1990', 'Gone with the wind'],
  ]
  const { slug } = sure(200, await app.contributor.get('/data/user/me/'))
  const speak = async (language: string) =>
    sure(200, await app.contributor.patch(`/data/user/${slug}/`, { body: { language } }))
  const report = async (file = csv(table)) => {
    const it = await readTable(app.contributor, 'reported.csv', file)
    const { report_url } = await done(app.contributor, it.id, 'check')
    return (await fetch(report_url)).text()
  }
  const english = (await report()).split('\r\n')
  expect(english[0]).toBe(
    'Temple name,Year built,Existence status,import:row,import:outcome,import:reason,import:column,import:value,import:legal,import:nearest',
  )
  expect(english[2]).toContain('This field is required.')
  await speak('ne')
  const nepali = (await report()).split('\r\n')
  expect(nepali[0]).toBe(
    'Temple name,Year built,Existence status,import:पङ्क्ति,import:परिणाम,import:कारण,import:स्तम्भ,import:मान,import:मिल्ने मान,import:सबैभन्दा नजिकको',
  )
  expect(nepali[2]).toContain('यो फाँट अनिवार्य छ।')
  expect(nepali.map((line) => line.split(',')[4])).toEqual(
    english.map((line) => line.split(',')[4]?.replace('import:outcome', 'import:परिणाम')),
  )
  // What is ours in it is read by nobody, and written anew.
  expect((await report(nepali.join('\r\n'))).split('\r\n')).toEqual(nepali)
  await speak('')
})
