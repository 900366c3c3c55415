import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { App } from '../../harness/app.ts'
import { withCapacity } from '../../harness/capacity.ts'
import { withFault } from '../../harness/faults.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { contribute, decide, sure } from '../../harness/make.ts'
import { changeRank, createUser, signInAs } from '../../harness/people.ts'
import { at, linkTo, move, openProjects, projectIn, waitingRecords } from '../../harness/projects.ts'

/** Merges and rollbacks that no request waits for. */

let app: App
let stream: Following
beforeAll(async () => {
  app = await openProjects({ LOG_LEVEL: 'silent' })
  stream = await followTable()
})

type Made = { id: number; cultural_entity_id: string; name: string }

/** A request waits for nothing, and a part holds so many records. */
async function waitingFor(milliseconds: number, recordsInPart: number) {
  const { mergeLimits } = await import('../../../lib/domain/projects/merge.ts')
  const { partLimits } = await import('../../../lib/domain/projects/merge-work.ts')
  mergeLimits.waitedForMs = milliseconds
  partLimits.recordsInPart = recordsInPart
}
beforeEach(() => waitingFor(0, 2))

/** The worker, as its schedule starts it; it has so much time that it can begin. */
async function work(seconds = 900) {
  const { handler } = await import('../../../functions/merger.ts')
  return handler({}, { getRemainingTimeInMillis: () => seconds * 1000 })
}
const projectOf = async (slug: string) => sure(200, await app.staff.get(at(slug)))
const activities = async (slug: string) => sure(200, await app.staff.get(at(slug, 'activity/'))).results
const statusOf = async (it: Made) => sure(200, await app.staff.get(`/cidoc/traditions/${it.id}/`)).status
const statuses = async (records: readonly Made[]) => [...new Set(await Promise.all(records.map(statusOf)))]
const anonymously = async (records: readonly Made[]) => [
  ...new Set(await Promise.all(records.map(async (it) => (await app.anon.get(`/cidoc/traditions/${it.id}/`)).status))),
]
const published = async () => sure(200, await app.anon.get('/cidoc/traditions/')).count
const decisionsOf = async (it: Made) => {
  const { loadHistory } = await import('../../../lib/domain/records/history.ts')
  return (await loadHistory(it.cultural_entity_id))?.decisions.length
}
const noticesFor = async (who: 'domain' | 'contributor') =>
  sure(200, await app[who].get('/data/notifications/', { query: { limit: 100 } })).results.map(
    (it: { message: string }) => it.message,
  )

type Puts = { TransactItems?: { Put?: { Item: { type: string; number: number } } }[] }

/** A merge that has begun, and its records in the order of their ids, which is that in which they are merged. */
async function begun(many: number) {
  const made = (await waitingRecords(app, many)) as Made[]
  const records = made.toSorted((a, b) => (a.cultural_entity_id < b.cultural_entity_id ? -1 : 1))
  const slug = await projectIn(app, 'approved', records)
  const before = await published()
  const body = sure(202, await move(app.domain, slug, 'merged'))
  return { records, slug, before, body }
}

