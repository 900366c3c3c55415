import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { withTornQueries } from '../../harness/faults.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { atOnce, commandsOf, contribute, decide, everyState, publish, sure } from '../../harness/make.ts'
import { Mirror } from './mirror.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

type Row = { number: number; change: string; id: unknown; cultural_entity_id: string; url: string; at: string }
const feed = async (after: number, query: Record<string, string | number> = {}) =>
  sure(200, await app.anon.get('/data/changes/', { query: { after, ...query } }))
const last = async (): Promise<number> => (await feed(0)).last
/** What the feed says since a number, once the projector has heard of all. */
async function since(number: number): Promise<Row[]> {
  await following.settled()
  const rows: Row[] = []
  for (let after = number; ; ) {
    const { changes, until, last: end } = await feed(after)
    rows.push(...changes)
    if (until === end) return rows
    after = until
  }
}
const said = (rows: readonly Row[]) => rows.map(({ change, url }) => [change, url.replace(/^.*\/cidoc/, '')])
const settled = async () => {
  await following.settled()
  return last()
}

describe('what is told', () => {
  test('of a record in each state: that it is public, and that it is so no more', async () => {
    const start = await settled()
    const it = await everyState(app, 'structures')
    await following.settled()
    const rows = await since(start)
    const of = (one: { cultural_entity_id: string }) =>
      rows.filter((row) => row.cultural_entity_id === one.cultural_entity_id).map(({ change }) => change)
    expect(of(it.published)).toEqual(['created'])
    // What was accepted and deleted before anyone was told has never been there.
    for (const state of ['restricted', 'pending', 'rejected', 'revising', 'deleted'] as const)
      expect(of(it[state]), state).toEqual([])
  })

  test('an accepted edit, a withdrawal and a return; nothing of an edit that waits', async () => {
    const it = await publish(app, 'structures', { name: 'Told in turn', note: 'one' })
    const start = (await settled()) - 1
    sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { note: 'two' } }))
    expect(said(await since(start))).toEqual([['created', `/structures/${it.id}/`]])
    sure(201, await decide(app.curator, it, { verdict: 'accept' }))
    await following.settled()
    sure(204, await app.staff.delete(`/cidoc/structures/${it.id}/`))
    await following.settled()
    sure(200, await app.staff.post(`/cidoc/structures/${it.id}/restore/`))
    expect((await since(start)).map(({ change }) => change)).toEqual(['created', 'updated', 'withdrawn', 'created'])
  })

  test('a record that is hidden is withdrawn, and its values are nowhere', async () => {
    const it = await publish(app, 'structures', { name: 'Soon hidden', note: 'a secret to be' })
    const start = (await settled()) - 1
    sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { access_tier: 'restricted' } }))
    sure(201, await decide(app.curator, it, { verdict: 'accept' }))
    expect((await since(start)).map(({ change }) => change)).toEqual(['created', 'withdrawn'])
    const { changes } = await feed(start, { include: 'record' })
    expect(changes.map(({ record }: { record: unknown }) => record)).toEqual([null, null])
    expect(JSON.stringify(changes)).not.toMatch(/hidden|secret/i)
  })

  test('records that a cluster holds together, where two of them are public', async () => {
    const [one, two] = [
      await publish(app, 'structures', { name: 'Held one' }),
      await publish(app, 'structures', { name: 'Held two' }),
    ]
    const start = await settled()
    const body = { canonical_label: 'Held', type_scope: 'structure', members: [one, two].map(({ id }) => id) }
    const { id } = sure(201, await app.curator.post('/cidoc/entity-clusters/', { body: memberBody(body) }))
    expect(said(await since(start))).toEqual([['merged', `/entity-clusters/${id}/`]])
    const { changes } = await feed(start, { include: 'record' })
    expect(changes[0].members.sort()).toEqual(
      [one, two].map((it) => `http://localhost:8000/cidoc/structures/${it.id}/`).sort(),
    )
    sure(204, await app.staff.delete(`/cidoc/structures/${two.id}/`))
    expect(said(await since(start)).slice(1)).toEqual([
      ['separated', `/entity-clusters/${id}/`],
      ['withdrawn', `/structures/${two.id}/`],
    ])
  })

  test('a record whose place becomes public reads otherwise, and is told of again', async () => {
    const place = await contribute(app.contributor, 'locations', { name: 'A square' })
    const it = await publish(app, 'structures', { name: 'On a square', has_current_location: place.id })
    const start = await settled()
    sure(201, await decide(app.curator, place, { verdict: 'accept' }))
    expect(said(await since(start))).toEqual([
      ['updated', `/structures/${it.id}/`],
      ['created', `/locations/${place.id}/`],
    ])
    const { changes } = await feed(start, { include: 'record' })
    expect(changes[0].record.values.has_current_location).toEqual([{ kind: 'location', id: place.id }])
  })

  test('nothing twice when the projector hears of it again', async () => {
    await following.settled()
    const before = await last()
    const { handler } = await import('../../../functions/projector.ts')
    const { batchItemFailures } = await handler({ Records: [...following.told] })
    expect(batchItemFailures).toEqual([])
    expect(await last()).toBe(before)
  })

  test('what was there before the feed was, once', async () => {
    const { writeChanges } = await import('../../../lib/domain/feed/tell.ts')
    const it = await publish(app, 'structures', { name: 'Before the feed' })
    const before = await last()
    for (let i = 0; i < 2; i += 1) await writeChanges([{ sort: 'record', id: it.cultural_entity_id }])
    expect(said((await feed(before)).changes)).toEqual([['created', `/structures/${it.id}/`]])
  })
})

