import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newAccessRecord } from '../../../deploy/access/judge.ts'
import { localIdentity, roleResources, rolesFor } from '../../../deploy/access/local-roles.ts'
import { type Caught, type Fate, type MailCatcher, startMailCatcher } from '../../../deploy/stand-ins/mail-catcher.ts'
import { isOfWatches, type NoticeName, notices } from '../../../lib/domain/notifications/events.ts'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { linkIn, withForgedTokens } from '../../harness/mail.ts'
import { contribute, decide, publish, sure } from '../../harness/make.ts'
import { changeUser } from '../../harness/people.ts'

let app: App
let following: Following
let catcher: MailCatcher
let fate: (letter: Caught) => Fate = () => 'taken'
beforeAll(async () => {
  // The functions sign with a name that has the role of the function for letters, and nothing more.
  const roles = rolesFor(roleResources(['letters']), { table: 'none', bucket: 'none' })
  catcher = await startMailCatcher({
    identity: localIdentity,
    access: { roles: () => new Map([...roles, ['local', roles.get('letters') ?? []]]), record: newAccessRecord() },
    fate: (letter) => fate(letter),
  })
  app = await openApp({
    env: {
      ...{ SES_ENDPOINT: catcher.endpoint, LETTERS_SENDER: `Heritage <letters@${localIdentity}>` },
      ...{ AWS_ACCESS_KEY_ID: 'letters', AWS_SECRET_ACCESS_KEY: 'local', LETTERS_PER_MINUTE: '6' },
    },
  })
  following = await followTable()
})
afterAll(() => catcher.stop())
beforeEach(() => {
  fate = () => 'taken'
})

const place = '/data/notifications/letters/'
const visit = async () => (await import('../../../functions/letters.ts')).handler()
/** What was caught while some work ran. */
async function caughtIn(work: () => Promise<unknown>): Promise<Caught[]> {
  const before = catcher.caught.length
  await work()
  return catcher.caught.slice(before)
}
const NONE = { sent: 0, refused: 0, given_up: 0, unknown: 0 }
type Reader = Persona & { id: string; email: string }
let people = 0

/** Someone new who is told of what they contribute. */
async function someone(name = ''): Promise<Reader> {
  const username = `letter-reader-${++people}`
  const [password, email] = ['correct horse battery', `${username}@example.org`]
  const body = { username, email, password, first_name: name }
  sure(201, await app.anon.post('/api/register/', { body }))
  // The letter about the account is none of these tests'.
  await visit()
  const who = app.as(sure(200, await app.anon.post('/api/token/', { body: { username, password } })).access)
  return { ...who, id: sure(200, await who.get('/api/user/info')).id, email }
}
/** The same, who wants letters and has confirmed their address. */
async function reader(wanted: object = { mode: 'at_once' }, name = ''): Promise<Reader> {
  const who = await someone(name)
  sure(200, await who.put(place, { body: wanted }))
  const [question] = await caughtIn(visit)
  if (!question) throw new Error('no question was sent')
  sure(200, await app.anon.post(linkIn(question), { body: {} }))
  return who
}
/** A name that is like no other: look-alikes are told of as well. */
const unlike = () => crypto.randomUUID().replaceAll('-', '')

async function tell(who: Persona, body: object = {}): Promise<{ cultural_entity_id: string; id: number }> {
  const made = await contribute(who, 'structures', { name: unlike(), ...body })
  await following.settled()
  return made
}

