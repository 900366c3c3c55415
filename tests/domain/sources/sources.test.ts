import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import * as media from '../../harness/media-files.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

const PATH = '/cidoc/data_sources/'
const AT = '2025-01-15T10:00:00.000Z'
const notFound = { detail: 'Not found.' }
const refused = {
  detail: 'You do not have permission to perform this action.',
}
const badToken = { detail: 'The token is malformed, expired or revoked.' }
const signInNeeded = {
  detail: 'Authentication credentials were not provided.',
}
const choices = (name: string) => ({
  [name]: [expect.stringMatching(/^Not a valid choice\. Choose one of: /)],
})
const nobody = '00000000-0000-4000-8000-00000000ffff'

const make = async (body: object, who: Persona = app.contributor) => {
  const made = await who.post(PATH, { body })
  expect(made.status).toBe(201)
  return made.body
}
const form = (members: Record<string, string | File>) => {
  const it = new FormData()
  for (const [name, value] of Object.entries(members)) it.set(name, value)
  return it
}
const upload = (file: File | string, more: Record<string, string> = {}) =>
  app.contributor.post(PATH, {
    body: form({ name: 'With a file', uploaded_file: file, ...more }),
  })
const count = async () => (await app.staff.get(PATH)).body.count
/** Runs something that must not register a source. */
const withoutTrace = async (call: () => Promise<Answer>) => {
  const before = await count()
  const answer = await call()
  expect(await count()).toBe(before)
  return answer
}

/** A whole answer for a source of which only the name is known. */
const blank = {
  source_type: '',
  source_type_display: '',
  citation: '',
  source_citation: '',
  url: '',
  source_url: '',
  url_of_source: '',
  author: '',
  publication_year: '',
  language: '',
  source_language: '',
  note: '',
  archival_location: '',
  digitization_activity: '',
  iiif_manifest_url: '',
  publication_timespan: '',
  datacite_identifier: '',
  datacite_identifier_type: '',
  datacite_creator: '',
  datacite_publisher: '',
  datacite_publication_year: null,
  datacite_resource_type: '',
  datacite_resource_type_display: '',
  pid: '',
  declared_license: '',
  epistemic_stance: '',
  access_tier: 'public',
  access_tier_display: 'Public',
  care_labels: [],
  ingest_status: 'pending',
  ingest_status_display: 'Pending',
  iiif_manifest: null,
  uploaded_file: null,
  contributed_by: 'dev',
  hg_class: 'DataSource',
  created_at: AT,
  updated_at: AT,
}