/** Members as the body of a cluster names them. */
const memberBody = ({ members, ...rest }: { members: number[] } & object) => ({
  ...rest,
  members: members.map((entity_id) => ({ entity_type: 'structure', entity_id })),
})

describe('order', () => {
  test('numbers have no gap and times never go back, whoever writes at once', async () => {
    const made = []
    for (let i = 0; i < 8; i += 1) made.push(await publish(app, 'structures', { name: `At once ${i}` }))
    const start = await last()
    const { writeChanges } = await import('../../../lib/domain/feed/tell.ts')
    await atOnce(made.map((it) => () => writeChanges([{ sort: 'record', id: it.cultural_entity_id }])))
    const rows = await since(0)
    expect(rows.map(({ number }) => number)).toEqual(rows.map((_, i) => i + 1))
    expect(rows.map(({ at }) => at)).toEqual(rows.map(({ at }) => at).toSorted())
    expect(new Set(rows.slice(start).map(({ id }) => id))).toEqual(new Set(made.map(({ id }) => id)))
  })

  test('a reader who sees half of a transaction stops before the missing number, and loses nothing', async () => {
    const start = await settled()
    const made = []
    for (let i = 0; i < 3; i += 1) made.push(await publish(app, 'structures', { name: `Half applied ${i}` }))
    const { writeChanges } = await import('../../../lib/domain/feed/tell.ts')
    await writeChanges(made.map((it) => ({ sort: 'record', id: it.cultural_entity_id })))
    const entries = (shown: { changes: Row[] }) => shown.changes.map(({ number }) => number)
    for (const [late, seen] of [
      [1, []],
      [2, [start + 1]],
    ] as const)
      await withTornQueries(
        1,
        (item) => item.type === 'change_entry' && item.number === start + late,
        async () => {
          const half = await feed(start)
          expect([entries(half), half.until]).toEqual([seen, start + seen.length])
          // `next` leads back to what was missing.
          expect(entries(await feed(half.until)).at(0)).toBe(start + late)
        },
      )
    expect(entries(await feed(start))).toEqual([1, 2, 3].map((i) => start + i))
  })

  test('a clock that goes back moves no time back', async () => {
    await publish(app, 'structures', { name: 'Earlier than the last' })
    app.tick(-3600)
    await following.settled()
    app.tick(3600)
    const rows = await since(0)
    expect(rows.map(({ at }) => at)).toEqual(rows.map(({ at }) => at).toSorted())
  })
})

describe('a forged point', () => {
  const refused = async (after: string) => sure(400, await app.anon.get('/data/changes/', { query: { after } }))

  test('that is no number', async () => {
    for (const after of ['-1', '1.5', 'x', '1e3', '9'.repeat(20)])
      expect(await refused(after)).toEqual({ after: ['A whole number from 0 is wanted.'] })
  })
  test('beyond the last change', async () => {
    const end = await last()
    expect(await refused(String(end + 1))).toEqual({
      after: [`There is no such change: the last one has the number ${end}.`],
    })
  })
  test('of an activity or a page', async () => {
    for (const path of ['999999/', '0/', 'x/', '-1/', 'activity/999/', 'activity/0/'])
      expect(sure(404, await app.anon.get(`/data/changes/${path}`))).toEqual({ detail: 'Not found.' })
  })
})