describe('an address', () => {
  test('gets nothing but a question until its owner has answered it', async () => {
    const who = await someone()
    const set = sure(200, await who.put(place, { body: { mode: 'at_once', language: 'en' } }))
    expect(set).toEqual({
      ...{ mode: 'at_once', language: 'en', hour: 7, zone: 'Asia/Kathmandu' },
      ...{ email: who.email, obstacle: 'unconfirmed' },
    })
    await tell(who, { name: 'A secret that waits' })
    const letters = await caughtIn(visit)
    expect(letters).toEqual([
      expect.objectContaining({
        to: who.email,
        from: `Heritage <letters@${localIdentity}>`,
        subject: 'Is this your address?',
      }),
    ])
    // It may be a stranger's: nothing of what anybody wrote is in it.
    expect(letters[0]?.text).not.toMatch(/secret|letter-reader/)
    expect(await visit()).toEqual(NONE)

    const [question] = letters
    const path = question ? linkIn(question) : ''
    const masked = 'l...@example.org'
    expect(sure(200, await app.anon.get(path))).toEqual({ email: masked, confirmed: false })
    expect(sure(200, await app.anon.post(path, { body: {} }))).toEqual({ email: masked, confirmed: true })
    expect(sure(200, await who.get(place)).obstacle).toBeNull()
    expect(sure(200, await who.get('/api/user/info/')).email_verified).toBe(true)
    // What came before is not told any more.
    expect(await visit()).toEqual(NONE)
    await tell(who, { name: 'A later one' })
    expect((await caughtIn(visit)).map(({ subject }) => subject)).toEqual([
      'Your contribution waits for review: A later one',
    ])
  })

  test('that takes no letter is asked five times, and again when its owner wants letters anew', async () => {
    const who = await someone()
    sure(200, await who.put(place, { body: { mode: 'at_once' } }))
    fate = () => ({ status: 400, error: 'MessageRejected' })
    const results = []
    for (const pause of [60, 600, 3600, 14_400, 86_400]) {
      results.push(await visit())
      app.tick(pause)
    }
    expect(results).toEqual([...Array.from({ length: 4 }, () => ({ ...NONE, refused: 1 })), { ...NONE, given_up: 1 }])
    fate = () => 'taken'
    expect(await visit()).toEqual(NONE)
    sure(200, await who.put(place, { body: { mode: 'daily' } }))
    expect((await caughtIn(visit)).map(({ to }) => to)).toEqual([who.email])
  })

  test('that a provider has confirmed needs no question', async () => {
    const who = await someone()
    await changeUser(who.id, () => ({ subjects: { 'https://provider.test': 'subject' } }))
    expect(sure(200, await who.put(place, { body: { mode: 'at_once' } })).obstacle).toBeNull()
    await tell(who)
    expect((await caughtIn(visit)).map(({ to }) => to)).toEqual([who.email])
  })

  test('is confirmed by its own link only, and in time', async () => {
    const who = await someone()
    sure(200, await who.put(place, { body: { mode: 'at_once' } }))
    const [question] = await caughtIn(visit)
    const path = question ? linkIn(question) : ''
    const bad = { status: 400, body: { token: ['This link is not valid, or not any more.'] } }
    for (const forged of [...withForgedTokens(path), path.replace('confirm/', 'stop/')])
      for (const method of ['GET', 'POST'])
        expect(await app.anon.send(method, forged, method === 'POST' ? { body: {} } : {})).toMatchObject(bad)
    expect(await app.anon.get(`${place}confirm/`)).toMatchObject({ body: { token: ['This parameter is required.'] } })
    app.tick(3 * 86_400 + 1)
    expect(await app.anon.post(path, { body: {} })).toMatchObject(bad)
    expect(sure(200, await who.get(place)).obstacle).toBe('unconfirmed')
  })

  test('is one line and one address', async () => {
    for (const email of [
      'a@example.org\r\nBcc: b@example.org',
      'a@example.org\nb',
      'a@example.org, b@example.org',
      'a@example.org\u2028',
    ]) {
      const body = { username: `broken-${++people}`, email, password: 'correct horse battery' }
      const { status, body: said } = await app.anon.post('/api/register/', { body })
      expect([status, Object.keys(said)]).toEqual([400, ['email']])
    }
    const { isSendable } = await import('../../../lib/doors/letters/sendable.ts')
    expect(isSendable('dev@heritage.test')).toBe(true)
    for (const email of [
      'a@b.np\r\nBcc: c@d.np',
      'a@b.np,c@d.np',
      'A <a@b.np>',
      '"a b"@c.np',
      'a@b.np ',
      'a@b',
      '',
      'ä@b.np',
    ])
      expect([email, isSendable(email)]).toEqual([email, false])
  })

  test('of an account that came from elsewhere and is none is refused, and told', async () => {
    const who = await someone()
    const { loadUser } = await import('../../../lib/platform/users/users.ts')
    const { user } = await import('../../../lib/platform/users/users.ts')
    const { put } = await import('../../../lib/engines/table/item.ts')
    const { transact } = await import('../../../lib/engines/table/transact.ts')
    const old = await loadUser(who.id)
    if (!old) throw new Error('nobody')
    await transact([put(user, { ...old, email: 'a@b.np\r\nBcc: c@d.np', version: old.version + 1 }, old)])
    const { status, body } = await who.put(place, { body: { mode: 'daily' } })
    expect([status, body]).toEqual([400, { mode: ['No letter can be sent to the address of this account.'] }])
    expect(await visit()).toEqual(NONE)
  })
})

