import { createHmac } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { contribute, publish, sure } from '../../harness/make.ts'

type Got = { path: string; headers: Record<string, string | string[] | undefined>; body: string }
let app: App
let following: Following
let server: Server
let root = ''
let got: Got[] = []
let status = 204
beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      got.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() })
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  app = await openApp()
  following = await followTable()
})
afterAll(() => server.close())
beforeEach(() => {
  got = []
  status = 204
})

const place = '/api/user/hooks/'
const set = async (path: string, more: object = {}, who = app.contributor) =>
  sure(201, await who.post(place, { body: { url: `${root}${path}`, ...more } }))
const visit = async () => (await import('../../../functions/webhooks.ts')).handler()
/** What a receiver was told at a path, in the order in which it was told. */
const told = (path: string) =>
  got
    .filter((it) => it.path === path)
    .flatMap(({ body }) => JSON.parse(body).changes.map(({ change, url }: never) => [change, url]))
const deliveries = async (id: string, who = app.contributor) =>
  sure(200, await who.get(`${place}${id}/deliveries/`)).results
const urlOf = (it: { id: number }, segment = 'structures') => `http://localhost:8000/cidoc/${segment}/${it.id}/`

describe('a hook', () => {
  test('is told of what it asks for from now on, signed, once, and of nothing that is hidden', async () => {
    await publish(app, 'structures', { name: 'Before it was set' })
    await following.settled()
    const { id, secret } = await set('/all')
    const { id: other } = await set('/gone', { changes: ['withdrawn'], kinds: ['structure'] })
    const one = await publish(app, 'structures', { name: 'Told of' })
    const person = await publish(app, 'persons', { name: 'Told of as well' })
    await contribute(app.contributor, 'structures', { name: 'A secret that waits' })
    await following.settled()
    expect(await visit()).toEqual({ delivered: 1, failed: 0, dead: 0 })
    expect(told('/all')).toEqual([
      ['created', urlOf(one)],
      ['created', urlOf(person, 'persons')],
    ])
    const { headers, body } = got[0] ?? { ...{ path: '', body: '' }, headers: {} as Got['headers'] }
    expect(headers['x-signature']).toBe(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
    expect(headers['x-event']).toBe('records.changed')
    expect(body).not.toMatch(/secret/i)
    expect(await visit()).toEqual({ delivered: 0, failed: 0, dead: 0 })

    app.tick(60)
    sure(204, await app.staff.delete(`/cidoc/structures/${one.id}/`))
    sure(204, await app.staff.delete(`/cidoc/persons/${person.id}/`))
    await following.settled()
    await visit()
    expect(told('/gone')).toEqual([['withdrawn', urlOf(one)]])
    const [last] = await deliveries(id)
    expect(last).toMatchObject({ state: 'delivered', attempts: 1, last_error: null, next_at: null })
    expect(headers['x-delivery-id']).toBe((await deliveries(id)).at(-1).id)
    for (const one of [id, other]) sure(204, await app.contributor.delete(`${place}${one}/`))
  })

  test('that fails is tried again, given up in the end, and sent again by hand', async () => {
    const { id } = await set('/failing')
    await publish(app, 'structures', { name: 'Not taken' })
    await following.settled()
    status = 500
    const first = await visit()
    expect(first.failed).toBe(1)
    expect((await deliveries(id))[0]).toMatchObject({ state: 'waiting', attempts: 1, last_error: 'answered 500' })
    for (const pause of [30, 120, 600, 3600, 14_400]) {
      expect((await visit()).failed).toBe(0)
      app.tick(pause)
      await visit()
    }
    const [dead] = await deliveries(id)
    expect(dead).toMatchObject({ state: 'dead', attempts: 6 })
    status = 204
    const again = `${place}${id}/deliveries/${dead.id}/send/`
    sure(404, await app.other.post(again))
    expect(sure(200, await app.contributor.post(again))).toMatchObject({ state: 'waiting', attempts: 0 })
    got = []
    expect(await visit()).toMatchObject({ delivered: 1, dead: 0 })
    expect(got.filter((it) => it.path === '/failing').map((it) => it.body)).toEqual([dead.body])
  })

  test('whose message ends its maker three times goes on after it, and reads why in a dead delivery', async () => {
    for (const who of [app.contributor, app.other])
      for (const it of sure(200, await who.get(place)).results) sure(204, await who.delete(`${place}${it.id}/`))
    const { id } = await set('/heavy')
    await publish(app, 'structures', { name: 'Too much' })
    await following.settled()
    const { withFault } = await import('../../harness/faults.ts')
    for (let death = 1; death <= 3; death += 1) {
      // The first write takes the lock, the second one counts the take. The process ends right after that.
      expect(await withFault(1, 'killed after', visit, 'every write')).toBe(true)
      app.tick(61)
    }
    expect(await visit()).toEqual({ delivered: 0, failed: 0, dead: 0 })
    expect((await deliveries(id))[0]).toMatchObject({
      ...{ state: 'dead', attempts: 0 },
      last_error:
        'The process that put this message together ended three times. These changes stand in /data/changes/.',
    })
    const next = await publish(app, 'structures', { name: 'Told as ever' })
    await following.settled()
    await visit()
    expect(told('/heavy')).toEqual([['created', urlOf(next)]])
  })

  test('whose secret can no longer be read sends nothing unsigned, and says so', async () => {
    const { id } = await set('/unsigned')
    await publish(app, 'structures', { name: 'Not signed' })
    await following.settled()
    const { get, put } = await import('../../../lib/engines/table/index.ts')
    const { commitWrites } = await import('../../../lib/engines/table/immediate.ts')
    const { hook } = await import('../../../lib/domain/hooks/hooks.ts')
    const { sealText } = await import('../../../lib/platform/http/seal.ts')
    const stored = await get(hook, { id })
    if (!stored) throw new Error('no hook')
    // As it is once the key that sealed it is no key of the service any more.
    const lost = { ...stored, secret: sealText('of another', 'another'), version: stored.version + 1 }
    await commitWrites([put(hook, lost, stored)])
    expect(await visit()).toMatchObject({ failed: 1 })
    expect(told('/unsigned')).toEqual([])
    expect((await deliveries(id))[0]).toMatchObject({
      state: 'waiting',
      last_error: 'The secret of this hook cannot be read any more, so nothing is signed. Make a new hook.',
    })
    sure(204, await app.contributor.delete(`${place}${id}/`))
  })

  test('for which no message can be made keeps nothing from the others, and the visit fails', async () => {
    const [{ id: broken }, { id }] = [await set('/broken'), await set('/sound')]
    const it = await publish(app, 'structures', { name: 'For the others' })
    await following.settled()
    const { db } = await import('../../../lib/engines/table/client.ts')
    const { key } = await import('../../../lib/platform/table/keys.ts')
    const { pk } = key.hook(broken)
    type Args = { input: { Key?: { pk: string } } }
    const failFor = (next: (args: Args) => Promise<unknown>) => async (args: Args) => {
      if (args.input.Key?.pk === pk) throw new Error('this hook cannot be read')
      return next(args)
    }
    db.middlewareStack.add(failFor as never, { step: 'initialize', name: 'failing', priority: 'high' })
    try {
      await expect(visit()).rejects.toThrow('hooks that got no message')
    } finally {
      db.middlewareStack.remove('failing')
    }
    expect(told('/sound')).toEqual([['created', urlOf(it)]])
    // The next visit makes up for it.
    await visit()
    expect(told('/broken')).toEqual([['created', urlOf(it)]])
    for (const one of [broken, id]) sure(204, await app.contributor.delete(`${place}${one}/`))
  })

  test('that is removed hears nothing more', async () => {
    const { id } = await set('/removed')
    await publish(app, 'structures', { name: 'Too late' })
    await following.settled()
    sure(204, await app.contributor.delete(`${place}${id}/`))
    await visit()
    expect(told('/removed')).toEqual([])
    sure(404, await app.contributor.get(`${place}${id}/`))
  })

  test("is its owner's, and its secret is shown once", async () => {
    const { id, secret } = await set('/own')
    const shown = await app.contributor.get(place)
    expect(shown.body.results.map((it: { id: string }) => it.id)).toContain(id)
    for (const path of ['', 'deliveries/']) {
      sure(404, await app.other.get(`${place}${id}/${path}`))
      sure(200, await app.staff.get(`${place}${id}/${path}`))
    }
    sure(404, await app.other.delete(`${place}${id}/`))
    const { scan } = await import('../../../lib/engines/table/scan.ts')
    const stored = []
    for await (const page of scan(['hook', 'delivery', 'reply'])) stored.push(...page)
    expect(JSON.stringify(stored) + shown.text).not.toContain(secret)
    // A message of one hook is not sent by the address of another.
    const other = await set('/another')
    const [first] = await deliveries((await set('/third')).id)
    expect(first).toBeUndefined()
    sure(404, await app.contributor.post(`${place}${other.id}/deliveries/${id}/send/`))
  })

  test('is set by a machine with the scope of hooks, and by no other', async () => {
    const key = async (scopes: string[]) =>
      app.as(sure(201, await app.other.post('/api/user/keys/', { body: { name: 'Mirror', scopes } })).token)
    await set('/machine', {}, await key(['hook']))
    sure(403, await (await key(['read', 'propose', 'import'])).post(place, { body: { url: `${root}/x` } }))
    sure(401, await app.anon.post(place, { body: { url: `${root}/x` } }))
  })

  test('that is asked for wrongly is refused by member', async () => {
    const refused = async (body: object) => sure(400, await app.other.post(place, { body }))
    expect(await refused({})).toEqual({ url: ['This field is required.'] })
    expect(await refused({ url: 'ftp://example.org/' })).toEqual({ url: ['Enter a valid URL.'] })
    expect(await refused({ url: 'https://user:word@example.org/' })).toEqual({
      url: ['Give an address without a password.'],
    })
    expect(await refused({ url: root, changes: [] })).toEqual({
      changes: ['Choose one or more of: created, updated, withdrawn.'],
    })
    for (let made = (await app.other.get(place)).body.results.length; made < 10; made += 1)
      await set('/many', {}, app.other)
    expect(await refused({ url: root })).toEqual({ detail: 'Nobody has more than 10 hooks. Remove one first.' })
  })
})
