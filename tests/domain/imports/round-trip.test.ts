import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { checkTable, csv, done, readTable, rowsIn, xlsx } from '../../harness/imports.ts'
import { contribute, publish, sure } from '../../harness/make.ts'

let app: App
beforeAll(async () => {
  app = await openApp({ env: { RATE_IMPORTS: '1000/day' } })
})

/** A table as somebody reads it, as rows of cells. */
async function tableOf(who: 'contributor' | 'anon' | 'other', segment: string, query: Record<string, string> = {}) {
  const answer = await app[who].get(`/cidoc/${segment}/`, { query: { format: 'csv', ...query } })
  expect(answer.status).toBe(200)
  expect(answer.headers['content-type']).toBe('text/csv')
  const { parse } = await import('csv-parse/sync')
  const rows: string[][] = parse(answer.bytes, { bom: true })
  return rows
}

describe('a table that comes back', () => {
  test('says nothing has changed where nothing has, whatever its cells hold', async () => {
    await publish(app, 'deities', { name: 'Bhairava', alternate_names: ['Bhairab', 'Bhailadya'] })
    const body = {
      name: 'Akash Bhairab, "Aju"',
      name_ne: 'आकाश भैरव',
      note: '=HYPERLINK("http://x.example")',
      coordinates: '27.7075,85.3103',
      alternate_names: ['Aju Dya', 'Savabhakku, the'],
      dedicated_to: ['Bhairava', 'Savabhakku'],
      construction_date: '1702~',
      architectural_style: 'Pagoda',
    }
    await publish(app, 'structures', body)
    await contribute(app.contributor, 'structures', { name: 'Waiting one', has_current_location: 'Indrachok' })
    const rows = await tableOf('contributor', 'structures', { mine: '1' })
    expect(rows.length).toBe(3)
    expect(rows.flat().some((cell) => /^=/.test(cell))).toBe(false)
    const checked = await checkTable(app.contributor, 'back.csv', csv(rows))
    expect(checked).toMatchObject({
      mapping: { kind: 'structure', match: 'id' },
      counts: { same: 2, changes: 0, refused: 0 },
    })
  })

  test('holds what waits for those who work on the record, and for others what stands', async () => {
    const it = await publish(app, 'structures', { name: 'Edited', note: 'Stands' })
    sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { note: 'Waits' } }))
    const row = async (who: 'contributor' | 'anon' | 'other') => {
      const rows = await tableOf(who, 'structures', { columns: 'name,note' })
      return rows.find(([id]) => id === String(it.id))
    }
    for (const who of ['anon', 'other'] as const) expect(await row(who)).toEqual([`${it.id}`, '1', 'Edited', 'Stands'])
    expect(await row('contributor')).toEqual([`${it.id}`, '2', 'Edited', 'Waits'])
  })

  test('changes what was changed in it and nothing else, and is taken back with equal records', async () => {
    const it = await publish(app, 'structures', { name: 'Old name', note: 'Old note', construction_date: '1702' })
    const before = sure(200, await app.contributor.get(`/cidoc/structures/${it.id}/`))
    const rows = await tableOf('contributor', 'structures', { mine: '1', columns: 'name,note,construction_date' })
    expect(rows[0]).toEqual(['id', 'revision', 'name', 'note', 'construction_date'])
    const [head = [], first = []] = rows
    const table = await xlsx([head, [first[0] ?? '', first[1] ?? '', 'New name', '', first[4] ?? '']])
    const checked = await checkTable(app.contributor, 'structures.xlsx', table)
    expect(checked.counts).toMatchObject({ changes: 1 })
    const [row] = await rowsIn(app.contributor, checked.id)
    expect(row.changes).toEqual([
      { field: 'name', from: 'Old name', to: 'New name' },
      { field: 'note', from: 'Old note', to: '' },
    ])
    expect(await done(app.contributor, checked.id, 'run')).toMatchObject({ made: { amended: 1 }, waiting: 1 })
    expect(sure(200, await app.anon.get(`/cidoc/structures/${it.id}/`)).name).toBe('Old name')
    await done(app.curator, checked.id, 'decide', { verdict: 'accept' })
    expect(sure(200, await app.anon.get(`/cidoc/structures/${it.id}/`))).toMatchObject({ name: 'New name', note: '' })
    await done(app.staff, checked.id, 'take-back')
    expect(sure(200, await app.contributor.get(`/cidoc/structures/${it.id}/`))).toEqual(before)
  })

  test('is of the kind whose records its ids and names are, whatever the file is called', async () => {
    const it = await publish(app, 'monuments', { name: 'Charumati Stupa', condition: 'Fair' })
    await publish(app, 'structures', { name: 'Another thing', condition: 'Fair' })
    const rows = await tableOf('contributor', 'monuments', { mine: '1', columns: 'name,condition' })
    const checked = await checkTable(app.contributor, 'back.csv', csv(rows).replace('Fair', 'Poor'))
    expect(checked).toMatchObject({ mapping: { kind: 'monument', match: 'id' }, counts: { changes: 1, refused: 0 } })
    const [row] = await rowsIn(app.contributor, checked.id)
    expect(row.record).toMatchObject({ kind: 'monument', id: it.id })
  })

  test('is of no kind by ids of what its sender may not see', async () => {
    const it = await contribute(app.contributor, 'monuments', { name: 'Stupa unseen' })
    const table = csv([
      ['id', 'name'],
      [it.id, 'Stupa unseen'],
    ])
    const kindFor = async (who: 'contributor' | 'other') => (await readTable(app[who], 'back.csv', table)).mapping?.kind
    expect(await kindFor('contributor')).toBe('monument')
    expect(await kindFor('other')).not.toBe('monument')
  })

  test('corrects what stands: a verdict on the batch says how, or is told what it has left, and why', async () => {
    // With a source, so that the change of a table without one is no correction.
    const assertion = { source_type: 'book', source_citation: 'Guthis of Kathmandu' }
    const it = await publish(app, 'guthis', { name: 'Guthi of Asan', guthi_type: 'SiGuthi', assertion })
    const rows = await tableOf('contributor', 'guthis', { mine: '1', columns: 'name,guthi_type' })
    const checked = await checkTable(app.contributor, 'guthis.csv', csv(rows).replace('SiGuthi', 'NashaGuthi'))
    expect(await done(app.contributor, checked.id, 'run')).toMatchObject({ made: { amended: 1 }, waiting: 1 })
    const shown = async () => sure(200, await app.anon.get(`/cidoc/guthis/${it.id}/`)).guthi_type
    const verdict = { verdict: 'accept', conflict_handling: 'supersedes' }
    for (const [who, body, reason] of [
      [app.community, verdict, 'Settling a contradiction takes at least a domain expert.'],
      [app.curator, { verdict: 'accept' }, 'There is an open contradiction: say how it is settled.'],
    ] as const) {
      expect(await done(who, checked.id, 'decide', body)).toMatchObject({
        waiting: 1,
        decided: { records: 0, left: 1, reasons: [reason] },
      })
      expect(await shown()).toBe('SiGuthi')
    }
    expect(await done(app.domain, checked.id, 'decide', verdict)).toMatchObject({
      waiting: 0,
      decided: { records: 1, left: 0, reasons: [] },
    })
    expect(await shown()).toBe('NashaGuthi')
    expect(await done(app.staff, checked.id, 'take-back')).toMatchObject({ state: 'taken_back', kept: [] })
    expect(await shown()).toBe('SiGuthi')
    const wrong = await app.domain.post(`/data/imports/${checked.id}/decide/`, {
      body: { ...verdict, conflict_handling: 'x' },
    })
    expect([wrong.status, Object.keys(wrong.body)]).toEqual([400, ['conflict_handling']])
  })

  test('tells what somebody else has changed meanwhile, and leaves it', async () => {
    const it = await contribute(app.contributor, 'structures', {
      name: 'Both change',
      note: 'First',
    })
    const [head = [], first = []] = await tableOf('contributor', 'structures', { mine: '1', columns: 'name,note' })
    expect(first[0]).toBe(String(it.id))
    sure(200, await app.staff.patch(`/cidoc/structures/${it.id}/`, { body: { note: 'By staff' } }))
    const untouched = await checkTable(app.contributor, 'structures.csv', csv([head, first]))
    expect(untouched.counts).toMatchObject({ same: 1, conflict: 0 })
    const mine = await checkTable(app.contributor, 'structures.csv', csv([head, [...first.slice(0, 3), 'Mine']]))
    expect(mine.counts).toMatchObject({ conflict: 1, changes: 0 })
    const [row] = await rowsIn(app.contributor, mine.id)
    expect(row.conflicts).toEqual([{ field: 'note', from: 'By staff', to: 'Mine' }])
    expect(await done(app.contributor, mine.id, 'run')).toMatchObject({ made: { amended: 0, left: 1 } })
  })

  describe('while somebody else changes something of it', () => {
    type Faster = (faster: () => Promise<unknown>, work: () => Promise<unknown>) => Promise<unknown>
    const atThatMoment: Faster = async (faster, work) => {
      const { withSomebodyFaster, writing } = await import('../../harness/lost-reply.ts')
      return withSomebodyFaster(writing('import_row'), faster, work)
    }
    const before: Faster = async (faster, work) => {
      await faster()
      return work()
    }
    /** Two rows that are written together; what the run has made of them, and what the first record says then. */
    async function ran(name: string, meanwhile: Faster, byStaff: object) {
      const first = await publish(app, 'structures', { name: `${name} gate`, note: 'First' })
      const second = await publish(app, 'structures', { name: `${name} well`, note: 'First' })
      const rows = [first, second].map((it) => [it.id, 'Mine'])
      const { id, counts } = await checkTable(app.contributor, 'structures.csv', csv([['id', 'note'], ...rows]))
      expect(counts).toMatchObject({ changes: 2 })
      const faster = async () => sure(200, await app.staff.patch(`/cidoc/structures/${first.id}/`, { body: byStaff }))
      const made = await meanwhile(faster, () => done(app.contributor, id, 'run'))
      const told = (await rowsIn(app.contributor, id)).map((row: { run: object }) => row.run)
      const path = `/data/cultural-entities/${first.cultural_entity_id}/`
      return { made, told, says: sure(200, await app.contributor.get(path)).form_data }
    }

    test('stands beside that where both mean different values', async () => {
      const { made, says } = await ran('Two values', atThatMoment, { construction_date: '1702' })
      expect(made).toMatchObject({ made: { amended: 2, left: 0, failed: 0 } })
      expect(says).toMatchObject({ note: 'Mine', construction_date: '1702' })
    })

    test.each([
      ['at that moment', atThatMoment],
      ['since it was tried', before],
    ])('%s is left where both mean one value, and the row says so', async (when, meanwhile) => {
      const { made, told, says } = await ran(`One value ${when}`, meanwhile, { note: 'By staff' })
      expect(made).toMatchObject({ made: { amended: 1, left: 1, failed: 0 } })
      expect(told).toEqual([
        { what: 'left', reason: 'Somebody has changed this since the table was written.' },
        { what: 'amended', reason: '' },
      ])
      expect(says).toMatchObject({ note: 'By staff' })
    })
  })

  test('of someone else changes nothing', async () => {
    await publish(app, 'structures', { name: 'Not yours', note: 'Mine' })
    const [head = [], first = []] = await tableOf('other', 'structures', { columns: 'name,note' })
    const checked = await checkTable(app.other, 'structures.csv', csv([head, [...first.slice(0, 3), 'Yours']]))
    expect(checked.counts).toMatchObject({ refused: 1 })
    const [row] = await rowsIn(app.other, checked.id)
    expect(row.faults[0].message).toBe('This is a record of someone else, which only they and staff may change.')
  })

  describe('of someone else tells nothing of theirs that is hidden', () => {
    /** What two people are told of such a table: one who works on the record, and one who does not. */
    async function told(cells: readonly (readonly (string | number)[])[]) {
      const { community, other } = app
      const [theirs, ours] = [
        await checkTable(other, 'back.csv', csv(cells)),
        await checkTable(community, 'back.csv', csv(cells)),
      ]
      return { theirs: (await rowsIn(other, theirs.id))[0], ours: (await rowsIn(community, ours.id))[0] }
    }

    test('a record that waits is no record to them', async () => {
      const { id } = await contribute(app.contributor, 'structures', { name: 'Waits unseen', note: 'Theirs' })
      const { theirs, ours } = await told([
        ['id', 'name', 'note'],
        [id, 'Waits unseen', 'Mine'],
      ])
      expect(theirs).toMatchObject({
        record: null,
        changes: [],
        faults: [{ message: 'There is no architectural structure with this id.' }],
      })
      expect(ours.changes).toEqual([{ field: 'note', from: 'Theirs', to: 'Mine' }])
    })

    test('an edit that waits, whatever revision the table says it was written from', async () => {
      const { id } = await publish(app, 'structures', { name: 'Edited unseen', note: 'Stands' })
      for (const note of ['Waited', 'Waits'])
        sure(200, await app.contributor.patch(`/cidoc/structures/${id}/`, { body: { note } }))
      const { theirs, ours } = await told([
        ['id', 'revision', 'note'],
        [id, 2, 'Waited'],
      ])
      expect(theirs).toMatchObject({
        ...{ outcome: 'refused', record: null },
        changes: [{ field: 'note', from: 'Stands', to: 'Waited' }],
      })
      expect(ours).toMatchObject({ outcome: 'same', record: { status: 'pending_review' } })
    })

    test('the exact place of what is guarded, and what it names and they may not see', async () => {
      const place = await publish(app, 'locations', { name: 'Place withheld' })
      const { id } = await publish(app, 'structures', {
        ...{ name: 'Guarded unseen', access_tier: 'community_only', coordinates: '27.6716, 85.4284' },
        has_current_location: place.id,
      })
      sure(204, await app.staff.delete(`/cidoc/locations/${place.id}/`))
      const { theirs, ours } = await told([
        ['id', 'coordinates', 'has_current_location'],
        [id, '27.1, 85.1', 'Elsewhere'],
      ])
      expect(JSON.stringify(theirs)).not.toMatch(/\.6716|\.4284|withheld/)
      expect(JSON.stringify(ours)).toMatch(/27.6716, 85.4284/)
    })
  })
})

test('a list is a workbook by its Accept header, holds no formula, and shows no one what is hidden', async () => {
  await contribute(app.contributor, 'persons', { name: '=cmd()' })
  await publish(app, 'persons', { name: '+Public', note: '@x' })
  const accept = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  const answer = await app.anon.get('/cidoc/persons/', { headers: { accept } })
  expect([answer.status, answer.headers['content-type']]).toEqual([200, accept])
  const { checkWorkbook, readWorkbookRows } = await import('../../../lib/domain/imports/formats/workbook.ts')
  expect(await checkWorkbook(answer.bytes)).toMatchObject([{ name: 'persons', hidden: false, formulas: 0, merged: 0 }])
  const rows = await Array.fromAsync(readWorkbookRows(answer.bytes, 0))
  expect(rows.length).toBe(2)
  expect(rows[1]?.[1]).toContain('+Public')
})

test('a column that there is not is refused by name', async () => {
  const answer = await app.anon.get('/cidoc/persons/', { query: { format: 'csv', columns: 'nam' } })
  expect([answer.status, answer.body]).toEqual([400, { columns: ['There is no column nam. Did you mean name?'] }])
})