describe('registering a source', () => {
  test('the registry form gives the whole source, under old names and new', async () => {
    const reply = await app.contributor.post(PATH, {
      body: {
        name: 'DoA survey 1975',
        source_citation: 'DoA 1975',
        source_type: 'FieldSurvey',
        source_url: 'https://example.org/doa',
        source_language: 'en',
        datacite_publication_year: '1975',
        datacite_resource_type: 'Dataset',
        access_tier: 'org_only',
        care_labels: 'TK Clan, TK Family',
      },
    })
    expect(reply.status).toBe(201)
    expect(reply.body).toEqual({
      ...blank,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'DoA survey 1975',
      source_type: 'field_survey',
      source_type_display: 'Field survey',
      citation: 'DoA 1975',
      source_citation: 'DoA 1975',
      url: 'https://example.org/doa',
      source_url: 'https://example.org/doa',
      url_of_source: 'https://example.org/doa',
      language: 'en',
      source_language: 'en',
      datacite_publication_year: 1975,
      datacite_resource_type: 'Dataset',
      datacite_resource_type_display: 'Dataset',
      access_tier: 'org_only',
      access_tier_display: 'Org only',
      care_labels: ['TK Clan', 'TK Family'],
    })
    const read = await app.other.get(`${PATH}${reply.body.id}/`)
    expect([read.status, read.body]).toEqual([200, reply.body])
  })

  test('a name alone is enough, and nobody says who contributed or that it is ready', async () => {
    const made = await make({
      name: 'Only a name',
      contributed_by: 'other',
      ingest_status: 'ready',
      id: nobody,
    })
    const { warnings, ...rest } = made
    expect(rest).toEqual({ ...blank, id: made.id, name: 'Only a name' })
    expect(warnings.map((it: { member: string }) => it.member).sort()).toEqual([
      'contributed_by',
      'id',
      'ingest_status',
    ])
    expect(made.id).not.toBe(nobody)
  })

  test('every path of the source answers in either spelling, with and without the version and the last slash', async () => {
    const { id } = await make({ name: 'One of many paths' })
    for (const path of ['/cidoc/data-sources', '/cidoc/data_sources', '/api/v1/cidoc/data-sources']) {
      for (const end of ['', '/']) {
        const read = await app.anon.get(`${path}/${id}${end}`)
        expect([path, end, read.status, read.body.id]).toEqual([path, end, 200, id])
        expect((await app.anon.get(`${path}${end}`)).status).toBe(200)
      }
    }
  })

  test('a caller has to be signed in, with a token that is good', async () => {
    const body = { name: 'By nobody' }
    for (const who of [app.anon, app.as('not-a-token'), app.as('a.b.c')]) {
      const reply = await withoutTrace(() => who.post(PATH, { body }))
      expect([reply.status, reply.body]).toEqual([401, who === app.anon ? signInNeeded : badToken])
    }
  })

  test.each<[string, unknown, number, unknown]>([
    ['no body', undefined, 400, { name: ['This field is required.'] }],
    ['an empty object', {}, 400, { name: ['This field is required.'] }],
    ['a blank name', { name: ' ' }, 400, { name: ['This field is required.'] }],
    [
      'malformed JSON',
      '{"name":',
      400,
      { detail: 'JSON parse error: the body is not valid JSON at line 1, column 9.' },
    ],
    ['a list', [], 400, { detail: 'The body must be a JSON object.' }],
    ['a name that is a number', { name: 7 }, 400, { name: ['Not a valid text.'] }],
    [
      'an over-long name',
      { name: 'x'.repeat(301) },
      400,
      { name: ['Ensure this field has no more than 300 characters.'] },
    ],
    ['control characters', { name: 'a\u0000b' }, 400, { name: ['Control characters are not allowed.'] }],
    ['an unknown type', { name: 'x', source_type: 'rumour' }, 400, choices('source_type')],
    ['an unknown tier', { name: 'x', access_tier: 'secret' }, 400, choices('access_tier')],
    [
      'an address that a browser would run',
      { name: 'x', url: 'javascript:alert(1)' },
      400,
      { url: ['Enter a web address that starts with http:// or https://.'] },
    ],
    [
      'a year in words',
      { name: 'x', datacite_publication_year: 'old' },
      400,
      { datacite_publication_year: ['Not a valid number.'] },
    ],
    ['a file in JSON', { name: 'x', uploaded_file: 'scan.pdf' }, 400, { uploaded_file: ['Send a file.'] }],
    [
      'several faults at once',
      { name: 7, access_tier: 'secret', uploaded_file: 3 },
      400,
      {
        name: ['Not a valid text.'],
        ...choices('access_tier'),
        uploaded_file: ['Send a file.'],
      },
    ],
    [
      'more than a megabyte',
      { name: 'x', note: 'y'.repeat(1_100_000) },
      413,
      { detail: 'The body is larger than 1048576 bytes.' },
    ],
  ])('%s is refused and leaves nothing', async (_what, body, status, expected) => {
    const reply = await withoutTrace(() => app.contributor.post(PATH, { body }))
    expect([reply.status, reply.body]).toEqual([status, expected])
  })

  test('another content type is refused', async () => {
    const reply = await withoutTrace(() =>
      app.contributor.post(PATH, {
        body: 'name=x',
        headers: { 'content-type': 'text/plain' },
      }),
    )
    expect([reply.status, reply.body]).toEqual([
      415,
      {
        detail: 'Unsupported media type. Send application/json or multipart/form-data.',
      },
    ])
  })
})

const { 'image/png': png, 'image/jpeg': jpeg, 'image/webp': webp } = await media.oneOfEach()
const fileOf = (bytes: Uint8Array, name: string, type = '') => new File([Uint8Array.from(bytes)], name, { type })
/** A survey of so many bytes. */
const survey = (size: number) => {
  const frame = media.pdf({ more: Buffer.alloc(1_000_000) }).length - 1_000_000
  // The length itself is written down in the file.
  return media.pdf({ more: Buffer.alloc(size - frame) })
}

