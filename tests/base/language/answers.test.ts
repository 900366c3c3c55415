import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { contribute, decide, publish, sure } from '../../harness/make.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

const ne = { headers: { 'accept-language': 'ne' } }
const NOT_FOUND = { detail: 'भेटिएन।' }

describe('an error', () => {
  test('is in the language that the header wants most, and says so', async () => {
    const reply = await app.anon.get('/cidoc/structures/7/', ne)
    expect([reply.status, reply.body]).toEqual([404, NOT_FOUND])
    expect(reply.headers).toMatchObject({
      'content-language': 'ne',
      vary: 'Origin, Accept-Encoding, Accept-Language',
    })
  })

  test.each([
    [undefined, 'Not found.'],
    ['', 'Not found.'],
    ['en', 'Not found.'],
    ['en-GB, ne;q=0.9', 'Not found.'],
    ['ne;q=0.2, en;q=0.8', 'Not found.'],
    ['fr', 'Not found.'],
    ['ne;q=0', 'Not found.'],
    ['\u0000;;q=', 'Not found.'],
    ['ne', 'भेटिएन।'],
    ['NE-np', 'भेटिएन।'],
    ['new, fr;q=0.9, ne;q=0.1', 'भेटिएन।'],
    ['en;q=0.3, ne;q=0.31', 'भेटिएन।'],
  ])('of a header %j', async (header, detail) => {
    const headers = header === undefined ? {} : { 'accept-language': header }
    expect((await app.anon.get('/cidoc/structures/7/', { headers })).body).toEqual({ detail })
  })

  test('keeps its path, and what was sent', async () => {
    const body = { assertion: { confidence: 'maybe' }, note: 'x'.repeat(10_001) }
    const reply = await app.contributor.post('/cidoc/structures/', { body, ...ne })
    expect([reply.status, reply.body]).toEqual([
      400,
      {
        name: ['यो फाँट अनिवार्य छ।'],
        note: ['यो फाँटमा १०००० भन्दा बढी अक्षर हुनु हुँदैन।'],
        assertion: {
          confidence: ['मान्य विकल्प होइन। यीमध्ये एक छान्नुहोस्: certain, likely, uncertain, speculative।'],
        },
      },
    ])
  })

  test('of who may not', async () => {
    expect((await app.anon.post('/cidoc/structures/', { body: {}, ...ne })).body).toEqual({
      detail: 'प्रमाणीकरणको विवरण दिइएको छैन।',
    })
    expect((await app.contributor.get('/data/review-queue/', ne)).body).toEqual({
      detail: 'तपाईंलाई यो काम गर्ने अनुमति छैन।',
    })
  })

  test('that comes before a route is found, and one of a body that cannot be read', async () => {
    expect((await app.anon.get('/data/nothing/here/', ne)).body).toEqual(NOT_FOUND)
    expect((await app.anon.post('/cidoc/', ne)).body).toEqual(NOT_FOUND)
    const broken = await app.contributor.post('/cidoc/structures/', {
      body: '{"name":',
      headers: { ...ne.headers, 'content-type': 'application/json' },
    })
    expect(broken.body).toEqual({ detail: 'JSON पढ्दा त्रुटि: पङ्क्ति १, स्तम्भ ९ मा JSON मिलेको छैन।' })
  })

  test('of a date that no calendar has', async () => {
    const query = { date: '३२ असार २०८१' }
    expect((await app.anon.get('/data/calendars/convert/', { query, ...ne })).body).toEqual({
      date: ['वि.सं. २०८१ को असारमा ३२ गते हुँदैन, त्यस महिनामा ३१ दिन छन्।'],
    })
  })
})

test('warnings are said, also beside an answer that is the same in every language', async () => {
  const reply = await app.anon.get('/cidoc/structures/', { query: { serch: 'x' }, ...ne })
  expect(reply.body.warnings).toEqual([
    { member: 'serch', message: 'यो प्यारामिटर पढिँदैन; यसको कुनै असर छैन। के तपाईंले search भन्न खोज्नुभएको हो?' },
  ])
  expect(reply.headers['content-language']).toBe('ne')
})

test('an answer without words says nothing of languages, and is the same to the byte', async () => {
  const [plain, asked] = [await app.anon.get('/cidoc/persons/'), await app.anon.get('/cidoc/persons/', ne)]
  expect(asked.text).toBe(plain.text)
  expect(asked.headers.vary).toBe(plain.headers.vary)
  expect(asked.headers).not.toHaveProperty('content-language')
})

test('a reply that is kept is told again in the language of whoever asks again', async () => {
  const headers = { 'idempotency-key': 'said-twice' }
  const body = { name: 'Kept', note: 'n', nmae: 'x' }
  const first = await app.contributor.post('/cidoc/structures/', { body, headers })
  const again = await app.contributor.post('/cidoc/structures/', { body, headers: { ...headers, ...ne.headers } })
  expect(again.headers['idempotent-replayed']).toBe('true')
  expect(again.body.id).toBe(first.body.id)
  expect(first.body.warnings[0].message).toBe('This member is not read; it has no effect. Did you mean name?')
  expect(again.body.warnings[0].message).toBe('यो फाँट पढिँदैन; यसको कुनै असर छैन। के तपाईंले name भन्न खोज्नुभएको हो?')
})