describe('a letter', () => {
  test('tells what has arrived, in one line each, with a link to stop', async () => {
    const who = await reader({ mode: 'at_once' }, 'Maya')
    const it = await tell(who, { name: 'Chyasilin Mandap' })
    const [letter, ...more] = await caughtIn(visit)
    expect(more).toEqual([])
    expect(letter).toMatchObject({ to: who.email, subject: 'Your contribution waits for review: Chyasilin Mandap' })
    expect(letter?.text).toContain('Dear Maya,')
    expect(letter?.text).toContain(`http://localhost:3000/knowledge/entity/view/${it.cultural_entity_id}`)
    const stop = letter ? linkIn(letter) : ''
    expect(letter?.headers).toEqual([
      ['List-Unsubscribe', `<http://localhost:8000${stop}>`],
      ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
      ['Auto-Submitted', 'auto-generated'],
    ])
    expect(await visit()).toEqual(NONE)
  })

  test('is not made by what somebody has called something', async () => {
    const who = await reader({ mode: 'at_once' }, 'Maya')
    await changeUser(who.id, () => ({ first_name: 'Maya\r\nBcc: all@example.org' }))
    const it = await tell(who)
    const { load, recordItem, put, transact, recordItemOf } = await stored()
    const found = await load(it.cultural_entity_id)
    if (!found) throw new Error('no record')
    const old = recordItemOf(found)
    const name = 'Temple\r\nBcc: all@example.org\u2028X-Evil: 1'
    await transact([put(recordItem, { ...old, name, version: old.version + 1 }, old)])
    const [letter] = await caughtIn(visit)
    expect(letter?.subject).toBe('Your contribution waits for review: Temple Bcc: all@example.org X-Evil: 1')
    expect(letter?.to).toBe(who.email)
    expect(letter?.text).toMatch(/^Dear Maya Bcc: all@example.org,\n\n- Your contribution/)
    expect(letter?.headers.map(([header]) => header)).not.toContain('Bcc')
  })

  test('says nothing of what its reader may not see when it is sent, and leaves out what was read', async () => {
    const who = await reader()
    const it = await tell(who, { name: 'Gone by then' })
    sure(204, await app.staff.delete(`/cidoc/structures/${it.id}/`))
    const [letter] = await caughtIn(visit)
    expect([letter?.subject, letter?.text.includes('Gone by then')]).toEqual([
      'Your contribution waits for review.',
      false,
    ])
    app.tick(301)
    await tell(who, { name: 'Read by then' })
    sure(200, await who.post('/data/notifications/mark_all_read/'))
    expect(await caughtIn(visit)).toEqual([])
  })

  test('is in the language of its reader', async () => {
    const who = await reader({ mode: 'at_once', language: 'ne' })
    await tell(who)
    await tell(who)
    const [letter] = await caughtIn(visit)
    expect([letter?.subject, letter?.text.startsWith('प्रिय ')]).toEqual(['तपाईंका लागि २ सूचना', true])
  })

  test('goes to nobody who does not want it, and costs them no write', async () => {
    const who = await someone()
    const cost = async () => {
      const { clock } = await import('../../../lib/base/clock.ts')
      const { sendAll } = await import('../../../lib/domain/notifications/send.ts')
      const { measureCost, currentMeter: spent } = await import('../../../lib/base/telemetry/request-cost.ts')
      const told = { user_id: who.id, notice: 'received' as const, actor_id: null, entity_id: null, detail: '' }
      const event = { ...told, event: `event ${++people}`, created_at: clock.now().toISOString() }
      return measureCost(async () => {
        await sendAll(who.id, [event])
        return { ...spent() }
      }, 'cost')
    }
    await cost()
    const { calls, units } = await cost()
    sure(200, await who.put(place, { body: { mode: 'off' } }))
    expect(await cost()).toMatchObject({ calls, units })
    expect(await visit()).toEqual(NONE)
    const { listDueInboxes } = await import('../../../lib/domain/notifications/letters.ts')
    expect(await listDueInboxes('9999', 100)).toEqual([])
  })

  test('of several at once is one', async () => {
    const who = await reader()
    for (const name of ['One', 'Two', 'Three']) await tell(who, { name })
    const [letter, ...more] = await caughtIn(visit)
    expect([letter?.subject, more]).toEqual(['3 notices for you', []])
    // The next one is five minutes apart at least.
    await tell(who, { name: 'Four' })
    expect(await visit()).toEqual(NONE)
    app.tick(300)
    expect((await caughtIn(visit)).map(({ subject }) => subject)).toEqual(['Your contribution waits for review: Four'])
  })

  test('tells thirty notices, and how many more there are', async () => {
    const who = await reader()
    const { sendAll } = await import('../../../lib/domain/notifications/send.ts')
    const { clock } = await import('../../../lib/base/clock.ts')
    const told = Array.from({ length: 35 }, (_, i) => ({
      ...{ user_id: who.id, notice: 'flagged' as const, actor_id: null, entity_id: null, detail: 'other' },
      ...{ event: `event ${i}`, created_at: new Date(clock.now().getTime() + i).toISOString() },
    }))
    await sendAll(who.id, told)
    const [letter] = await caughtIn(visit)
    expect(letter?.subject).toBe('35 notices for you')
    expect(letter?.text.match(/^- A record of yours/gm)).toHaveLength(30)
    expect(letter?.text).toContain('And 5 more')
  })

  test('of what is watched has a link that stops all watches, and others have none', async () => {
    const who = await reader()
    const { sendAll } = await import('../../../lib/domain/notifications/send.ts')
    const { now } = await import('../../../lib/base/clock.ts')
    const about = { event: 'seen', actor_id: null, entity_id: null, detail: '' }
    const named = (Object.keys(notices) as NoticeName[]).filter((notice) => isOfWatches(notice) || notice === 'role')
    expect(named).toContain('watched')
    for (const notice of named) {
      app.tick(300)
      await sendAll(who.id, [{ ...about, notice, created_at: now() }])
      const [letter] = await caughtIn(visit)
      const hasLink = letter?.text.includes('To stop watching all that you watch:')
      expect([notice, hasLink]).toEqual([notice, notice !== 'role'])
    }
  })
})