describe('a source with a file', () => {
  test('a form registers it: scalars are text, lists are JSON text, and the file can be read back', async () => {
    const bytes = media.pdf({ title: Buffer.from('the survey') })
    const file = new File([bytes], '../../survey.pdf', {
      type: 'application/pdf',
    })
    const made = await upload(file, {
      source_type: 'archival',
      access_tier: 'public',
      datacite_publication_year: '1975',
      care_labels: '["https://localcontexts.org/labels/tk-clan/"]',
    })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      ...blank,
      id: made.body.id,
      name: 'With a file',
      source_type: 'archival',
      source_type_display: 'Archival',
      datacite_publication_year: 1975,
      care_labels: ['https://localcontexts.org/labels/tk-clan/'],
      ingest_status: 'ready',
      ingest_status_display: 'Ready',
      uploaded_file: `http://localhost:8000/cidoc/data_sources/${made.body.id}/file/`,
    })
    const read = await app.anon.get(made.body.uploaded_file)
    expect(read.status).toBe(200)
    expect(read.bytes.equals(bytes)).toBe(true)
    expect(read.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': `attachment; filename="${made.body.id}.pdf"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
    })
  })

  test.each([
    ['a PNG that calls itself a page', fileOf(png, 'x.html', 'text/html'), 'image/png'],
    ['a JPEG', fileOf(jpeg, 'x.jpg'), 'image/jpeg'],
    ['a WebP', fileOf(webp, 'x.webp'), 'image/webp'],
    ['notes', new File(['नोट्स\nand a tab\t'], 'x.txt'), 'text/plain; charset=utf-8'],
    [
      'markup',
      new File(['<script>alert(1)</script>'], 'x.svg', {
        type: 'image/svg+xml',
      }),
      'text/plain; charset=utf-8',
    ],
  ])('the type is judged by content: %s', async (_what, file, type) => {
    const made = await upload(file)
    expect(made.status).toBe(201)
    const read = await app.anon.get(made.body.uploaded_file)
    expect([read.status, read.headers['content-type']]).toEqual([200, type])
    expect(read.headers['content-disposition']).toMatch(/^attachment; /)
  })

  test('a form without a file is a source without a file', async () => {
    for (const nothing of ['', new File([], '')]) {
      const made = await upload(nothing)
      expect([made.status, made.body.uploaded_file, made.body.ingest_status]).toEqual([201, null, 'pending'])
      const read = await app.anon.get(`${PATH}${made.body.id}/file/`)
      expect([read.status, read.body]).toEqual([404, notFound])
    }
  })

  test.each<[string, File | string, unknown]>([
    [
      'a program',
      new File([Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 0, 1])], 'x.pdf'),
      'Send a PDF, JPEG, PNG or WebP file, or plain text.',
    ],
    [
      'an archive that calls itself a PDF',
      new File(['PK\u0003\u0004'], 'x.pdf', { type: 'application/pdf' }),
      'Send a PDF, JPEG, PNG or WebP file, or plain text.',
    ],
    [
      'text that is not UTF-8',
      new File([Uint8Array.from([0x66, 0xfc, 0x72])], 'x.txt'),
      'Send a PDF, JPEG, PNG or WebP file, or plain text.',
    ],
    ['a PNG cut short', fileOf(png.subarray(0, 60), 'x.png'), 'The file is cut short or damaged.'],
    [
      'a PDF with a recording behind it',
      fileOf(Buffer.concat([media.pdf(), media.mp3()]), 'x.pdf'),
      'There are bytes in the PDF that are no part of it.',
    ],
    ['an empty file', new File([], 'x.pdf'), 'The file is empty.'],
    [
      'a file of more than 4.5 MB',
      new File(['%PDF-', Buffer.alloc(4_500_000)], 'x.pdf'),
      'The file is larger than 4.5 MB.',
    ],
    ['text in its place', 'scan.pdf', 'Send a file.'],
  ])('%s is refused and leaves nothing', async (_what, file, message) => {
    const reply = await withoutTrace(() => upload(file))
    expect([reply.status, reply.body]).toEqual([400, { uploaded_file: [message] }])
  })

  test('4.5 MB are taken and given back', async () => {
    const made = await upload(fileOf(survey(4_500_000), 'x.pdf'))
    expect(made.status).toBe(201)
    expect((await app.anon.get(made.body.uploaded_file)).bytes.length).toBe(4_500_000)
  })

  test('a body beyond every limit, a torn one and one of too many parts are refused', async () => {
    const large = await withoutTrace(() => upload(new File(['%PDF-', Buffer.alloc(6_000_000)], 'x.pdf')))
    expect([large.status, large.body]).toEqual([413, { detail: 'The body is larger than 6000000 bytes.' }])
    const type = { 'content-type': 'multipart/form-data; boundary=xx' }
    const torn = await withoutTrace(() =>
      app.contributor.post(PATH, {
        body: Buffer.from('--xx\r\nContent-Disposition: form-data; name="na'),
        headers: type,
      }),
    )
    expect([torn.status, torn.body]).toEqual([400, { detail: 'The multipart body cannot be read.' }])
    const parts = form(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`m${i}`, 'x'])))
    const many = await withoutTrace(() => app.contributor.post(PATH, { body: parts }))
    expect([many.status, many.body]).toEqual([400, { detail: 'The form has more than 100 parts.' }])
  })

  test('when the source cannot be stored its file goes again', async () => {
    const { clock } = await import('../../../lib/base/clock.ts')
    const { getObject } = await import('../../../lib/engines/bucket/blobs.ts')
    const { id } = await make({ name: 'Its id is taken' })
    const { uuid } = clock
    // The name of the file and the id of the source are what is taken; between them comes the token of a transaction, which is its own.
    let given = 0
    clock.uuid = () => (++given === 2 ? uuid() : id)
    const reply = await withoutTrace(() => upload(fileOf(png, 'x.png'))).finally(() => {
      clock.uuid = uuid
    })
    expect(reply.status).toBe(409)
    expect(await getObject(`data-sources/${id}`)).toBeUndefined()
    expect((await app.anon.get(`${PATH}${id}/`)).body.name).toBe('Its id is taken')
  })

  test('its file stays where only the reply is lost to what has stored the source', async () => {
    const { withLostReplies } = await import('../../harness/lost-reply.ts')
    const before = await count()
    const send = () =>
      app.contributor.post(PATH, {
        body: form({
          name: 'Stored unheard',
          uploaded_file: new File(['Notes.'], 'notes.txt', { type: 'text/plain' }),
        }),
        headers: { 'idempotency-key': 'stored-unheard' },
      })
    // Signed in before that.
    expect((await app.contributor.get(PATH)).status).toBe(200)
    const made = await withLostReplies('source', send)
    expect([made.status, await count()]).toEqual([201, before + 1])
    const read = await app.contributor.get(`${PATH}${made.body.id}/file/`)
    expect([read.status, read.bytes.toString()]).toEqual([200, 'Notes.'])
  })

  test('whoever may not see the source may not read its file', async () => {
    const { body } = await upload(fileOf(png, 'x.png'), {
      access_tier: 'community_only',
    })
    expect((await app.other.get(body.uploaded_file)).status).toBe(200)
    const reply = await app.anon.get(body.uploaded_file)
    expect([reply.status, reply.body]).toEqual([404, notFound])
  })
})

