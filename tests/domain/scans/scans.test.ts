import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { eventually, fileOf, follow, form } from '../../harness/asset-world.ts'
import { atOnce, contribute, decide, publish, sure } from '../../harness/make.ts'

let app: App
beforeAll(async () => {
  app = await openApp({ env: { RATE_SCANS: '1000/day' } })
})

const place = '/api/v1/data/ocr-documents/'
const parts = '/api/v1/data/ocr-chunk-uploads/'

/** A page of print as PNG. */
const printedPage = (...lines: readonly string[]) => {
  const rows = lines.map(
    (line, i) => `<text x="40" y="${70 + i * 60}" font-family="DejaVu Serif" font-size="32">${line}</text>`,
  )
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="${60 + lines.length * 60}"><rect width="100%" height="100%" fill="white"/>${rows.join('')}</svg>`
  return sharp(Buffer.from(svg)).png().toBuffer()
}
const blank = () => printedPage('')
const send = (
  bytes: Uint8Array,
  more: Record<string, string> = { standalone_ingestion: 'true' },
  who = app.contributor,
) => who.post(`${place}upload/`, { body: form({ file: fileOf(bytes, 'register.png', 'image/png'), ...more }) })
const sent = async (bytes: Uint8Array, more?: Record<string, string>) =>
  sure(201, await send(bytes, more)).uploaded_document_id as string
const read = async (id: string, rest = '', who: Persona = app.contributor) =>
  sure(200, await who.get(`${place}${id}/${rest}`))
/** Waits until the worker has read a document. */
const readBy = async (id: string) => {
  await eventually(async () => (await read(id)).status, 120_000).toMatch(/completed|failed/)
  return read(id)
}

/** Puts what a worker would have read into a document, so that a test of its review needs no worker. */
async function readAs(id: string, ...lines: readonly string[]) {
  const { beginReading, finishReading } = await import('../../../lib/domain/scans/reading.ts')
  const begun = await beginReading(id)
  if (!begun) throw new Error('somebody else reads it')
  const words = (line: string, k: number) =>
    line.split(' ').map((text, i) => ({
      text,
      confidence: 0.9,
      box: [40 + i * 100, 40 + k * 60, 130 + i * 100, 80 + k * 60] as [number, number, number, number],
    }))
  const pages = [{ width: 0, height: 0, confidence: 0.9, lines: lines.map(words) }]
  await finishReading(begun, { text: lines.join('\n'), confidence: 0.9, pages, isDigital: false })
}

describe('a document', () => {
  test('is read by a worker, line by line, with boxes', { timeout: 180_000 }, async () => {
    const stop = await follow('ocr')
    const made = sure(201, await send(await printedPage('Field notes of Bhaktapur', 'Built in 1702')))
    expect(made).toEqual({ media_id: expect.any(Number), uploaded_document_id: expect.any(String), status: 'pending' })
    const it = await readBy(made.uploaded_document_id)
    await stop()
    expect(it).toMatchObject({ status: 'completed', document_type: 'image_print', user_safe_error: '' })
    expect(it.metadata.pipeline_status).toBe('complete')
    const { pages, extracted_fields } = await read(it.id, 'review/')
    expect(pages[0].blocks[0].text).toContain('Bhaktapur')
    const [left, top, right, bottom] = pages[0].blocks[0].bbox
    expect(left < right && top < bottom && right <= 800).toBe(true)
    expect(extracted_fields).toContainEqual(
      expect.objectContaining({
        field_name: 'construction_date',
        field_value: '1702',
        entity_type: 'DATE',
        page_number: 1,
      }),
    )
    const graph = await read(it.id, 'graph-export/')
    expect(graph).toMatchObject({ document_id: it.id, pipeline_status: 'complete' })
    expect([graph.node_count + graph.edge_count, graph.node_count]).toEqual([
      graph.elements.length,
      extracted_fields.length + 1,
    ])
    expect((await read(it.id, 'graph-export/?routes=none')).node_count).toBe(1)
    const events = await app.contributor.get(`${place}${it.id}/events/`)
    expect([events.headers['content-type'], events.bytes.toString()]).toEqual([
      expect.stringContaining('text/event-stream'),
      expect.stringContaining('data: {"status":"completed"'),
    ])
    const listed = sure(200, await app.contributor.get(place, { query: { status: 'completed' } }))
    expect(listed.results.map((row: { id: string }) => row.id)).toContain(it.id)
    expect((await app.other.get(place)).body.count).toBe(0)
    const file = await app.contributor.get(`${place}${it.id}/asset/`)
    expect([file.status, file.headers['content-type']]).toEqual([200, 'image/png'])
    expect(file.headers['content-disposition']).toContain('inline')
  })

  test.each([
    [{}, 400],
    [{ standalone_ingestion: 'true', submission_id: 'S1' }, 400],
    [{ cultural_entity_id: '8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10' }, 404],
  ])('sent with %j is refused', async (more, status) => {
    expect((await send(await blank(), more as Record<string, string>)).status).toBe(status)
  })

  test('is about a record of one’s own alone', async () => {
    const own = await contribute(app.contributor, 'structures', { name: 'With a document' })
    const more = { cultural_entity_id: own.cultural_entity_id }
    expect((await send(await blank(), more, app.other)).status).toBe(404)
    const shown = await publish(app, 'structures', { name: 'Shown with a document' })
    expect((await send(await blank(), { cultural_entity_id: shown.cultural_entity_id }, app.other)).status).toBe(403)
    expect((await send(await blank(), more)).status).toBe(201)
  })

  test('whose file is lost is 404, and not a fault', async () => {
    const id = await sent(await blank())
    const { deleteObject, listKeys } = await import('../../../lib/engines/bucket/index.ts')
    for (const key of await listKeys(`scans/${id}/`)) await deleteObject(key)
    expect((await app.contributor.get(`${place}${id}/asset/`)).status).toBe(404)
  })

  test('that is no image is refused at once', async () => {
    const reply = await send(randomBytes(64))
    expect([reply.status, reply.body.file]).toEqual([400, [expect.any(String)]])
  })

  test('is for its sender and staff; reviewers read it once its review has ended', async () => {
    const id = await sent(await blank())
    for (const who of [app.other, app.community]) expect((await who.get(`${place}${id}/`)).status).toBe(404)
    expect((await app.staff.get(`${place}${id}/`)).status).toBe(200)
    await readAs(id, 'Nothing of note')
    sure(200, await app.contributor.post(`${place}${id}/finalize-review/`))
    expect((await app.other.get(`${place}${id}/`)).status).toBe(404)
    expect((await app.community.get(`${place}${id}/asset/`)).status).toBe(200)
    expect((await app.community.patch(`${place}${id}/review-state/`, { body: {} })).status).toBe(403)
  })

  test('that has failed is read again; one that is read is not', async () => {
    const id = await sent(await blank())
    const { beginReading, failReading } = await import('../../../lib/domain/scans/reading.ts')
    const begun = await beginReading(id)
    if (begun) await failReading(begun, 'The image cannot be read.')
    expect(await read(id)).toMatchObject({ status: 'failed', user_safe_error: 'The image cannot be read.' })
    expect((await app.contributor.post(`${place}${id}/run-pipeline/`)).status).toBe(400)
    expect((await app.contributor.post(`${place}${id}/retry/`)).status).toBe(202)
    expect((await app.contributor.post(`${place}${id}/retry/`)).status).toBe(409)
  })
})

describe('what is found', () => {
  test('has an era only where the era is a word', async () => {
    const id = await sent(await blank())
    await readAs(id, 'TOMBS 1890', 'ROMAN S 1891', 'in B.S. 1892', '(NS 893)')
    const { extracted_fields } = await read(id, 'review/')
    const dates = extracted_fields.filter((it: { entity_type: string }) => it.entity_type === 'DATE')
    expect(dates.map((it: { field_value: string }) => it.field_value)).toEqual(['1890', '1891', 'B.S. 1892', 'NS 893'])
  })

  test('are names of known public records, dates in several calendars, and the first line; no hidden name', async () => {
    const temple = await publish(app, 'structures', { name: 'Dattatreya Mandir' })
    await contribute(app.contributor, 'structures', { name: 'Hidden Shrine Mandir' })
    const id = await sent(await blank())
    await readAs(id, 'Dattatreya Mandir was built', 'BS 1484 and 1427', 'Hidden Shrine Mandir')
    const { extracted_fields } = await read(id, 'review/')
    expect(extracted_fields.map((it: Record<string, unknown>) => [it.field_name, it.field_value, it.bbox])).toEqual([
      ['name', 'Dattatreya Mandir', [40, 40, 230, 80]],
      ['construction_date', 'BS 1484', [40, 100, 230, 140]],
      ['construction_date', '1427', [340, 100, 430, 140]],
    ])
    expect(extracted_fields[0].record).toEqual({
      resource_key: 'structure',
      id: temple.id,
      entity_id: temple.cultural_entity_id,
      label: 'Dattatreya Mandir',
    })
    expect(await read(id, 'suggestions/?ontology_class=structure')).toMatchObject({
      name: { value: 'Dattatreya Mandir', entityType: 'ARTIFACT' },
      construction_date: { confidence: 0.9 },
    })
    const preview = await read(id, 'compile-preview/')
    expect(preview.counts_by_entity_type).toEqual({ ARTIFACT: 1, DATE: 2 })
    expect(preview.relations).toContainEqual({
      source: 'ef-1',
      target: 'ef-2',
      label: 'reading_order',
      confidence: 0.35,
    })
    expect(preview.validation_errors).toEqual([])
  })

  test('is found anew in corrected lines, and the lines keep what was read', async () => {
    await publish(app, 'structures', { name: 'Vatsala Mandir' })
    const id = await sent(await blank())
    await readAs(id, 'Vatsa1a Mandlr', 'in 1696')
    const body = { block_corrections: { '0_0': { corrected_text: 'Vatsala Mandir' } } }
    sure(200, await app.contributor.patch(`${place}${id}/review-state/`, { body }))
    expect((await app.contributor.post(`${place}${id}/run-pipeline/`)).status).toBe(202)
    const { pages, extracted_fields } = await read(id, 'review/')
    expect(pages[0].blocks[0]).toMatchObject({ text: 'Vatsala Mandir', original_text: 'Vatsa1a Mandlr' })
    expect(extracted_fields[0]).toMatchObject({ field_value: 'Vatsala Mandir', vocabulary_match_score: 1 })
  })
})

describe('what is said of it', () => {
  test('is merged member by member, and null takes a member out', async () => {
    const id = await sent(await blank())
    await readAs(id, 'A line')
    const change = (body: object) => app.contributor.patch(`${place}${id}/review-state/`, { body })
    sure(200, await change({ field_decisions: { 1: { edited_value: 'Nyatapola', uncertain: false, linked: null } } }))
    expect(sure(200, await change({ field_decisions: { 1: { uncertain: true } } })).field_decisions).toEqual({
      1: { edited_value: 'Nyatapola', uncertain: true, linked: null, block: null },
    })
    expect(sure(200, await change({ field_decisions: { 1: null } })).field_decisions).toEqual({})
    const two = await atOnce(
      ['A', 'B'].map((text) => () => change({ block_corrections: { '0_0': { corrected_text: text } } })),
    )
    expect(two.map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await read(id, 'review-state/')).finalized_at).toBe(null)
  })

  test.each([
    [{ field_decisions: { 1: { linked: true } } }],
    [{ field_decisions: { 1: { linked: { id: 4 } } } }],
    [{ field_decisions: { 1: { linked: { resource_key: 'structure', id: '4' } } } }],
    [{ block_corrections: { first: { corrected_text: 'x' } } }],
  ])('%j is refused', async (body) => {
    const id = await sent(await blank())
    expect((await app.contributor.patch(`${place}${id}/review-state/`, { body })).status).toBe(400)
  })
})

describe('a document in parts', () => {
  const begin = async (bytes: Uint8Array, filename = 'register.png') =>
    sure(
      201,
      await app.contributor.post(parts, {
        body: { filename, byte_size: bytes.length, media_type: 'image', description: '' },
      }),
    ).id
  const append = (id: string, bytes: Uint8Array, offset?: number, who = app.contributor) =>
    who.post(`${parts}${id}/append/`, {
      body: form({ chunk: fileOf(bytes, 'part.bin'), ...(offset !== undefined && { offset: String(offset) }) }),
    })

  test('is put together in order; a part that is sent again does not count twice', async () => {
    const bytes = await blank()
    const id = await begin(bytes)
    const half = Math.floor(bytes.length / 2)
    expect(sure(200, await append(id, bytes.subarray(0, half), 0)).bytes_written).toBe(half)
    expect(sure(200, await append(id, bytes.subarray(0, half), 0)).bytes_written).toBe(half)
    expect((await append(id, bytes.subarray(half), 3)).body).toEqual({
      detail: `The next part begins at byte ${half}.`,
    })
    const early = await app.contributor.post(`${parts}${id}/complete/`)
    expect([early.status, early.body.detail]).toEqual([400, `${half} of ${bytes.length} bytes have been sent.`])
    expect((await append(id, bytes)).status).toBe(400)
    expect((await append(id, bytes.subarray(half), half, app.other)).status).toBe(404)
    sure(200, await append(id, bytes.subarray(half), half))
    const made = sure(201, await app.contributor.post(`${parts}${id}/complete/`))
    expect(made.status).toBe('pending')
    const file = await app.contributor.get(`${place}${made.uploaded_document_id}/asset/`)
    expect(file.bytes.equals(bytes)).toBe(true)
    const told = { detail: `This file is complete. Its document is ${made.uploaded_document_id}.` }
    for (const again of [await app.contributor.post(`${parts}${id}/complete/`), await append(id, bytes)])
      expect([again.status, again.body]).toEqual([400, told])
  })

  test('is taken in the parts of 6 MiB that the dashboard sends; a larger one is refused', async () => {
    const bytes = Buffer.alloc(6 * 1024 * 1024 + 10)
    const id = await begin(bytes)
    expect(sure(200, await append(id, bytes.subarray(0, 6 * 1024 * 1024))).bytes_written).toBe(6 * 1024 * 1024)
    const large = await append(id, Buffer.alloc(6_500_000))
    expect([large.status, large.body]).toEqual([413, { detail: 'The body is larger than 6500000 bytes.' }])
  })

  test('that is no image is a document that has failed, with the reason', async () => {
    const bytes = randomBytes(64)
    const id = await begin(bytes)
    sure(200, await append(id, bytes))
    const made = sure(201, await app.contributor.post(`${parts}${id}/complete/`))
    expect(made.status).toBe('failed')
    expect((await read(made.uploaded_document_id)).user_safe_error).not.toBe('')
    expect((await app.contributor.get(`${place}${made.uploaded_document_id}/asset/`)).status).toBe(404)
  })
})

test('the walk: a scanned page in Nepali, a corrected line, handed over, accepted; explain shows page and box', async () => {
  await publish(app, 'locations', { name: 'भक्तपुर', coordinates: '27.67, 85.42' })
  const more = {
    standalone_ingestion: 'true',
    language: 'ne',
    collection_name: 'Register of temples',
    source_institution: 'Archive',
  }
  const id = await sent(await blank(), more)
  await readAs(id, 'श्री ङ्यातपोल मन्दर', 'भक्तपुर नगर', 'वि.सं. १७५९ मा बनेको')
  const body = { block_corrections: { '0_0': { corrected_text: 'श्री ङातापोल मन्दिर' } } }
  sure(200, await app.contributor.patch(`${place}${id}/review-state/`, { body }))
  sure(202, await app.contributor.post(`${place}${id}/run-pipeline/`))
  const { pages, extracted_fields } = await read(id, 'review/')
  expect(pages[0].blocks[0].original_text).toBe('श्री ङ्यातपोल मन्दर')
  const fieldOf = (name: string) => extracted_fields.find((it: { field_name: string }) => it.field_name === name)
  const [name, where, date] = ['name', 'location_name', 'construction_date'].map(fieldOf)
  expect([name.field_value, where.record.label, date.field_value]).toEqual(['श्री ङातापोल मन्दिर', 'भक्तपुर', 'वि.सं. १७५९'])
  const decided = {
    field_decisions: {
      [name.id]: { edited_value: 'ङातापोल मन्दिर' },
      [where.id]: { linked: { resource_key: 'location', id: where.record.id } },
      [date.id]: { uncertain: false },
    },
    ontology_handoff_key: 'structure',
  }
  sure(200, await app.contributor.patch(`${place}${id}/review-state/`, { body: decided }))
  const ended = sure(200, await app.contributor.post(`${place}${id}/finalize-review/`))
  expect(ended.ingestion_review_state.finalized_at).toBe('2025-01-15T10:00:00.000Z')
  expect((await app.contributor.post(`${place}${id}/finalize-review/`)).status).toBe(409)
  const { cultural_entity_id } = ended.contribution
  expect((await app.anon.get(`/cidoc/structures/${ended.contribution.id}/`)).status).toBe(404)
  sure(201, await decide(app.domain, { cultural_entity_id }, { verdict: 'accept' }))
  const shown = sure(200, await app.anon.get(`/cidoc/structures/${ended.contribution.id}/`))
  expect([shown.name, shown.construction_date]).toEqual(['ङातापोल मन्दिर', 'वि.सं. १७५९'])
  const explained = JSON.stringify(sure(200, await app.anon.get(`/data/entities/${cultural_entity_id}/explain/`)))
  expect(explained).toContain('Register of temples, Archive, register.png')
  expect(explained).toContain(`construction_date: page 1, box ${date.bbox.join(',')}`)
})