describe('a daily letter', () => {
  test('comes once, at its reader’s hour, wherever they are', async () => {
    const who = await reader({ mode: 'daily', hour: 18, zone: 'Asia/Kathmandu' })
    const { clock } = await import('../../../lib/base/clock.ts')
    const until = async (time: string) => {
      const day = clock.now().toISOString().slice(0, 10)
      const then = Date.parse(`${day}T${time}Z`)
      app.tick((then - clock.now().getTime() + (then < clock.now().getTime() ? 86_400_000 : 0)) / 1000)
    }
    await until('05:00:00')
    await tell(who, { name: 'In the morning' })
    await until('10:00:00')
    await tell(who, { name: 'At noon' })
    await until('12:14:00')
    expect(await visit()).toEqual(NONE)
    // 18:00 in Kathmandu.
    await until('12:15:00')
    const [letter, ...more] = await caughtIn(visit)
    expect([letter?.subject, more]).toEqual(['2 notices for you', []])
    app.tick(3600)
    await tell(who, { name: 'In the evening' })
    expect(await visit()).toEqual(NONE)
    await until('12:15:00')
    expect(await caughtIn(visit)).toHaveLength(1)
    await until('12:15:00')
    expect(await visit()).toEqual(NONE)
  })

  test('has an hour in every zone, and where clocks are changed', async () => {
    const { nextHour } = await import('../../../lib/domain/notifications/mailing.ts')
    expect(nextHour('2025-01-15T10:00:00.000Z', 7, 'Asia/Kathmandu')).toBe('2025-01-16T01:15:00.000Z')
    expect(nextHour('2025-01-15T01:15:00.000Z', 7, 'Asia/Kathmandu')).toBe('2025-01-16T01:15:00.000Z')
    expect(nextHour('2025-01-15T01:14:59.999Z', 7, 'Asia/Kathmandu')).toBe('2025-01-15T01:15:00.000Z')
    // There is no 02:00 on this day in Berlin, and two of it in autumn.
    expect(nextHour('2025-03-29T23:30:00.000Z', 2, 'Europe/Berlin')).toBe('2025-03-31T00:00:00.000Z')
    expect(nextHour('2025-10-25T23:30:00.000Z', 2, 'Europe/Berlin')).toBe('2025-10-26T00:00:00.000Z')
  })

  test.each([
    [{}, { mode: ['This field is required.'] }],
    [{ mode: 'hourly' }, { mode: ['Not a valid choice. Choose one of: off, at_once, daily.'] }],
    [{ mode: 'daily', hour: 24 }, { hour: ['Give a whole number from 0 to 23.'] }],
    [{ mode: 'daily', hour: '7' }, { hour: ['Give a whole number from 0 to 23.'] }],
    [{ mode: 'daily', hour: 7.5 }, { hour: ['Give a whole number from 0 to 23.'] }],
    [{ mode: 'daily', zone: 'Nepal/Patan' }, { zone: ['Give a time zone such as Asia/Kathmandu.'] }],
    [{ mode: 'daily', zone: '+05:45' }, { zone: ['Give a time zone such as Asia/Kathmandu.'] }],
    [{ mode: 'daily', language: 'fr' }, { language: ['Not a valid choice. Choose one of: en, ne.'] }],
  ])('is not set by %j', async (body, said) => {
    const answer = await app.contributor.put(place, { body })
    expect([answer.status, answer.body]).toEqual([400, said])
  })
})