describe('reading sources', () => {
  test.each(['org_only', 'community_only', 'sensitive_indigenous'])(
    'what is %s is shown to those who are signed in only',
    async (access_tier) => {
      const { id } = await make({
        name: `Hidden ${access_tier}`,
        access_tier,
        source_type: 'image',
      })
      for (const who of [app.contributor, app.other, app.staff]) {
        expect((await who.get(`${PATH}${id}/`)).status).toBe(200)
        expect(await idsIn(who, { source_type: 'image', limit: 100 })).toContain(id)
        expect((await idsIn(who, { search: `hidden ${access_tier}` }))[0]).toBe(id)
      }
      const read = await app.anon.get(`${PATH}${id}/`)
      expect([read.status, read.body]).toEqual([404, notFound])
      expect(await idsIn(app.anon, { source_type: 'image', limit: 100 })).not.toContain(id)
      expect(await idsIn(app.anon, { search: `hidden ${access_tier}` })).not.toContain(id)
    },
  )

  test('a list is newest first, filtered by type, and counts what the caller may see', async () => {
    const names = ['First thesis', 'Second thesis', 'Third thesis']
    const made: string[] = []
    for (const name of names) {
      app.tick(1)
      made.push((await make({ name, source_type: 'thesis' })).id)
    }
    app.tick(1)
    const hidden = (
      await make({
        name: 'Hidden thesis',
        source_type: 'thesis',
        access_tier: 'org_only',
      })
    ).id
    const [first, second, third] = made
    expect(await idsIn(app.anon, { source_type: 'thesis' })).toEqual([third, second, first])
    expect(await idsIn(app.other, { source_type: 'thesis' })).toEqual([hidden, third, second, first])

    const page = await app.anon.get(PATH, {
      query: { source_type: 'thesis', limit: 2, offset: 0 },
    })
    expect([page.body.count, page.body.previous]).toEqual([3, null])
    expect(page.body.results.map((it: { id: string }) => it.id)).toEqual([third, second])
    const next = await app.anon.get(page.body.next)
    expect([next.body.count, next.body.next]).toEqual([3, null])
    expect(next.body.results.map((it: { id: string }) => it.id)).toEqual([first])
    const back = await app.anon.get(next.body.previous)
    expect(back.body.results).toEqual(page.body.results)
  })

  test('filters by tier and state of ingestion narrow the list', async () => {
    const tier = (
      await make({
        name: 'Narrowed',
        source_type: 'inscription',
        access_tier: 'org_only',
      })
    ).id
    const open = (await make({ name: 'Open', source_type: 'inscription' })).id
    const ready = (await upload(fileOf(png, 'x.png'), { source_type: 'inscription' })).body.id
    const source_type = 'inscription'
    expect(await idsIn(app.other, { source_type, access_tier: 'org_only' })).toEqual([tier])
    expect(
      await idsIn(app.other, {
        source_type,
        access_tier: 'public',
        ingest_status: 'pending',
      }),
    ).toEqual([open])
    expect(await idsIn(app.anon, { source_type, ingest_status: 'ready' })).toEqual([ready])
    expect(await idsIn(app.anon, { source_type, access_tier: 'org_only' })).toEqual([])
    expect(await idsIn(app.other, { search: 'narrow', access_tier: 'public' })).toEqual([])
    expect(await idsIn(app.other, { search: 'narrow', access_tier: 'org_only', source_type })).toEqual([tier])
    expect(await idsIn(app.other, { search: 'narrow', access_tier: 'org_only', ingest_status: 'ready' })).toEqual([])
    expect(await idsIn(app.anon, { search: 'narrow', access_tier: 'org_only' })).toEqual([])
  })

  test('a list is sorted by name, within a search too, and either way by age', async () => {
    const made: string[] = []
    for (const name of ['Bansawali middle', 'Bansawali zeta', 'Bansawali alpha']) {
      app.tick(1)
      made.push((await make({ name, source_type: 'journal' })).id)
    }
    await following.settled()
    const [middle, zeta, alpha] = made
    for (const search of [{}, { search: 'bansawali' }]) {
      const ids = (ordering: string) => idsIn(app.anon, { source_type: 'journal', ordering, ...search })
      expect(await ids('name')).toEqual([alpha, middle, zeta])
      expect(await ids('-name')).toEqual([zeta, middle, alpha])
      expect(await ids('created_at')).toEqual([middle, zeta, alpha])
      expect(await ids('-created_at')).toEqual([alpha, zeta, middle])
    }
  })

  test('one is found by its whole name at once, however it is spelt', async () => {
    const { id } = await make({ name: 'Gopālarāja Vaṃśāvalī', source_type: 'book' })
    const secret = await make({ name: 'Gopalaraja Vamshavali', source_type: 'book', access_tier: 'org_only' })
    expect(await idsIn(app.anon, { name: 'GOPALARAJA VAMSAVALI' })).toEqual([id])
    expect((await idsIn(app.other, { name: 'gopalaraja vamsavali' })).sort()).toEqual([id, secret.id].sort())
    expect(await idsIn(app.anon, { name: 'gopalaraja', limit: 5 })).toEqual([])
    expect(await idsIn(app.anon, { name: 'gopalaraja vamsavali', source_type: 'pdf' })).toEqual([])
    expect(await idsIn(app.anon, { name: '...' })).toEqual([])
  })

  test('a search counts all that it finds, at any depth', async () => {
    for (let i = 0; i < 7; i += 1) await make({ name: `Deep survey ${i}`, source_type: 'field_note' })
    await following.settled()
    const seen: string[] = []
    for (const offset of [0, 3, 6, 9]) {
      const { body } = await app.anon.get(PATH, {
        query: { search: 'deep survey', source_type: 'field_note', limit: 3, offset },
      })
      expect(body.count).toBe(7)
      seen.push(...body.results.map((it: { id: string }) => it.id))
    }
    expect([seen.length, new Set(seen).size]).toEqual([7, 7])
  })

  test('a search finds words of names, authors and citations however they are spelt', async () => {
    const { id } = await make({ name: 'Śrī Nepāla Māhātmya' })
    for (const search of ['sri nep', 'SHREE NEPAL', 'Śrī Nepāla'])
      expect(await idsIn(app.anon, { search })).toEqual([id])
    expect(await idsIn(app.anon, { search: 'mahatmya' })).toEqual([id])
    const cited = await make({ name: 'Plain', author: 'Gutschow, Niels', citation: 'Architecture of the Newars' })
    for (const search of ['gutschow', 'newars']) expect(await idsIn(app.anon, { search })).toEqual([cited.id])
    for (const search of ['qoqxuw', 'no such name']) expect(await idsIn(app.anon, { search })).toEqual([])
  })

  test('an unknown id and one that is none are not found', async () => {
    for (const id of [nobody, '1', 'abc', '%00', `${nobody}0`, "' OR 1=1"]) {
      for (const path of [`${PATH}${id}/`, `${PATH}${id}/file/`]) {
        const reply = await app.staff.get(path)
        expect([id, reply.status, reply.body]).toEqual([id, 404, notFound])
      }
    }
  })

  test('a source that is known already is not sent again', async () => {
    const { id } = await make({ name: 'Known' })
    const { headers } = await app.anon.get(`${PATH}${id}/`)
    // Who may not change it is not told how often it was changed.
    expect(headers.etag).toMatch(/^"[\w-]{12}"$/)
    const again = await app.anon.get(`${PATH}${id}/`, {
      headers: { 'if-none-match': headers.etag ?? '' },
    })
    expect([again.status, again.text]).toEqual([304, ''])
  })
})

