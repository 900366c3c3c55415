import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { checkTable, csv, done, rowsIn, xlsx } from '../../harness/imports.ts'
import { contribute, publish, sure } from '../../harness/make.ts'

/** Sources and confidences as columns: they go out, come back, and change only what was changed. */

let app: App
beforeAll(async () => {
  app = await openApp({ env: { RATE_IMPORTS: '1000/day' } })
})

const book = { source_type: 'book', source_citation: 'Slusser, Nepal Mandala', confidence: 'likely' }

/** The table of the contributor's own records: headers, then a row for each. */
async function tableOf(segment: string, columns: string): Promise<string[][]> {
  const query = { format: 'csv', mine: '1', columns, evidence: 'true' }
  const answer = await app.contributor.get(`/cidoc/${segment}/`, { query })
  expect(answer.status).toBe(200)
  return parse(answer.bytes, { bom: true })
}

/** The table with some cells changed: by id, then by column. */
function changed(rows: readonly string[][], id: number, cells: Record<string, string>): string[][] {
  const [head = [], ...others] = rows
  return [
    head,
    ...others.map((row) => (row[0] === String(id) ? row.map((cell, i) => cells[head[i] ?? ''] ?? cell) : row)),
  ]
}

/** The claims of a record, as its contributor sees them, without those that were replaced. */
async function claimsOn(segment: string, id: number): Promise<Record<string, unknown>[]> {
  const { assertions } = sure(200, await app.contributor.get(`/cidoc/${segment}/${id}/`))
  return assertions
}

const newClaims = async (segment: string, id: number, before: readonly Record<string, unknown>[]) =>
  (await claimsOn(segment, id)).filter((claim) => !before.some((old) => old.id === claim.id))

/** A registered source. */
const register = async (body: object) => sure(201, await app.contributor.post('/cidoc/data_sources/', { body })).id