describe('ActivityStreams', () => {
  test('the pages hold every change once, oldest first, and name each other', async () => {
    const rows = await since(0)
    const collection = sure(200, await app.anon.get('/data/changes/activity/'))
    expect(collection).toMatchObject({ type: 'OrderedCollection', totalItems: rows.length })
    const found = []
    let before: string | undefined
    for (let at: string | undefined = collection.first.id; at; ) {
      const answer = await app.anon.get(new URL(at).pathname)
      expect(answer.headers['content-type']).toMatch(/^application\/activity\+json/)
      const page = sure(200, answer)
      expect([page.id, page.prev?.id, page.partOf.id]).toEqual([at, before, collection.id])
      found.push(...page.orderedItems)
      ;[before, at] = [at, page.next?.id]
    }
    expect(before).toBe(collection.last.id)
    const types: Record<string, string> = { created: 'Create', updated: 'Update', merged: 'Create' }
    expect(found.map(({ type, object, endTime }) => [type, object.id, endTime])).toEqual(
      rows.map(({ change, url, at }) => [types[change] ?? 'Delete', url, at]),
    )
    const one = sure(200, await app.anon.get(new URL(found[0].id).pathname))
    expect(one).toMatchObject(found[0])
    // What is promised as JSON-LD is JSON-LD where it is still public.
    const promised = new Set(found.flatMap(({ object }) => (object.seeAlso ? [object.seeAlso.id] : [])))
    for (const id of promised) {
      const { status, headers } = await app.anon.get(new URL(id).pathname, {
        headers: { accept: 'application/ld+json' },
      })
      if (status === 200) expect([id, headers['content-type']]).toEqual([id, 'application/ld+json'])
    }
    expect([...promised].filter((id) => id.includes('/entity-clusters/'))).toEqual([])
    expect(found.filter(({ object }) => object.id.includes('/entity-clusters/'))).not.toEqual([])
  })
})

describe('a mirror', () => {
  test('that stops and goes on at random ends with an equal copy', async () => {
    const mirror = new Mirror(app, 20250115)
    const made: { id: number; cultural_entity_id: string }[] = []
    const acts = [
      async () => made.push(await publish(app, 'structures', { name: `Mirrored ${made.length}`, note: 'first' })),
      async () => edit({ note: `edited ${made.length} ${mirror.random(1000)}` }),
      async () => edit({ access_tier: mirror.random(2) ? 'restricted' : 'public' }),
      async () => app.staff.delete(`/cidoc/structures/${one().id}/`),
      async () => app.staff.post(`/cidoc/structures/${one().id}/restore/`),
    ]
    const one = () => made[mirror.random(made.length)] ?? { id: 0, cultural_entity_id: '' }
    const edit = async (body: object) => {
      const it = one()
      const { status } = await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body })
      if (status === 200) await decide(app.curator, it, { verdict: 'accept' })
    }
    await acts[0]?.()
    for (let i = 0; i < 60; i += 1) {
      await acts[mirror.random(acts.length)]?.()
      if (mirror.random(3) === 0) await following.settled()
      if (mirror.random(2) === 0) await mirror.readSome()
    }
    await following.settled()
    await mirror.readAll()
    expect(mirror.copy).toEqual(await mirror.whatStands())
    expect(mirror.copy.size).toBeGreaterThan(5)
  }, 60_000)
})

describe('cost', () => {
  test('a page is two calls, whichever it is; with what things are it is read in two parts of four calls', async () => {
    const end = await last()
    for (const after of [0, Math.floor(end / 2), end - 1]) {
      expect((await app.anon.get('/data/changes/', { query: { after, limit: 20 } })).cost.calls).toBe(2)
    }
    const calls = await commandsOf(() => feed(Math.max(0, end - 50), { limit: 50, include: 'record' }))
    expect(calls.length).toBeLessThanOrEqual(10)
  })
})