describe('the link to stop', () => {
  test('shows by GET, stops by POST, and is clicked once by mail programs, without signing in', async () => {
    const who = await reader()
    await tell(who)
    const [letter] = await caughtIn(visit)
    const path = letter ? linkIn(letter) : ''
    for (let i = 0; i < 2; i += 1)
      expect(sure(200, await app.anon.get(path))).toEqual({ email: 'l...@example.org', stopped: false })
    const page = await app.anon.get(path, { headers: { accept: 'text/html' } })
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.text).toContain('<form method="post"><button>Stop them</button></form>')
    expect(page.text).not.toContain(who.email)
    expect(page.headers['referrer-policy']).toBe('no-referrer')

    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = 'List-Unsubscribe=One-Click'
    for (let i = 0; i < 2; i += 1)
      expect(sure(200, await app.anon.post(path, { body, headers }))).toMatchObject({ stopped: true })
    expect(sure(200, await who.get(place)).mode).toBe('off')
    app.tick(600)
    await tell(who)
    expect(await visit()).toEqual(NONE)
    expect((await app.anon.get(path, { headers: { accept: 'text/html' } })).text).toContain('No letters go to')
  })

  test('takes a browser back to the page', async () => {
    const who = await reader()
    const { stopLink } = await import('../../../lib/doors/letters/links.ts')
    const { pathname, search } = new URL(stopLink('http://localhost:8000', who.id))
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
    const { status, headers: answered } = await app.anon.post(pathname + search, { body: '', headers })
    expect([status, answered.location]).toEqual([303, pathname + search])
    expect(sure(200, await who.get(place)).mode).toBe('off')
  })
})