describe('a table with sources and confidences', () => {
  test('has three columns beside each value, and makes nothing if nothing was changed', async () => {
    const source = await register({ name: 'Field notes 1991' })
    const guthi = await publish(app, 'guthis', { name: 'Guthi of Asan', guthi_type: 'SiGuthi', assertion: book })
    const claim = {
      ...{ entity_type: 'guthi', entity_id: guthi.id, asserted_property: 'note', asserted_value: 'Meets in May' },
      ...{ source, confidence: 'certain' },
    }
    sure(201, await app.contributor.post('/cidoc/assertions/', { body: claim }))
    await publish(app, 'guthis', { name: 'Guthi of Thimi', guthi_type: 'SiGuthi' })
    const rows = await tableOf('guthis', 'name,guthi_type')
    expect(rows[0]).toEqual([
      ...['id', 'revision', 'name', 'name.source', 'name.source_type', 'name.confidence'],
      ...['guthi_type', 'guthi_type.source', 'guthi_type.source_type', 'guthi_type.confidence'],
    ])
    expect(rows.find(([id]) => id === String(guthi.id))).toEqual([
      ...[`${guthi.id}`, '1', 'Guthi of Asan', book.source_citation, 'book', 'likely'],
      ...['SiGuthi', book.source_citation, 'book', 'likely'],
    ])
    const checked = await checkTable(app.contributor, 'guthis.csv', csv(rows))
    expect(checked).toMatchObject({ mapping: { kind: 'guthi', match: 'id' }, counts: { same: 2, changes: 0 } })
  })

  test('makes one claim for a changed confidence, one for a changed source, and none for what stays', async () => {
    const body = { note: 'Beside the well', condition: 'Fair', assertion: book }
    const surer = await publish(app, 'structures', { name: 'Surer', ...body })
    const sourced = await publish(app, 'structures', { name: 'Sourced', ...body })
    const valued = await publish(app, 'structures', { name: 'Valued', ...body })
    const left = await publish(app, 'structures', { name: 'Left', ...body })
    const source = await register({ name: 'Field notes 1992' })
    const before = await Promise.all([surer, sourced, valued, left].map(({ id }) => claimsOn('structures', id)))
    const untouched = await tableOf('structures', 'name,note,condition')
    const rows = [
      [surer.id, { 'condition.confidence': 'certain' }],
      [sourced.id, { 'condition.source': `#${source} Field notes 1992`, 'condition.source_type': '' }],
      [valued.id, { condition: 'Good' }],
    ] as const
    const table = rows.reduce((all, [id, cells]) => changed(all, id, cells), untouched)
    const checked = await checkTable(app.contributor, 'structures.xlsx', await xlsx(table))
    expect(checked.counts).toMatchObject({ changes: 3, same: 1, refused: 0 })
    const said = new Map(
      (await rowsIn(app.contributor, checked.id)).map((row: { name: string; changes: object[] }) => [
        row.name,
        row.changes,
      ]),
    )
    expect(said.get('Surer')).toEqual([{ field: 'condition.confidence', from: 'likely', to: 'certain' }])
    expect(said.get('Sourced')).toEqual([
      { field: 'condition.source', from: book.source_citation, to: `#${source} Field notes 1992` },
      { field: 'condition.source_type', from: 'book', to: '' },
    ])
    expect(said.get('Valued')).toEqual([{ field: 'condition', from: 'Fair', to: 'Good' }])
    expect(await done(app.contributor, checked.id, 'run')).toMatchObject({ made: { amended: 3, left: 1, failed: 0 } })

    const made = await Promise.all(
      [surer, sourced, valued, left].map(({ id }, i) => newClaims('structures', id, before[i] ?? [])),
    )
    const condition = { property: 'condition', value: 'Fair', ...book, source: null, reconciliation_status: 'pending' }
    expect(made).toMatchObject([
      [{ ...condition, confidence: 'certain' }],
      [{ ...condition, source_type: '', source_citation: '', source }],
      [{ ...condition, value: 'Good' }],
      [],
    ])
    // The table that goes out now says what waits, and brings nothing back.
    const again = await tableOf('structures', 'name,note,condition')
    const cellOf = (id: number, column: string) =>
      again.find(([cell]) => cell === String(id))?.[again[0]?.indexOf(column) ?? -1]
    expect(cellOf(surer.id, 'condition.confidence')).toBe('certain')
    expect(cellOf(sourced.id, 'condition.source')).toBe(`#${source} Field notes 1992`)
    expect((await checkTable(app.contributor, 'structures.csv', csv(again))).counts).toMatchObject({
      same: 4,
      changes: 0,
    })

    // Readers see what is accepted.
    await done(app.domain, checked.id, 'decide', { verdict: 'accept', conflict_handling: 'supersedes' })
    const standing = sure(200, await app.anon.get(`/cidoc/structures/${surer.id}/`)).assertions
    expect(standing.filter((it: { property: string }) => it.property === 'condition')).toMatchObject([
      { confidence: 'certain', reconciliation_status: 'accepted' },
    ])
    await done(app.staff, checked.id, 'take-back')
    expect(await claimsOn('structures', surer.id)).toEqual(before[0])
  })

  test('says in Nepali and by other headers what it says, and a new table gives each value its source', async () => {
    const table = csv([
      ['Name', 'Condition', 'Condition: source', 'Condition: certainty', 'निर्माण मिति', 'निर्माण मिति: निश्चितता'],
      ['Pati of Chobhar', 'Good', 'Field book, page 7', 'certain', '1702', ''],
    ])
    const checked = await checkTable(app.contributor, 'patis.csv', table, { kind: 'structure' })
    expect(checked.mapping.assertion).toEqual([
      { member: 'source_citation', field: 'condition', column: 'Condition: source' },
      { member: 'confidence', field: 'condition', column: 'Condition: certainty' },
      { member: 'confidence', field: 'construction_date', column: 'निर्माण मिति: निश्चितता' },
    ])
    await done(app.contributor, checked.id, 'run')
    const [row] = await rowsIn(app.contributor, checked.id)
    const claims = await claimsOn('structures', row.record.id)
    expect(claims.find(({ property }) => property === 'condition')).toMatchObject({
      ...{ source_citation: 'Field book, page 7', confidence: 'certain' },
    })
    expect(claims.find(({ property }) => property === 'construction_date')).toMatchObject({
      ...{ source_citation: '', confidence: 'likely' },
    })
  })

  test('is refused by the cell for a confidence that there is not, and for a source that nobody knows', async () => {
    const it = await contribute(app.contributor, 'persons', { name: 'Arniko', note: 'Architect', assertion: book })
    const hidden = await app.staff.post('/cidoc/data_sources/', { body: { name: 'Withdrawn notes' } })
    const gone = sure(201, hidden).id
    sure(204, await app.staff.delete(`/cidoc/data_sources/${gone}/`))
    const table = await tableOf('persons', 'name,note')
    const faultsOf = async (cells: Record<string, string>) => {
      const { id, counts } = await checkTable(app.contributor, 'persons.csv', csv(changed(table, it.id, cells)))
      expect(counts).toMatchObject({ refused: 1, changes: 0 })
      return (await rowsIn(app.contributor, id))[0].faults
    }
    const message = (
      await app.contributor.post('/cidoc/persons/', { body: { name: 'X', assertion: { confidence: 'sertain' } } })
    ).body.assertion.confidence[0]
    expect(await faultsOf({ 'note.confidence': 'sertain' })).toEqual([
      {
        ...{ field: 'note.confidence', column: 'note.confidence', value: 'sertain', nearest: 'certain' },
        ...{ message, legal: expect.arrayContaining(['certain', 'likely']) },
      },
    ])
    for (const source of ['#01900000-0000-7000-8000-000000000000', `#${gone} Withdrawn notes`, '#7'])
      expect(await faultsOf({ 'note.source': source })).toEqual([
        {
          ...{ field: 'note.source', column: 'note.source', value: source },
          message: 'There is no data source with one of these ids.',
        },
      ])
  })

  test('leaves a confidence that somebody else has changed since', async () => {
    const it = await contribute(app.contributor, 'festivals', { name: 'Jatra', note: 'In May', assertion: book })
    const table = await tableOf('festivals', 'name,note')
    const byStaff = { note: 'In June', assertion: { ...book, confidence: 'certain' } }
    sure(200, await app.staff.patch(`/cidoc/festivals/${it.id}/`, { body: byStaff }))
    const mine = csv(changed(table, it.id, { 'note.confidence': 'uncertain' }))
    const checked = await checkTable(app.contributor, 'festivals.csv', mine)
    expect(checked.counts).toMatchObject({ conflict: 1 })
    const [row] = await rowsIn(app.contributor, checked.id)
    expect(row.conflicts).toEqual([{ field: 'note.confidence', from: 'certain', to: 'uncertain' }])
  })

  test('is for those who are signed in', async () => {
    const answer = await app.anon.get('/cidoc/persons/', { query: { format: 'csv', evidence: 'true' } })
    expect([answer.status, answer.body]).toEqual([
      400,
      { evidence: ['Sign in to get a table with sources and confidences.'] },
    ])
  })
})