describe('who has set a language', () => {
  const prefers = async (who: Persona, language: string | null) => {
    const { slug } = sure(200, await who.get('/data/user/me/'))
    return sure(200, await who.patch(`/data/user/${slug}/`, { body: { language } }))
  }
  afterAll(() => prefers(app.other, ''))

  test('is told in it whatever the browser sends, until the setting is taken back', async () => {
    expect((await prefers(app.other, 'ne')).language).toBe('ne')
    for (const headers of [{}, { 'accept-language': 'en-US,en;q=0.9' }])
      expect((await app.other.get('/cidoc/structures/7/', { headers })).body).toEqual(NOT_FOUND)
    expect((await app.contributor.get('/cidoc/structures/7/')).body).toEqual({ detail: 'Not found.' })
    expect((await prefers(app.other, 'en')).language).toBe('en')
    expect((await app.other.get('/cidoc/structures/7/', ne)).body).toEqual({ detail: 'Not found.' })
    expect((await prefers(app.other, null)).language).toBe('')
    expect((await app.other.get('/cidoc/structures/7/', ne)).body).toEqual(NOT_FOUND)
  })

  test('also where a machine calls with a key of theirs', async () => {
    await prefers(app.other, 'ne')
    const body = { name: 'Tablet', scopes: ['read'] }
    const { token } = sure(201, await app.other.post('/api/user/keys/', { body }))
    expect((await app.as(token).get('/cidoc/structures/7/')).body).toEqual(NOT_FOUND)
    await prefers(app.other, '')
  })

  test('is answered by the header alone where caches share the answer', async () => {
    await prefers(app.other, 'ne')
    const query = { date: '1702' }
    const reply = await app.other.get('/data/calendars/convert/', { query })
    expect([reply.headers['cache-control'], reply.headers['content-language']]).toEqual(['public, max-age=86400', 'en'])
    expect(reply.body.understood.text).toBe('1702')
    await prefers(app.other, '')
  })

  test('in no language but these, and for nobody else to see', async () => {
    const { slug } = sure(200, await app.other.get('/data/user/me/'))
    const reply = await app.other.patch(`/data/user/${slug}/`, { body: { language: 'new' } })
    expect([reply.status, reply.body]).toEqual([400, { language: ['Not a valid choice. Choose one of: en, ne.'] }])
    for (const who of [app.anon, app.contributor, app.staff]) {
      const shown = sure(200, await who.get(`/data/user/${slug}/`))
      expect(shown).not.toHaveProperty('language')
      expect(shown).not.toHaveProperty('calendar')
    }
  })
})

describe('a notice', () => {
  test('is in the language of its reader at reading, name and all', async () => {
    const made = await contribute(app.contributor, 'structures', { name: 'भीमसेन मन्दिर' })
    app.tick(1)
    sure(201, await decide(app.curator, made, { verdict: 'accept' }))
    await following.settled()
    const told = async (sent: object) => {
      const { results } = sure(200, await app.contributor.get('/data/notifications/', sent))
      return results.filter((it: { entity_id: string }) => it.entity_id === made.cultural_entity_id)
    }
    const messages = (rows: { message: string }[]) => rows.map(({ message }) => message)
    expect(messages(await told({}))).toEqual([
      'Your contribution was accepted: भीमसेन मन्दिर',
      'Your contribution waits for review: भीमसेन मन्दिर',
    ])
    const nepali = await told(ne)
    expect(messages(nepali)).toEqual([
      'तपाईंको योगदान स्वीकार गरियो: भीमसेन मन्दिर',
      'तपाईंको योगदान समीक्षाको प्रतीक्षामा छ: भीमसेन मन्दिर',
    ])
    const one = await app.contributor.get(`/data/notifications/${nepali[0].notification_id}/`, ne)
    expect([one.body.message, one.headers['content-language']]).toEqual([nepali[0].message, 'ne'])
  })

  test('with what it adds, and without the name of what its reader may not see', async () => {
    const { writeNotice } = await import('../../../lib/domain/notifications/events.ts')
    const { sayIn } = await import('../../../lib/base/language/say.ts')
    const say = await sayIn('ne')
    const about = { entity_id: 'e', name: 'Note' }
    const words = (name: Parameters<typeof writeNotice>[0], detail: string, more: object = { about: undefined }) =>
      writeNotice(name, { detail, about: undefined, ...more }, say).message
    expect(words('flagged', 'questionable_source', { about })).toBe(
      'तपाईंको अभिलेखमा "शङ्कास्पद स्रोत" चेतावनी चिह्न लगाइयो: Note',
    )
    expect(words('role', 'domain_expert')).toBe('अबदेखि तपाईं विषय विशेषज्ञका रूपमा समीक्षा गर्नुहुन्छ।')
    expect(words('import_read', '"a was read.csv"')).toBe('तपाईंको तालिका "a was read.csv" पढियो।')
    expect(words('project_merge_failed', 'It has failed again and again', { on: { slug: 's', title: 'T' } })).toBe(
      'तपाईंले सुरु गरेको काम हुन सकेन, र केही बदलिएको छैन (यो पटक पटक असफल भयो): T',
    )
    expect(words('moderated', 'S-1, accepted')).toBe('सञ्चालकले तपाईंले पेस गर्नुभएको सामग्री हेर्नुभयो: S-1, स्वीकृत।')
  })
})

