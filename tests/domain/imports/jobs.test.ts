import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { form } from '../../harness/asset-world.ts'
import { csv, work } from '../../harness/imports.ts'
import { publish, sure } from '../../harness/make.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
})

const place = '/api/v1/data/tabular-import-jobs/'
const rows = [
  ['Temple name', 'Remarks'],
  ['Nyatapola', 'Five roofs'],
  ['Dattatreya', 'Three roofs'],
]
const fileOf = (text: string, name = 'temples.csv') => new File([text], name, { type: 'text/csv' })
const send = (more: Record<string, string | File> = {}, who = app.contributor) =>
  who.post(place, { body: form({ file: fileOf(csv(rows)), ...more }) })
const sent = async (more: Record<string, string | File> = {}) => sure(201, await send(more))

describe('a table as a job', () => {
  test('is read at once: its columns are guessed, its rows are shown, its provenance becomes their source', async () => {
    const made = await sent({ source_institution: 'Archive of Patan', collection_name: 'Temples 1950', language: 'en' })
    expect(made).toEqual({
      id: expect.any(String),
      status: 'ready_review',
      source_filename: 'temples.csv',
      provenance: { source_institution: 'Archive of Patan', collection_name: 'Temples 1950', language: 'en' },
      column_mapping: { 'Temple name': 'name', Remarks: expect.any(String) },
      staged_rows: [
        { 'Temple name': 'Nyatapola', Remarks: 'Five roofs' },
        { 'Temple name': 'Dattatreya', Remarks: 'Three roofs' },
      ],
      row_review_state: {},
      validation_errors: [],
      user_safe_error: '',
      row_count: 2,
      created_at: '2025-01-15T10:00:00.000Z',
      updated_at: '2025-01-15T10:00:00.000Z',
    })
    expect(sure(200, await app.contributor.get(`${place}${made.id}/`))).toEqual(made)
    const { mapping } = sure(200, await app.contributor.get(`/data/imports/${made.id}/`))
    expect(mapping.assertion).toEqual([{ member: 'source_citation', constant: 'Temples 1950, Archive of Patan' }])
    const [listed] = sure(200, await app.contributor.get(place)).results
    expect([listed.id, listed.staged_rows, listed.row_count]).toEqual([made.id, [], 2])
  })

  test('that is no table has failed at once, with a sentence', async () => {
    const empty = await sent({ file: fileOf(' \n', 'empty.csv') })
    expect([empty.status, empty.user_safe_error, empty.validation_errors]).toEqual([
      'failed',
      'The table is empty.',
      ['The table is empty.'],
    ])
    const none = await send({ file: fileOf('x', 'picture.png') })
    expect([none.status, none.body]).toEqual([
      400,
      { file: ['The name must end in .csv, .tsv, .txt, .xlsx, .ods or .jsonl.'] },
    ])
  })

  test('that is large is read by the worker, and is processing until then', async () => {
    const many = Array.from({ length: 600 }, (_, i) => [`Temple ${i}`, 'x'.repeat(2000)])
    const made = await sent({ file: fileOf(csv([rows[0] ?? [], ...many]), 'many.csv') })
    expect([made.status, made.staged_rows, made.column_mapping]).toEqual(['processing', [], {}])
    const early = await app.contributor.patch(`${place}${made.id}/`, { body: { column_mapping: { Remarks: 'note' } } })
    expect([early.status, early.body.detail]).toEqual([409, 'This table has not been read yet. Try again.'])
    await work()
    const read = sure(200, await app.contributor.get(`${place}${made.id}/`))
    expect([read.status, read.staged_rows.length, read.row_count]).toEqual(['ready_review', 499, 600])
  })

  test('is made once by a request that is repeated under its key', async () => {
    const headers = { 'idempotency-key': 'job-once' }
    const ids = [1, 2].map(
      async () => (await app.other.post(place, { body: form({ file: fileOf(csv(rows)) }), headers })).body.id,
    )
    const [first, second] = [await ids[0], await ids[1]]
    expect(first).toBe(second)
  })

  test('is changed member by member; null takes a header or a note out', async () => {
    const { id } = await sent()
    const change = (body: object) => app.contributor.patch(`${place}${id}/`, { body })
    expect(sure(200, await change({ column_mapping: { Remarks: 'description' } })).column_mapping).toEqual({
      'Temple name': 'name',
      Remarks: 'description',
    })
    expect(sure(200, await change({ column_mapping: { Remarks: null } })).column_mapping).toEqual({
      'Temple name': 'name',
    })
    expect((await change({ column_mapping: { Colour: 'name' } })).body).toEqual({
      column_mapping: [expect.stringContaining('There is no column "Colour".')],
    })
    expect((await change({ column_mapping: { Remarks: 'colour' } })).body).toEqual({
      column_mapping: [expect.stringContaining('has no field colour.')],
    })
    sure(200, await change({ row_review_state: { 2: { ok: true }, 3: { ok: false } }, provenance: { language: 'ne' } }))
    const noted = sure(200, await change({ row_review_state: { 3: null }, provenance: { collection_name: 'Album' } }))
    expect(noted.row_review_state).toEqual({ 2: { ok: true } })
    expect(noted.provenance).toEqual({ language: 'ne', collection_name: 'Album' })
    expect((await change({ row_review_state: { first: {} } })).status).toBe(400)
  })

  test('holds notes and provenance up to its size, however many requests bring them', async () => {
    const { id } = await sent()
    const add = (n: number) =>
      app.contributor.patch(`${place}${id}/`, { body: { row_review_state: { [n]: 'न'.repeat(90_000) } } })
    sure(200, await add(2))
    const refused = await add(3)
    expect([refused.status, refused.body]).toEqual([400, { detail: 'This is too much for one job.' }])
    expect(Object.keys(sure(200, await app.contributor.get(`${place}${id}/`)).row_review_state)).toEqual(['2'])
  })

  test('keeps headers that are not named, whatever they are called', async () => {
    const table = csv([
      ['Temple name', 'valueOf'],
      ['Nyatapola', 'King'],
    ])
    const { id } = await sent({ file: fileOf(table) })
    const change = async (column_mapping: object) =>
      sure(200, await app.contributor.patch(`${place}${id}/`, { body: { column_mapping } })).column_mapping
    await change({ valueOf: 'description' })
    expect(await change({ 'Temple name': 'name' })).toEqual({ 'Temple name': 'name', valueOf: 'description' })
  })

  test('cites its provenance beside a column that is about one value alone', async () => {
    const table = csv([
      ['Temple name', 'condition', 'condition.source'],
      ['Nyatapola', 'Good', 'Survey 1990'],
    ])
    const { id } = await sent({ file: fileOf(table), collection_name: 'Temples 1950' })
    const { mapping } = sure(200, await app.contributor.get(`/data/imports/${id}/`))
    expect(mapping.assertion).toEqual([
      { member: 'source_citation', field: 'condition', column: 'condition.source' },
      { member: 'source_citation', constant: 'Temples 1950' },
    ])
  })

  test('shows its rows and what speaks against them, and is tried and run by its id', async () => {
    const known = await publish(app, 'structures', { name: 'Known temple', coordinates: '27.7, 85.3' })
    const table = csv([
      ['Temple name', 'Latitude', 'Longitude'],
      ['A new temple', '27.71', '85.31'],
      ['Badly placed', 'north', '85.31'],
    ])
    const { id } = await sent({ file: fileOf(table, 'structures.csv') })
    const preview = async () => sure(200, await app.contributor.get(`${place}${id}/compile-preview/`))
    expect(await preview()).toMatchObject({
      tabular_job_id: id,
      row_count: 2,
      entities: [
        { id: `tabular-${id}`, kind: 'document', label: 'structures.csv' },
        { id: 'row-2', kind: 'row', row_index: 2, label: 'A new temple', entity_type: 'ROW' },
        { id: 'row-3', kind: 'row', row_index: 3, label: 'Badly placed' },
      ],
      relations: [
        { source: `tabular-${id}`, target: 'row-2', label: 'contains_row', confidence: 1 },
        { source: `tabular-${id}`, target: 'row-3', label: 'contains_row', confidence: 1 },
      ],
      validation_errors: [],
    })
    sure(200, await app.contributor.post(`/data/imports/${id}/check/`))
    await work()
    expect((await preview()).validation_errors).toEqual([expect.stringMatching(/^Row 3: /)])
    sure(200, await app.contributor.post(`/data/imports/${id}/run/`, { body: {} }))
    await work()
    const { made } = sure(200, await app.contributor.get(`/data/imports/${id}/`))
    expect(made.created).toBe(1)
    expect(known.id).toBeGreaterThan(0)
  })

  test('is for its sender alone, and that of reviewers', async () => {
    const { id } = await sent()
    expect((await app.other.get(`${place}${id}/`)).status).toBe(404)
    expect((await app.other.patch(`${place}${id}/`, { body: {} })).status).toBe(404)
    expect((await app.community.get(`${place}${id}/`)).status).toBe(200)
    expect((await app.community.patch(`${place}${id}/`, { body: {} })).status).toBe(403)
    expect((await app.other.get(`${place}${id}/compile-preview/`)).status).toBe(404)
  })
})
