import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { eventually, follow, newProject, upload } from '../../harness/asset-world.ts'
import { contribute, publish, sure } from '../../harness/make.ts'
import * as make from '../../harness/media-files.ts'
import { latin } from '../../harness/media-files.ts'

let app: App
let page: Buffer
let blank: Buffer
beforeAll(async () => {
  app = await openApp({ env: { RATE_PROJECTS: '1000/h', RATE_UPLOADS: '1000/day' } })
  page = await printed(
    'Field notes, Bhaktapur 1991',
    'The Nyatapola Temple stands near the',
    'Quiet Pavilion of King Bhupatindra Malla.',
  )
  blank = await sharp(make.drawing()).png().toBuffer()
})

/** A page of print. */
const printed = (...lines: readonly string[]) => {
  const rows = lines.map(
    (line, i) => `<text x="40" y="${70 + i * 60}" font-family="DejaVu Serif" font-size="32">${line}</text>`,
  )
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="${60 + lines.length * 60}"><rect width="100%" height="100%" fill="white"/>${rows.join('')}</svg>`
  return sharp(Buffer.from(svg)).png().toBuffer()
}
const add = async (assets: string, bytes = page, more: Record<string, string> = {}) =>
  sure(201, await upload(app.contributor, assets, bytes, 'page.png', more))
const start = (assets: string, id: string, body: object = { confirm_vision: false }) =>
  app.contributor.post(`${assets}${id}/start-ocr/`, { body })
const read = async (assets: string, id: string) => sure(200, await app.contributor.get(`${assets}${id}/`))
const statusOf = async (assets: string, id: string) => (await read(assets, id)).ocr_status
/** Calls the worker as `asset-files` does. Answers how often it failed. */
const called = async (assets: string, id: string, times = 1) => {
  const { handler } = await import('../../../functions/ocr.ts')
  const { project } = await read(assets, id)
  let failures = 0
  for (let i = 0; i < times; i += 1)
    await handler({ project_id: project, id }).catch(() => {
      failures += 1
    })
  return failures
}

describe('with the worker at work', () => {
  let stop: () => Promise<void>
  beforeAll(async () => {
    stop = await follow('ocr')
  })
  afterAll(() => stop())

  test('an image that was sent with run_ocr is read, and the public records that it names are suggested', async () => {
    await publish(app, 'structures', { name: 'Nyatapola Temple' })
    await publish(app, 'persons', { name: 'Bhupatindra Malla' })
    await publish(app, 'structures', { name: 'Field notes, Bhaktapur', access_tier: 'restricted' })
    await contribute(app.contributor, 'structures', { name: 'Quiet Pavilion' })
    const assets = await newProject(app)
    const made = await add(assets, page, { run_ocr: 'true' })
    expect(made.ocr_status).toBe('pending')
    await eventually(() => statusOf(assets, made.id), 60_000).toBe('completed')
    const after = await read(assets, made.id)
    expect(after.ocr_text).toContain('The Nyatapola Temple stands near the')
    const found = {
      ontology_class: 'ArchitecturalStructure',
      hint: 'Architectural Structure',
      confidence: expect.any(Number),
    }
    expect(after.entity_suggestions).toHaveLength(2)
    expect(after.entity_suggestions).toContainEqual({ ...found, label: 'Nyatapola Temple', hint: expect.any(String) })
    expect(after.entity_suggestions.map((it: { label: string }) => it.label).sort()).toEqual([
      'Bhupatindra Malla',
      'Nyatapola Temple',
    ])
    for (const { confidence } of after.entity_suggestions) expect(confidence).toBeGreaterThan(0.5)
    expect([after.ocr_error, after.uploaded_document_id]).toEqual(['', null])
  })

  test('one that was sent without is read when asked for, and again when asked again', async () => {
    const assets = await newProject(app)
    const { id } = await add(assets)
    expect(await statusOf(assets, id)).toBe('not_started')
    for (let run = 1; run <= 2; run += 1) {
      const asked = sure(200, await start(assets, id))
      expect([asked.id, asked.ocr_status, asked.uploaded_document_id]).toEqual([id, 'pending', null])
      await eventually(() => statusOf(assets, id), 60_000).toBe('completed')
    }
  })

  test('a blank image is read: there is nothing in it', async () => {
    const assets = await newProject(app)
    const { id } = await add(assets, blank, { run_ocr: 'true', ocr_language: 'ne' })
    await eventually(() => statusOf(assets, id), 60_000).toBe('completed')
    expect((await read(assets, id)).entity_suggestions).toEqual([])
  })

  test('a PDF is read as the text that it holds, and the records that it names are suggested', async () => {
    const assets = await newProject(app)
    const text = latin('BT /F1 12 Tf 20 100 Td (Notes on the Nyatapola Temple) Tj ET')
    const file = make.pdf({ text })
    const made = sure(201, await upload(app.contributor, assets, file, 'notes.pdf', { run_ocr: 'true' }))
    expect(made.ocr_status).toBe('pending')
    await eventually(() => statusOf(assets, made.id), 60_000).toBe('completed')
    const after = await read(assets, made.id)
    expect(after.ocr_text).toBe('Notes on the Nyatapola Temple')
    expect(after.entity_suggestions).toContainEqual(
      expect.objectContaining({ label: 'Nyatapola Temple', confidence: 1 }),
    )
  })

  test('a PDF that is a scan is read as its pages look', async () => {
    const assets = await newProject(app)
    const scan = await sharp(page).flatten({ background: '#fff' }).jpeg().toBuffer()
    const { width = 0, height = 0 } = await sharp(scan).metadata()
    const made = sure(201, await upload(app.contributor, assets, make.scanned(scan, { width, height }), 'scan.pdf'))
    expect(made.ocr_status).toBe('not_started')
    sure(200, await start(assets, made.id))
    await eventually(() => statusOf(assets, made.id), 60_000).toBe('completed')
    expect((await read(assets, made.id)).ocr_text).toContain('The Nyatapola Temple stands near the')
  })

  test('an image that the reader stumbles over fails with the reason, and holds up nobody', async () => {
    const assets = await newProject(app)
    const webp = await sharp(make.drawing()).webp().toBuffer()
    const bad = sure(201, await upload(app.contributor, assets, webp.fill(0xff, 30), 'bad.webp', { run_ocr: 'true' }))
    const good = await add(assets, page, { run_ocr: 'true' })
    await eventually(() => statusOf(assets, good.id), 60_000).toBe('completed')
    expect(await read(assets, bad.id)).toMatchObject({
      ocr_status: 'failed',
      ocr_error: 'The image cannot be read.',
      ocr_text: '',
    })
    // And may be asked for again.
    expect(sure(200, await start(assets, bad.id)).ocr_error).toBe('')
  })
})

describe('asking for the text', () => {
  test.each([
    ['audio/mpeg', 'a.mp3'],
    ['video/mp4', 'a.mp4'],
  ] as const)('of %s is refused', async (type, name) => {
    const assets = await newProject(app)
    const made = sure(
      201,
      await upload(app.contributor, assets, (await make.oneOfEach())[type], name, { run_ocr: 'true' }),
    )
    expect(made.ocr_status).toBe('not_applicable')
    const answer = await start(assets, made.id)
    expect([answer.status, answer.body]).toEqual([
      400,
      { non_field_errors: ['Text is read from images and PDFs only.'] },
    ])
  })

  test('while it is waited for changes nothing and costs no run', async () => {
    const assets = await newProject(app)
    const { id } = await add(assets)
    for (let i = 0; i < 12; i += 1) expect(sure(200, await start(assets, id)).ocr_status).toBe('pending')
  })

  test('holds up the submission of its project until it has been read', async () => {
    const assets = await newProject(app)
    const { id } = await add(assets)
    sure(200, await start(assets, id))
    const body = { target_state: 'in_review' }
    const answer = await app.contributor.post(assets.replace('assets/', 'transition/'), { body })
    expect([answer.status, answer.body.blockers.at(-1)]).toEqual([400, 'Wait for OCR jobs to finish.'])
  })

  test('is for ten runs a day in a project, exactly, however many ask at once', async () => {
    const assets = await newProject(app)
    const ids: string[] = []
    for (let i = 0; i < 14; i += 1) ids.push((await add(assets, blank)).id)
    const answers = await Promise.all(ids.map((id) => start(assets, id)))
    expect(answers.map((it) => it.status).sort()).toEqual([...Array(10).fill(200), ...Array(4).fill(429)])
    const late = answers.find((it) => it.status === 429)
    expect(Number(late?.headers['retry-after'])).toBeGreaterThan(0)
    // A file is kept all the same; its text waits for another day.
    const made = await add(assets, blank, { run_ocr: 'true' })
    expect(made.ocr_status).toBe('not_started')
    app.tick(86_400)
    expect((await start(assets, made.id)).status).toBe(200)
  })
})

describe('a call', () => {
  test('that comes twice is worked on once', async () => {
    const assets = await newProject(app)
    const { id } = await add(assets, blank)
    sure(200, await start(assets, id))
    expect(await called(assets, id, 2)).toBe(0)
    expect(await statusOf(assets, id)).toBe('completed')
    const { updated_at } = await read(assets, id)
    app.tick(1)
    expect(await called(assets, id)).toBe(0)
    expect((await read(assets, id)).updated_at).toBe(updated_at)
  })

  test('of what has gone meanwhile is no work', async () => {
    const assets = await newProject(app)
    const { id } = await add(assets, blank)
    sure(200, await start(assets, id))
    const { beginOcr } = await import('../../../lib/domain/projects/assets/ocr.ts')
    const { project } = await read(assets, id)
    sure(204, await app.contributor.delete(`${assets}${id}/`))
    expect(await beginOcr({ project_id: project, id })).toBeUndefined()
  })

  test('comes again when the bucket or the table fails, and then is worked on', async () => {
    const assets = await newProject(app)
    const { id } = await add(assets, blank)
    sure(200, await start(assets, id))
    const { s3 } = await (await import('../../../lib/engines/bucket/blobs.ts')).bucket()
    s3.middlewareStack.add(() => async () => Promise.reject(new Error('down')), { step: 'initialize', name: 'down' })
    expect(await called(assets, id).finally(() => s3.middlewareStack.remove('down'))).toBe(1)
    expect(await statusOf(assets, id)).toBe('processing')
    // While it might still be read by the one that failed, it waits.
    await called(assets, id)
    expect(await statusOf(assets, id)).toBe('processing')
    app.tick(361)
    await called(assets, id)
    expect(await statusOf(assets, id)).toBe('completed')
  })
})

describe('a worker that is killed in the middle', () => {
  const killed = async (assets: string, id: string) => {
    const { beginOcr } = await import('../../../lib/domain/projects/assets/ocr.ts')
    const { project } = await read(assets, id)
    expect(await beginOcr({ project_id: project, id })).toMatchObject({ ocr_status: 'processing' })
  }
  const sweep = async () => {
    const { handler } = await import('../../../functions/sweeper.ts')
    return (await handler()).read
  }

  test('again and again ends as failed, with the reason', async () => {
    const assets = await newProject(app)
    const { id } = await add(assets, blank)
    sure(200, await start(assets, id))
    for (let i = 0; i < 3; i += 1) {
      await killed(assets, id)
      app.tick(361)
    }
    await called(assets, id)
    expect(await read(assets, id)).toMatchObject({
      ocr_status: 'failed',
      ocr_error: 'The image could not be read in three attempts.',
    })
  })

  test('whose call is lost is rescued by the sweeper, and given up after three attempts', async () => {
    const assets = await newProject(app)
    const { id } = await add(assets, blank)
    sure(200, await start(assets, id))
    app.tick(86_400)
    await sweep()
    await killed(assets, id)
    expect(await sweep()).toBe(0)
    app.tick(1801)
    expect(await sweep()).toBeGreaterThan(0)
    expect(await sweep()).toBe(0)
    // Written anew as waiting, it is called for again.
    expect(await statusOf(assets, id)).toBe('pending')
    await killed(assets, id)
    app.tick(1801)
    await sweep()
    expect(await read(assets, id)).toMatchObject({
      ocr_status: 'failed',
      ocr_error: 'The image could not be read in three attempts.',
    })
  })

  test('leaves nothing that keeps the project from being changed', async () => {
    const assets = await newProject(app)
    const { id } = await add(assets, blank)
    sure(200, await start(assets, id))
    await killed(assets, id)
    expect(sure(200, await app.contributor.patch(`${assets}${id}/`, { body: { caption: 'Meanwhile' } })).caption).toBe(
      'Meanwhile',
    )
    app.tick(361)
    await called(assets, id)
    expect(await read(assets, id)).toMatchObject({ ocr_status: 'completed', caption: 'Meanwhile' })
  })
})

test('a language is understood by its code or name; none means both', async () => {
  const { parseLanguages } = await import('../../../lib/engines/ocr/engine.ts')
  for (const [said, wanted] of [
    ['', ['eng', 'nep']],
    ['ne', ['nep']],
    ['nep', ['nep']],
    ['Nepali', ['nep']],
    ['en-GB', ['eng']],
    ['nep+eng', ['eng', 'nep']],
    ['tibetan', ['eng', 'nep']],
  ] as const)
    expect([said, parseLanguages(said)]).toEqual([said, wanted])
})

describe('the parts of a text that may name something', () => {
  const phrases = async (text: string) => {
    const { findPhrases } = await import('../../../lib/engines/matching/phrases.ts')
    return findPhrases(text, 40).map((it) => it.text)
  }

  test('are runs of words with capitals, the longest first', async () => {
    expect(await phrases('It was built by King Bhupatindra Malla of Bhaktapur.')).toEqual([
      'King Bhupatindra Malla of Bhaktapur',
      'Bhupatindra Malla of Bhaktapur',
      'King Bhupatindra Malla',
      'Malla of Bhaktapur',
      'King Bhupatindra',
      'Bhupatindra Malla',
      'King',
      'Bhupatindra',
      'Bhaktapur',
    ])
  })

  test('do not cross the end of a sentence or line, and are not what is only a sort of thing', async () => {
    expect(await phrases('near Patan. Durbar Square\nTemple')).toEqual(['Durbar Square', 'Patan', 'Square'])
  })

  test('in Devanagari are all runs of words of a line', async () => {
    expect(await phrases('कृष्ण मन्दिर पाटन')).toContain('मन्दिर पाटन')
  })

  test('are so many and no more', async () => {
    const { findPhrases } = await import('../../../lib/engines/matching/phrases.ts')
    const text = Array.from({ length: 500 }, (_, i) => `Word${i}`).join(' ')
    expect(findPhrases(text, 40)).toHaveLength(40)
    expect(findPhrases('', 40)).toEqual([])
  })
})