describe('nothing is sent twice', () => {
  test('when two visits come at once', async () => {
    const who = await reader()
    await tell(who)
    const { deliverLetters } = await import('../../../lib/doors/letters/deliver.ts')
    const letters = await caughtIn(() => Promise.all(Array.from({ length: 4 }, deliverLetters)))
    expect(letters.map(({ to }) => to)).toEqual([who.email])
  })

  test('where no answer came: it may have arrived, so that is the end of it', async () => {
    const who = await reader()
    await tell(who)
    fate = () => 'lost'
    expect(await caughtIn(async () => expect(await visit()).toEqual({ ...NONE, unknown: 1 }))).toHaveLength(1)
    fate = () => 'taken'
    app.tick(86_400)
    expect(await visit()).toEqual(NONE)
    // Nothing is lost but the letter.
    expect(sure(200, await who.get('/data/notifications/')).count).toBe(1)
  })

  test('where the service fails without saying whether it took it', async () => {
    const who = await reader()
    await tell(who)
    fate = () => ({ status: 500, error: 'InternalServiceErrorException' })
    expect(await visit()).toEqual({ ...NONE, unknown: 1 })
    fate = () => 'taken'
    app.tick(86_400)
    expect(await visit()).toEqual(NONE)
  })

  test('where the process ends as it puts the letter together: no later visit meets the same letter', async () => {
    const who = await reader()
    await tell(who)
    const { withFault } = await import('../../harness/faults.ts')
    // The first write takes the lock, the second one the letter.
    const dies = () => withFault(1, 'killed after', () => visit().catch(() => undefined), 'every write')
    expect(await caughtIn(async () => expect(await dies()).toBe(true))).toEqual([])
    app.tick(86_400)
    expect(await visit()).toEqual(NONE)
    expect(sure(200, await who.get('/data/notifications/')).count).toBe(1)
    await tell(who)
    expect(await visit()).toEqual({ ...NONE, sent: 1 })
  })

  test.each([
    ['a letter of notices', async () => tell(await reader())],
    ['a question about an address', async () => (await someone()).put(place, { body: { mode: 'at_once' } })],
    [
      'a letter about an account',
      async () => {
        const { email } = await someone()
        return app.anon.post('/api/password/reset/', { body: { email } })
      },
    ],
  ])('and nothing is lost where a call to the table fails: %s', async (_what, order) => {
    const { withFault } = await import('../../harness/faults.ts')
    let hit = true
    for (let call = 0; hit; call += 1) {
      await order()
      const letters = await caughtIn(async () => {
        hit = await withFault(call, 'failed', () => visit().catch(() => undefined))
        app.tick(60)
        await visit()
      })
      expect([call, letters.length]).toEqual([call, 1])
    }
  })

  test('but what was certainly not taken is tried again, later each time, and given up in the end', async () => {
    const who = await reader()
    await tell(who, { name: 'First' })
    let attempts = 0
    fate = () => {
      attempts += 1
      return { status: 429, error: 'TooManyRequestsException' }
    }
    expect(await visit()).toEqual({ ...NONE, refused: 1 })
    expect(await visit()).toEqual(NONE)
    app.tick(60)
    await tell(who, { name: 'Second' })
    fate = () => 'taken'
    const [letter] = await caughtIn(visit)
    expect(letter?.text).toMatch(/Second[\s\S]*First/)

    await tell(who, { name: 'Third' })
    app.tick(300)
    fate = () => {
      attempts += 1
      return { status: 400, error: 'MessageRejected' }
    }
    const results = []
    for (const pause of [60, 600, 3600, 14_400, 0]) {
      results.push(await visit())
      app.tick(pause)
    }
    expect(results).toEqual([...Array.from({ length: 4 }, () => ({ ...NONE, refused: 1 })), { ...NONE, given_up: 1 }])
    expect(attempts).toBe(6)
    app.tick(86_400)
    expect(await visit()).toEqual(NONE)
  })
})

