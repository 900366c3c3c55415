import { beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { checkTable, csv, done, ods, readTable, rowsIn, work, xlsx } from '../../harness/imports.ts'
import { contribute, publish, sure } from '../../harness/make.ts'

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
  ['ODS', async () => ods(temples)],
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

test('a column of names of known records is a relation to them, as far as the sender may see them', async () => {
  for (const name of ['Patan', 'Kirtipur', 'Thimi']) await publish(app, 'locations', { name })
  await contribute(app.other, 'deities', { name: 'Kubera of the others' })
  const table = csv([
    ['Name', 'Whereabouts', 'Lord'],
    ['Aa temple', 'Patan', 'Kubera of the others'],
    ['Bb temple', 'Thimi', 'Kubera of the others'],
    ['Cc temple', 'Nowhere', 'Kubera of the others'],
  ])
  const it = await readTable(app.contributor, 'temples.csv', table)
  const guesses = it.columns.map(({ guess, by }: { guess: string; by: string }) => [guess, by])
  expect(guesses).toEqual([
    ['name', 'header'],
    ['has_current_location', 'names'],
    [null, null],
  ])
  expect(it.mapping.rules).toContainEqual({ field: 'has_current_location', column: 'Whereabouts' })
  const theirs = await readTable(app.other, 'temples.csv', table)
  expect(theirs.columns[2]).toMatchObject({ guess: 'dedicated_to', by: 'names', sure: 0.6 })
})

test('what rows look like is told to those who may see it', async () => {
  const coordinates = '27.7043, 85.3075'
  await contribute(app.other, 'structures', { name: 'Degutale of the others', coordinates })
  const table = csv([
    ['Name', 'Coordinates'],
    ['Degutale of others', coordinates],
  ])
  for (const [who, told] of [
    [app.contributor, { outcome: 'new', alike: [] }],
    [app.other, { outcome: 'doubtful', alike: [{ entity_id: expect.any(String), name: 'Degutale of the others' }] }],
    [app.community, { outcome: 'doubtful', alike: [{ name: 'Degutale of the others' }] }],
  ] as const) {
    const { id } = await checkTable(who, 'temples.csv', table)
    expect((await rowsIn(who, id))[0]).toMatchObject(told)
  }
})

test('names in Nepali are names in Nepali as well, for all rows or by column', async () => {
  const it = await readTable(app.contributor, 'मन्दिर.csv', csv([['नाम'], ['भीमसेन मन्दिर']]))
  expect(it.mapping.rules).toEqual([{ field: 'name', column: 'नाम', language: 'ne' }])
  await done(app.contributor, it.id, 'check')
  await done(app.contributor, it.id, 'run')
  const [row] = await rowsIn(app.contributor, it.id)
  const shown = sure(200, await app.contributor.get(`/cidoc/structures/${row.record.id}/`))
  expect(shown).toMatchObject({ name: 'भीमसेन मन्दिर', name_ne: 'भीमसेन मन्दिर' })

  const latin = await readTable(
    app.contributor,
    'temples.csv',
    csv([
      ['Name', 'Note'],
      ['Bhimsen Mandir', 'x'],
    ]),
  )
  const mapping = { ...latin.mapping, language: 'ne' }
  const changed = sure(200, await app.contributor.patch(`/data/imports/${latin.id}/`, { body: { mapping } }))
  expect(changed.mapping.language).toBe('ne')
  await done(app.contributor, latin.id, 'check')
  await done(app.contributor, latin.id, 'run')
  const [second] = await rowsIn(app.contributor, latin.id)
  expect(sure(200, await app.contributor.get(`/cidoc/structures/${second.record.id}/`)).name_ne).toBe('Bhimsen Mandir')
  const wrong = {
    ...latin.mapping,
    rules: [...latin.mapping.rules.slice(0, 1), { field: 'note', column: 'Note', language: 'ne' }],
  }
  const third = await readTable(
    app.contributor,
    'temples.csv',
    csv([
      ['Name', 'Note'],
      ['Bb', 'x'],
    ]),
  )
  const answer = await app.contributor.patch(`/data/imports/${third.id}/`, { body: { mapping: wrong } })
  expect([answer.status, answer.body]).toEqual([
    400,
    { mapping: ['Only the name has a language: leave it out for note.'] },
  ])
})

test('JSON Lines are a table: lists are lists, objects are columns, a line is a row', async () => {
  const lines = [
    {
      name: 'Akash Bhairab',
      alternate_names: ['Aju, the', 'Savabhakku'],
      assertion: { source_citation: 'Slusser; 1982' },
    },
    { name: 'Seto Bhairab', religious_tradition: ['Hindu'], note: 'x' },
  ]
  const it = await readTable(app.contributor, 'deities.jsonl', lines.map((line) => JSON.stringify(line)).join('\r\n'))
  expect(it).toMatchObject({ format: 'jsonl', failed: null, mapping: { kind: 'deity', header_row: 1 }, told: [] })
  expect(it.columns.map(({ name, guess }: { name: string; guess: string }) => [name, guess])).toEqual([
    ['name', 'name'],
    ['alternate_names', 'alternate_names'],
    ['assertion.source_citation', 'assertion.source_citation'],
    ['religious_tradition', 'religious_tradition'],
    ['note', 'note'],
  ])
  await done(app.contributor, it.id, 'check')
  await done(app.contributor, it.id, 'run')
  const rows = await rowsIn(app.contributor, it.id)
  expect(rows.map(({ row }: { row: number }) => row)).toEqual([2, 3])
  const shown = sure(200, await app.contributor.get(`/cidoc/deities/${rows[0].record.id}/`))
  expect(shown.alternate_names).toEqual(['Aju, the', 'Savabhakku'])
  expect(shown.assertions[0].source_citation).toBe('Slusser; 1982')
})

test('reviewers decide on the rows of one outcome, and known records may be left as they are', async () => {
  const known = await publish(app, 'structures', { name: 'Known temple', identifier: 'd:1', note: 'Old' })
  const table = csv([
    ['Name', 'Identifier', 'Note'],
    ['Known temple', 'd:1', 'New'],
    ['Jagat Narayan', 'd:2', ''],
    ['Jagat Narayan', 'd:3', ''],
  ])
  const checked = await checkTable(app.contributor, 'temples.csv', table)
  expect(checked.counts).toMatchObject({ changes: 1, new: 1, doubtful: 1 })
  const ran = await done(app.contributor, checked.id, 'run', { changes: 'leave' })
  expect(ran).toMatchObject({ made: { created: 2, amended: 0, left: 1 }, waiting: 2 })
  const [left] = await rowsIn(app.contributor, checked.id, { outcome: 'changes' })
  expect(left.run).toEqual({ what: 'left', reason: 'The record is known, and what it says was to stay.' })
  expect(sure(200, await app.anon.get(`/cidoc/structures/${known.id}/`)).note).toBe('Old')
  expect(await done(app.community, checked.id, 'decide', { verdict: 'accept', outcome: 'new' })).toMatchObject({
    waiting: 1,
  })
  const [fresh] = await rowsIn(app.contributor, checked.id, { outcome: 'new' })
  const [doubtful] = await rowsIn(app.contributor, checked.id, { outcome: 'doubtful' })
  expect([fresh.record.status, doubtful.record.status]).toEqual(['accepted', 'pending_review'])
  const answer = await app.community.post(`/data/imports/${checked.id}/decide/`, {
    body: { verdict: 'accept', outcome: 'fine' },
  })
  expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['outcome']])
})