describe('changing a source', () => {
  test('PATCH changes what it names, and empties what it sends as null or blank', async () => {
    const made = await make({
      name: 'Before',
      note: 'kept',
      url: 'https://example.org/',
      author: 'A. Author',
    })
    app.tick(60)
    const reply = await app.contributor.patch(`${PATH}${made.id}/`, {
      body: { name: 'After', url: null, author: '' },
    })
    const updated_at = reply.body.updated_at
    expect(Date.parse(updated_at) - Date.parse(made.updated_at)).toBe(60_000)
    const gone = { url: '', source_url: '', url_of_source: '', author: '' }
    expect([reply.status, reply.body]).toEqual([200, { ...made, name: 'After', ...gone, updated_at }])
    expect((await app.anon.get(`${PATH}${made.id}/`)).body).toEqual(reply.body)
    expect(await idsIn(app.anon, { search: 'after' })).toEqual([made.id])
    expect(await idsIn(app.anon, { search: 'before' })).toEqual([])
  })

  test('PUT states the whole source anew; its file stays', async () => {
    const { body: made } = await upload(fileOf(png, 'x.png'), {
      note: 'goes',
    })
    const reply = await app.contributor.put(`${PATH}${made.id}/`, {
      body: { ...made, note: undefined, name: 'Anew' },
    })
    expect([reply.status, reply.body]).toEqual([
      200,
      // What the service itself says of a source is sent back in vain, and that is told.
      { ...made, name: 'Anew', note: '', updated_at: reply.body.updated_at, warnings: expect.any(Array) },
    ])
    expect((await app.anon.get(made.uploaded_file)).status).toBe(200)
  })

  test('its contributor and staff change it; others may not, though they see it', async () => {
    const { id } = await make({ name: 'Mine' })
    const path = `${PATH}${id}/`
    for (const who of [app.other, app.community, app.domain, app.curator]) {
      for (const call of [
        who.put(path, { body: { name: 'Theirs' } }),
        who.patch(path, { body: { name: 'Theirs' } }),
        who.delete(path),
      ]) {
        const reply = await call
        expect([reply.status, reply.body]).toEqual([403, refused])
      }
    }
    for (const who of [app.anon, app.as('not-a-token')]) {
      for (const call of [who.put(path, { body: { name: 'x' } }), who.patch(path, { body: {} }), who.delete(path)]) {
        const reply = await call
        expect([reply.status, reply.body]).toEqual([401, who === app.anon ? signInNeeded : badToken])
      }
    }
    expect((await app.anon.get(path)).body.name).toBe('Mine')
    expect((await app.staff.patch(path, { body: { name: 'Mended' } })).status).toBe(200)
    expect((await app.anon.get(path)).body.name).toBe('Mended')
  })

  test.each<[string, 'put' | 'patch', unknown, number, unknown]>([
    ['PUT without a name', 'put', { note: 'x' }, 400, { name: ['This field is required.'] }],
    ['PATCH with a blank name', 'patch', { name: '' }, 400, { name: ['This field may not be blank.'] }],
    ['PATCH with a wrong type', 'patch', { note: { a: 1 } }, 400, { note: ['Not a valid text.'] }],
    ['PATCH with an unknown type of source', 'patch', { source_type: 'rumour' }, 400, choices('source_type')],
    [
      'PATCH with control characters',
      'patch',
      { author: 'a\u0007' },
      400,
      { author: ['Control characters are not allowed.'] },
    ],
    [
      'PATCH with malformed JSON',
      'patch',
      '{',
      400,
      { detail: 'JSON parse error: the body is not valid JSON at line 1, column 2.' },
    ],
    [
      'PUT of more than a megabyte',
      'put',
      { name: 'x', note: 'y'.repeat(1_100_000) },
      413,
      { detail: 'The body is larger than 1048576 bytes.' },
    ],
  ])('%s changes nothing', async (_what, method, body, status, expected) => {
    const made = await make({ name: 'As it was', note: 'as it was' })
    const reply = await app.contributor[method](`${PATH}${made.id}/`, { body })
    expect([reply.status, reply.body]).toEqual([status, expected])
    expect((await app.anon.get(`${PATH}${made.id}/`)).body).toEqual(made)
  })

  test('what was sent for another version is not written', async () => {
    const { id } = await make({ name: 'Versioned' })
    const path = `${PATH}${id}/`
    const headers = { 'if-match': '"1"' }
    expect((await app.contributor.patch(path, { body: { note: 'first' }, headers })).status).toBe(200)
    const late = await app.contributor.patch(path, {
      body: { note: 'second' },
      headers,
    })
    expect(late.status).toBe(412)
    expect((await app.anon.get(path)).body.note).toBe('first')
  })

  test('of two changes at once one wins and the other is told', async () => {
    const { id } = await make({ name: 'Wanted by two' })
    const replies = await Promise.all(
      ['a', 'b'].map((note) => app.contributor.patch(`${PATH}${id}/`, { body: { note } })),
    )
    const statuses = replies.map((it) => it.status).sort()
    expect([
      [200, 200],
      [200, 409],
    ]).toContainEqual(statuses)
    const won = replies.filter((it) => it.status === 200).map((it) => it.body.note)
    expect(won).toContain((await app.anon.get(`${PATH}${id}/`)).body.note)
  })

  test('a deleted source is gone for everyone but staff, and from every list', async () => {
    const { id } = await make({ name: 'To be deleted' })
    const before = await count()
    const reply = await app.contributor.delete(`${PATH}${id}/`)
    expect([reply.status, reply.text]).toEqual([204, ''])
    expect(await count()).toBe(before - 1)
    for (const who of [app.anon, app.contributor, app.curator]) {
      expect((await who.get(`${PATH}${id}/`)).status).toBe(404)
      expect(await idsIn(who, { search: 'to be deleted' })).toEqual([])
    }
    expect((await app.staff.get(`${PATH}${id}/`)).status).toBe(200)
    const again = await app.contributor.delete(`${PATH}${id}/`)
    expect([again.status, again.body]).toEqual([404, notFound])
  })

  test('other methods are not allowed', async () => {
    const { id } = await make({ name: 'Methods' })
    const list = await app.staff.delete(PATH)
    expect([list.status, list.headers.allow]).toEqual([405, 'GET, POST'])
    const one = await app.staff.post(`${PATH}${id}/`, { body: {} })
    expect([one.status, one.headers.allow]).toEqual([405, 'DELETE, GET, PATCH, PUT'])
    const file = await app.staff.put(`${PATH}${id}/file/`, { body: {} })
    expect([file.status, file.headers.allow]).toEqual([405, 'GET'])
  })
})

async function idsIn(who: Persona, query: Record<string, string | number>): Promise<string[]> {
  if ('search' in query) await following.settled()
  const { status, body } = await who.get(PATH, { query })
  expect(status).toBe(200)
  if (body.next === null) expect(body.count).toBe(body.results.length)
  return body.results.map((it: { id: string }) => it.id)
}