test('no more letters go out in a visit than may', async () => {
  const readers: Reader[] = []
  for (let i = 0; i < 8; i += 1) readers.push(await reader())
  for (const who of readers) await contribute(who, 'structures', { name: 'Many' })
  await following.settled()
  expect([await visit(), await visit(), await visit()]).toEqual([{ ...NONE, sent: 6 }, { ...NONE, sent: 2 }, NONE])
})

test('a verdict, a comment and a role are told as in the inbox', async () => {
  const who = await reader()
  const it = await tell(who, { name: 'Decided' })
  await caughtIn(visit)
  app.tick(301)
  sure(201, await decide(app.community, it, { verdict: 'accept' }))
  await following.settled()
  const [letter] = await caughtIn(visit)
  const [row] = sure(200, await who.get('/data/notifications/')).results
  expect(letter?.subject).toBe(row.message)
})

test('a reviewer is told of what is announced to all reviewers, once, but of their own', async () => {
  const who = await reader()
  const appointed = { user_id: who.id, role: 'community_reviewer' }
  await tell(app.contributor, { name: 'Announced before the role' })
  app.tick(1)
  sure(201, await app.curator.post('/data/reviewer-roles/assign/', { body: appointed }))
  await following.settled()
  expect((await caughtIn(visit)).map(({ subject }) => subject)).toEqual([
    'You review as community reviewer from now on.',
  ])
  await tell(app.contributor, { name: 'Announced' })
  expect(await visit()).toEqual(NONE)
  app.tick(301)
  expect((await caughtIn(visit)).map(({ subject }) => subject)).toEqual(['A contribution waits for review: Announced'])
  app.tick(301)
  expect(await visit()).toEqual(NONE)
  // What they have read meanwhile, or done themselves, is no news.
  await tell(app.contributor, { name: 'Read meanwhile' })
  const [{ notification_id }] = sure(200, await who.get('/data/notifications/')).results
  sure(200, await who.post('/data/notifications/mark_read/', { body: { notification_ids: [notification_id] } }))
  await tell(who, { name: 'Their own' })
  app.tick(301)
  expect((await caughtIn(visit)).map(({ subject }) => subject)).toEqual([
    'Your contribution waits for review: Their own',
  ])
  // A letter that was not taken tells it again.
  await tell(app.contributor, { name: 'Refused at first' })
  fate = () => ({ status: 429, error: 'TooManyRequestsException' })
  app.tick(301)
  expect(await visit()).toMatchObject({ sent: 0, refused: 1 })
  fate = () => 'taken'
  app.tick(301)
  expect((await caughtIn(visit)).map(({ subject }) => subject)).toEqual([
    'A contribution waits for review: Refused at first',
  ])
  sure(204, await app.curator.delete(`/data/reviewer-roles/${who.id}/`))
  await tell(app.contributor, { name: 'Announced to others' })
  app.tick(301)
  expect(await visit()).toEqual(NONE)
})

test('whose account is closed gets no letter', async () => {
  const who = await reader()
  await tell(who)
  await changeUser(who.id, () => ({ is_active: false }))
  expect(await visit()).toEqual(NONE)
})

test('letters that were caught stand on a page', async () => {
  await publish(app, 'structures', { name: '<script>alert(1)</script>' })
  const page = await (await fetch(catcher.endpoint)).text()
  expect(page).toContain('Letters that were sent')
  expect(page).not.toContain('<script>')
})

async function stored() {
  const { loadRecordById: load } = await import('../../../lib/domain/records/load.ts')
  const { recordItem, recordItemOf } = await import('../../../lib/domain/records/items.ts')
  const { put } = await import('../../../lib/engines/table/item.ts')
  const { transact } = await import('../../../lib/engines/table/transact.ts')
  return { load, recordItem, recordItemOf, put, transact }
}