describe('a merge that takes longer than a request waits', () => {
  test('is accepted, tells how far it has come, and takes no edits meanwhile', async () => {
    const { records, slug, before, body } = await begun(5)
    const running = { state: 'running', action: 'merge', done: 0, of: 5 }
    expect(body).toMatchObject({ state: 'approved', merge: running, allowed_transitions: [], is_read_only: true })
    const [began] = await activities(slug)
    expect(began).toMatchObject({ action: 'merge_started', payload: { merge: 'merge', of: 5 } })
    const told = { detail: 'This project is being merged or rolled back.' }
    for (const refused of [
      await app.contributor.patch(at(slug), { body: { title: 'Renamed' } }),
      await app.contributor.delete(at(slug)),
      await app.contributor.post(at(slug, 'memberships/'), { body: { username: 'other' } }),
      await move(app.domain, slug, 'merged'),
      await move(app.contributor, slug, 'withdrawn'),
    ])
      expect([refused.status, refused.body]).toEqual([409, told])

    // Stopped in its second part: the first is done, and nothing of it is seen.
    await withFault(28, 'killed', work)
    const halfway = await projectOf(slug)
    expect(halfway).toMatchObject({ state: 'approved', merge: { ...running, done: 2 } })
    expect([await statuses(records), await anonymously(records), await published()]).toEqual([
      ['pending_review'],
      [404],
      before,
    ])
    expect((await decide(app.community, records[0] as Made, { verdict: 'accept' })).status).toBe(409)

    app.tick(241)
    expect(await work()).toEqual({ ended: 1, running: 0 })
    expect(await projectOf(slug)).toMatchObject({ state: 'merged', merge: null })
    expect([await statuses(records), await anonymously(records), await published()]).toEqual([
      ['accepted'],
      [200],
      before + 5,
    ])
    expect(await Promise.all(records.map(decisionsOf))).toEqual([1, 1, 1, 1, 1])
    expect((await activities(slug))[0]).toMatchObject({ action: 'state_changed', payload: { to: 'merged' } })
    await stream.settled()
    expect(await noticesFor('domain')).toContain(`The merge that you began is done: Project ${slug.split('-')[1]}`)
    expect(await noticesFor('contributor')).toContain(
      `A project that you work on was merged: Project ${slug.split('-')[1]}`,
    )
  })

  test('goes on where it was, however often it is killed, and stages no part that is done again', async () => {
    const { records, slug, before } = await begun(8)
    const { db } = await import('../../../lib/engines/table/client.ts')
    const staged: string[] = []
    db.middlewareStack.add(
      (next) => (args) => {
        const { TransactItems = [] }: Puts = Object(args.input)
        for (const { Put } of TransactItems) if (Put?.Item.type === 'merge_part') staged.push(String(Put.Item.number))
        return next(args)
      },
      { step: 'initialize', name: 'parts' },
    )
    const seen: number[] = []
    let killed = true
    for (let turn = 0; killed; turn += 1) {
      if (turn > 60) throw new Error('it does not come to an end')
      killed = await withFault(28 + turn, 'killed after', () => work().then(() => undefined), 'every call')
      const it = await projectOf(slug)
      if (it.state === 'approved') {
        seen.push(it.merge.done)
        expect([await statuses(records), await published()]).toEqual([['pending_review'], before])
      } else expect([await statuses(records), await published()]).toEqual([['accepted'], before + 8])
      app.tick(241)
    }
    db.middlewareStack.remove('parts')
    expect(seen.length).toBeGreaterThan(2)
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
    expect([...new Set(staged)].sort()).toEqual(['0', '1', '2', '3'])
    expect(await projectOf(slug)).toMatchObject({ state: 'merged', merge: null })
    expect(await Promise.all(records.map(decisionsOf))).toEqual(records.map(() => 1))
  }, 120_000)

  test('is given back when the time of its worker is over, and taken up at once', async () => {
    const { slug } = await begun(3)
    // However often: its worker has not failed.
    for (let visit = 0; visit < 5; visit += 1) expect(await work(60)).toEqual({ ended: 0, running: 1 })
    expect(await projectOf(slug)).toMatchObject({ state: 'approved', merge: { done: 0, of: 3 } })
    expect(await work()).toEqual({ ended: 1, running: 0 })
    expect((await projectOf(slug)).state).toBe('merged')
  })

  test('is worked on by one of two workers', async () => {
    const { records, slug } = await begun(4)
    const both = await Promise.all([work(), work()])
    expect(both.reduce((sum, it) => sum + it.ended, 0)).toBe(1)
    expect((await projectOf(slug)).state).toBe('merged')
    expect(await Promise.all(records.map(decisionsOf))).toEqual([1, 1, 1, 1])
  })

  test('that cannot be is called off: nothing has changed, and its activity and a notification say why', async () => {
    await waitingFor(0, 1)
    const [first] = (await waitingRecords(app, 1)) as Made[]
    const own = await Promise.all(
      [1, 2].map((n) => contribute(app.domain, 'traditions', { name: `Own ${n} ${crypto.randomUUID()}` })),
    )
    const slug = await projectIn(app, 'draft', [first as Made])
    for (const it of own) await linkTo(app.staff, slug, it)
    sure(200, await move(app.contributor, slug, 'in_review'))
    sure(200, await move(app.community, slug, 'approved'))
    const before = await published()
    sure(202, await move(app.domain, slug, 'merged'))
    expect(await work()).toEqual({ ended: 1, running: 0 })
    const after = await projectOf(slug)
    expect(after).toMatchObject({ state: 'approved', merge: null, is_read_only: false })
    expect(after.allowed_transitions).toContain('merged')
    const [failed] = await activities(slug)
    expect(failed).toMatchObject({ action: 'merge_failed', payload: { merge: 'merge', reason: 'Invalid input.' } })
    expect(failed.payload.blockers).toEqual(
      own.map((it) => `${it.name}: Nobody decides on a contribution of their own.`).sort(),
    )
    expect([await statusOf(first as Made), await published()]).toEqual(['pending_review', before])
    await stream.settled()
    expect((await noticesFor('domain')).filter((it: string) => it.includes('could not be done'))).toHaveLength(1)
    sure(201, await decide(app.community, first as Made, { verdict: 'accept' }))
  })

  test('is called off if its merger lost the rank for it meanwhile', async () => {
    const expert = await createUser({ username: 'demoted', email: 'demoted@heritage.test' })
    await changeRank(expert.id, 'domain_expert')
    const records = (await waitingRecords(app, 3)) as Made[]
    const slug = await projectIn(app, 'approved', records)
    sure(202, await move(app.as(await signInAs(expert)), slug, 'merged'))
    await changeRank(expert.id, 'community_reviewer')
    expect(await work()).toEqual({ ended: 1, running: 0 })
    expect(await projectOf(slug)).toMatchObject({ state: 'approved', merge: null })
    const [failed] = await activities(slug)
    expect(failed.payload.reason).toBe('You do not have permission to perform this action.')
    expect(await statuses(records)).toEqual(['pending_review'])
  })

  test('that ends its worker three times is called off, with a sentence', async () => {
    const { records, slug } = await begun(3)
    for (let death = 1; death <= 3; death += 1) {
      // The first write of a worker takes the job. Its process ends right after that.
      expect(await withFault(0, 'killed after', work, 'every write')).toBe(true)
      expect(await projectOf(slug)).toMatchObject({ state: 'approved', merge: { done: 0, of: 3 } })
      app.tick(241)
    }
    expect(await work()).toEqual({ ended: 1, running: 0 })
    expect(await projectOf(slug)).toMatchObject({ state: 'approved', merge: null, is_read_only: false })
    expect((await activities(slug))[0]).toMatchObject({
      action: 'merge_failed',
      payload: { merge: 'merge', reason: 'The process that worked on this ended three times.', blockers: [] },
    })
    expect(await statuses(records)).toEqual(['pending_review'])
  })

  test('waits out a table that has no room, and says so again and again in vain only so often', async () => {
    const { records, slug } = await begun(6)
    const spent = await withCapacity({ total: 60, key: 15 }, async () => {
      expect(await work()).toEqual({ ended: 1, running: 0 })
    })
    expect(spent.throttled).toBeGreaterThan(0)
    expect(await projectOf(slug)).toMatchObject({ state: 'merged', merge: null })
    expect(await statuses(records)).toEqual(['accepted'])
  }, 120_000)
})