test('nobody decides on a table of their own', async () => {
  for (const who of [app.contributor, app.community, app.staff]) {
    const { id } = await readTable(who, 'own.csv', csv([['Name'], ['Own temple']]))
    const { status, body } = await who.post(`/data/imports/${id}/decide/`, { body: { verdict: 'accept' } })
    expect([status, body]).toEqual([403, { detail: 'Nobody decides on a contribution of their own.' }])
  }
})

test('a name in both scripts is cut, and options are known by their Nepali labels', async () => {
  const table = csv([
    ['Name', 'अवस्था'],
    ['Bhimsen Mandir 2, Patan (भीमसेन मन्दिर २, पाटन)', 'राम्रो'],
    ['Krishna Mandir / कृष्ण मन्दिर', 'अति नाजुक'],
    ['Rani Pokhari', 'खै'],
  ])
  const it = await checkTable(app.contributor, 'temples.csv', table)
  expect(it.mapping.rules).toEqual([
    { field: 'name', column: 'Name', script: 'latin' },
    { field: 'name_ne', column: 'Name', script: 'devanagari' },
    { field: 'condition', column: 'अवस्था' },
  ])
  expect(it.counts).toMatchObject({ new: 2, refused: 1 })
  await done(app.contributor, it.id, 'run')
  const [first, second, third] = await rowsIn(app.contributor, it.id)
  const shown = async (row: { record: { id: number } }) =>
    sure(200, await app.contributor.get(`/cidoc/structures/${row.record.id}/`))
  expect(await shown(first)).toMatchObject({
    ...{ name: 'Bhimsen Mandir 2, Patan', name_ne: 'भीमसेन मन्दिर २, पाटन', condition: 'Good' },
  })
  expect(await shown(second)).toMatchObject({ name: 'Krishna Mandir', name_ne: 'कृष्ण मन्दिर', condition: 'Very_Poor' })
  expect(third.faults).toMatchObject([{ column: 'अवस्था', value: 'खै' }])
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
    'Temple name,Year built,Existence status,import:row,import:outcome,import:reason,import:column,import:value,import:legal,import:nearest,import:dates',
  )
  expect(english[2]).toContain('This field is required.')
  await speak('ne')
  const nepali = (await report()).split('\r\n')
  expect(nepali[0]).toBe(
    'Temple name,Year built,Existence status,import:पङ्क्ति,import:परिणाम,import:कारण,import:स्तम्भ,import:मान,import:मिल्ने मान,import:सबैभन्दा नजिकको,import:मितिहरू',
  )
  expect(nepali[2]).toContain('यो फाँट अनिवार्य छ।')
  expect(nepali.map((line) => line.split(',')[4])).toEqual(
    english.map((line) => line.split(',')[4]?.replace('import:outcome', 'import:परिणाम')),
  )
  // What is ours in it is read by nobody, and written anew.
  expect((await report(nepali.join('\r\n'))).split('\r\n')).toEqual(nepali)
  await speak('')
})