describe('what the service says of records', () => {
  test('why a value stands, and by which name it goes', async () => {
    const made = await publish(app, 'structures', { name: 'Explained', construction_date: '1702' })
    const path = `/data/entities/${made.cultural_entity_id}/explain/`
    const [english, nepali] = [await app.anon.get(path), await app.anon.get(path, ne)]
    const named = ({ body }: typeof english) =>
      body.properties.find((it: { property: string }) => it.property === 'construction_date')
    expect(named(english)).toMatchObject({
      label: 'Construction date',
      why: 'It was accepted, and no other value stood.',
    })
    expect(named(nepali)).toMatchObject({ label: 'निर्माण मिति', why: 'यो स्वीकार गरियो, र अर्को मान थिएन।' })
    expect(nepali.headers.etag).not.toBe(english.headers.etag)
    const known = { 'if-none-match': english.headers.etag ?? '' }
    expect((await app.anon.get(path, { headers: known })).status).toBe(304)
    expect((await app.anon.get(path, { headers: { ...known, ...ne.headers } })).status).toBe(200)
  })

  test('why something waits where it waits, and what the service itself has found', async () => {
    await contribute(app.contributor, 'structures', { name: 'Twin of itself' })
    const made = await contribute(app.other, 'structures', {
      name: 'Twin of itself',
      construction_date: 'NS 1145-13-01',
    })
    const row = sure(200, await app.curator.get(`/data/review-queue/${made.cultural_entity_id}/`, ne))
    expect(row.why_here).toEqual(['एउटा मानको स्रोत छैन (+१०००)', '२ खुला चेतावनी चिह्न (+३००)'])
    const { flags, refusal } = sure(
      200,
      await app.curator.get(`/data/review-workspace/${made.cultural_entity_id}/`, ne),
    )
    expect(refusal).toBeNull()
    const reasons = flags.map((it: { reason: string }) => it.reason)
    expect(reasons).toContain('निर्माण मिति: १३ औँ महिना हुँदैन: वर्षमा १२ महिना हुन्छन्।')
    expect(reasons).toContainEqual(expect.stringMatching(/^नाम वास्तु संरचना [०-९]+, "Twin of itself" सँग उस्तै छ।$/))
  })

  test('but never the words of people', async () => {
    const made = await publish(app, 'structures', { name: 'Flagged by someone' })
    const body = { entity: made.cultural_entity_id, flag_type: 'other', reason: 'Note: It has no value.' }
    const flag = sure(201, await app.community.post('/data/review-flags/', { body, ...ne }))
    expect(flag.reason).toBe('Note: It has no value.')
  })

  test('how one may be tied to another', async () => {
    const { results } = sure(200, await app.anon.get('/cidoc/relationship-predicates/', ne))
    expect(results[0]).toMatchObject({ code: 'located_in', label: 'मा अवस्थित छ', inverse_label: 'को स्थान हो' })
  })
})

describe('doors for other systems and the assistant', () => {
  test('say kinds and their own sentences in the language of the reader', async () => {
    await publish(app, 'structures', { name: 'Said in Nepali', name_ne: 'नेपालीमा', location_name: 'Patan' })
    await following.settled()
    const queries = JSON.stringify({ q0: { query: 'Said in Nepali' } })
    const path = `/data/reconcile/?queries=${encodeURIComponent(queries)}`
    const kind = { en: 'Architectural Structure', ne: 'वास्तु संरचना' }
    const best = async (more: object) => {
      const { body, headers } = await app.anon.get(path, more)
      const [{ description, type }] = body.q0.result
      return [description, type[0].name, headers['content-language']]
    }
    const [english, nepali] = [await best({}), await best(ne)]
    expect(english).toEqual([`${kind.en}, Patan`, kind.en, 'en'])
    expect(nepali).toEqual([`${kind.ne}, Patan`, kind.ne, 'ne'])

    const messages = [{ role: 'user', content: 'Where is zzzqqq?' }]
    const told = await app.anon.post('/assistant/chat/', { body: { messages }, ...ne })
    expect(sure(200, told).message.content).toMatch(/^[\u0900-\u097f]/)
  })
})