describe('on a table that is slow', () => {
  /** What the gateway waits for. */
  const LONGEST_MS = 29_000

  /** Runs work for which each call to the table or the bucket takes so long by the clock of the process. Answers how long it takes by that. */
  async function whileSlow(callMs: number, work: () => Promise<void>): Promise<number> {
    const [{ db }, { s3 }] = await Promise.all([
      import('../../../lib/engines/table/client.ts'),
      import('../../../lib/engines/bucket/blobs.ts').then((it) => it.bucket()),
    ])
    const began = performance.now()
    let at = began
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => at)
    const slow = (next: (args: never) => Promise<unknown>) => async (args: never) => {
      const end = at + callMs
      const result = await next(args)
      at = Math.max(at, end)
      return result
    }
    const options = { step: 'initialize', name: 'slow', priority: 'high' } as const
    db.middlewareStack.add(slow as never, options)
    s3.middlewareStack.add(slow as never, options)
    try {
      await work()
      return Math.round(at - began)
    } finally {
      clock.mockRestore()
      db.middlewareStack.remove('slow')
      s3.middlewareStack.remove('slow')
    }
  }

  /** The project of the speed before: its rollback has left it as it was before its merge, but for its state. */
  let rolledBack: { records: Made[]; slug: string } | undefined
  async function approved80() {
    const again = rolledBack
    rolledBack = undefined
    if (again) {
      sure(200, await move(app.contributor, again.slug, 'in_review'))
      sure(200, await move(app.community, again.slug, 'approved'))
      return again
    }
    const records = (await waitingRecords(app, 80)) as Made[]
    return { records, slug: await projectIn(app, 'approved', records) }
  }

  test.each([[400], [700], [1000]])(
    'whose calls take %d ms, merging and rolling back 80 records is answered before the gateway gives up, and ends well',
    async (callMs) => {
      await waitingFor(20_000, 10)
      const { records, slug } = await approved80()
      const before = await published()
      // Signed in.
      await app.domain.get(at(slug))
      const merged = await whileSlow(callMs, async () => void sure(202, await move(app.domain, slug, 'merged')))
      expect(merged).toBeLessThanOrEqual(LONGEST_MS)
      expect(await work()).toEqual({ ended: 1, running: 0 })
      expect([(await projectOf(slug)).state, await published()]).toEqual(['merged', before + 80])
      expect(new Set(await Promise.all(records.map(decisionsOf)))).toEqual(new Set([1]))
      const undone = await whileSlow(
        callMs,
        async () => void sure(202, await app.domain.post(at(slug, 'rollback-merge/'))),
      )
      expect(undone).toBeLessThanOrEqual(LONGEST_MS)
      expect(await work()).toEqual({ ended: 1, running: 0 })
      expect([(await projectOf(slug)).state, await published()]).toEqual(['needs_revision', before])
      rolledBack = { records, slug }
    },
    120_000,
  )
})

describe('a rollback that takes longer than a request waits', () => {
  test('is accepted, goes on when it was killed, and brings everything back', async () => {
    // The projector has nothing to do with what the tests before have changed.
    await stream.take()
    const { records, slug, before } = await begun(5)
    await work()
    expect(await published()).toBe(before + 5)
    const body = sure(202, await app.domain.post(at(slug, 'rollback-merge/')))
    expect(body).toMatchObject({ state: 'merged', merge: { state: 'running', action: 'rollback', done: 0, of: 5 } })
    expect((await app.domain.post(at(slug, 'rollback-merge/'))).status).toBe(409)
    await withFault(60, 'killed', work)
    expect([(await projectOf(slug)).state, await published()]).toEqual(['merged', before + 5])
    app.tick(241)
    await work()
    expect(await projectOf(slug)).toMatchObject({ state: 'needs_revision', merge: null })
    expect([await statuses(records), await published()]).toEqual([['pending_review'], before])
    await stream.settled()
    expect(
      (await noticesFor('domain')).some((it: string) => it.startsWith('The rollback that you began is done')),
    ).toBe(true)
  })
})