test('the file of a table stays where only the reply is lost to what has stored the import', async () => {
  const { withLostReplies } = await import('../../harness/lost-reply.ts')
  const headers = { 'idempotency-key': 'table-stored-unheard' }
  const send = () => {
    const body = new FormData()
    body.set('file', new File([csv(temples)], 'temples.csv', { type: 'text/csv' }))
    return app.contributor.post('/data/imports/', { body, headers })
  }
  sure(200, await app.contributor.get('/data/imports/'))
  const made = sure(201, await withLostReplies('import', send))
  await work()
  expect(sure(200, await app.contributor.get(`/data/imports/${made.id}/`))).toMatchObject({
    state: 'read',
    failed: null,
  })
})

test('a task that fails after some progress of each visit is not given up', async () => {
  const it = await checkTable(app.contributor, 'halls.csv', csv([['Name'], ['A hall of many visits']]))
  sure(200, await app.contributor.post(`/data/imports/${it.id}/run/`))
  const { failTask, takeLease } = await import('../../../lib/domain/imports/leased-import.ts')
  const visit = async (hasProgress: boolean) => {
    const lease = await takeLease(it.id)
    if (!lease) throw new Error('there is nothing to do')
    if (hasProgress) await lease.saveProgress({}, {})
    return failTask(lease, new Error('passes by itself'))
  }
  for (let visits = 0; visits < 6; visits += 1) expect(await visit(true)).toBe(false)
  for (let visits = 0; visits < 3; visits += 1) expect(await visit(false)).toBe(false)
  await work()
  expect(sure(200, await app.contributor.get(`/data/imports/${it.id}/`))).toMatchObject({
    state: 'done',
    failed: null,
    progress: null,
  })
})
