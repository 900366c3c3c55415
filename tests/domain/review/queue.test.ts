import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RecordItem } from '../../../lib/domain/records/items.ts'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { atOnce, commandsOf, contribute, decide, publish, sure } from '../../harness/make.ts'
import { changeUser } from '../../harness/people.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = Date.parse('2025-01-15T10:00:00.000Z')

type Row = {
  entity_id: string
  triage_priority: number
  flag_count: number
  has_conflicts: boolean
  created_at: string
  name: string
}

let app: App
let template: RecordItem
beforeAll(async () => {
  app = await openApp()
  const { loadRecordById } = await import('../../../lib/domain/records/write.ts')
  const { recordItemOf } = await import('../../../lib/domain/records/items.ts')
  const made = await contribute(app.contributor, 'structures', { name: 'Template' })
  const found = await loadRecordById(made.cultural_entity_id)
  if (!found) throw new Error('no template')
  template = recordItemOf(found)
})
beforeEach(restart)

/** Takes everything out of the queue and sets the clock back. */
async function restart(): Promise<void> {
  const { clock } = await import('../../../lib/base/clock.ts')
  const { invalidate } = await import('../../../lib/platform/cache/cached.ts')
  const { byCreation, mergeRuns } = await import('../../../lib/domain/review/queue-order.ts')
  const { recordItem } = await import('../../../lib/domain/records/items.ts')
  const { queueWrites } = await import('../../../lib/domain/records/queue-entry.ts')
  const { withNextVersion, put } = await import('../../../lib/engines/table/item.ts')
  const { get } = await import('../../../lib/engines/table/read.ts')
  const { transact } = await import('../../../lib/engines/table/transact.ts')
  const there: RecordItem[] = []
  for await (const { entry: it } of mergeRuns(byCreation(START, 'all', true), false, undefined, 500)) {
    const found = await get(recordItem, it)
    if (found) there.push(found)
  }
  for (let start = 0; start < there.length; start += 15) {
    const gone = there
      .slice(start, start + 15)
      .map((old) => ({ old, next: withNextVersion(old, { status: 'rejected' }) }))
    await transact(gone.flatMap(({ old, next }) => [put(recordItem, next, old), ...queueWrites(old, next)]))
  }
  await invalidate(['record'])
  app.tick((START - clock.now().getTime()) / 1000)
}

let serial = 1000
/** Puts waiting records straight into the table, as the service would have written them at this moment. */
async function waiting(specs: readonly Partial<RecordItem>[], at = START): Promise<RecordItem[]> {
  const { recordId, addressOf } = await import('../../../lib/base/ids/address.ts')
  const { ageAt } = await import('../../../lib/domain/records/rules/triage.ts')
  const { recordItem } = await import('../../../lib/domain/records/items.ts')
  const { queueWrites } = await import('../../../lib/domain/records/queue-entry.ts')
  const { put } = await import('../../../lib/engines/table/item.ts')
  const { transact } = await import('../../../lib/engines/table/transact.ts')
  const code = addressOf(template.entity_id)?.kindCode ?? 0
  const made = specs.map((spec): RecordItem => {
    const id = ++serial
    const it = { ...template, id, entity_id: recordId(code, id), name: `Waiting ${id}`, ...spec }
    return { ...it, queue_age: ageAt(it.created_at, at) }
  })
  for (let start = 0; start < made.length; start += 15) {
    await transact(
      made.slice(start, start + 15).flatMap((it) => [put(recordItem, it, undefined), ...queueWrites(undefined, it)]),
    )
  }
  return made
}

const ago = (milliseconds: number, at = START) => new Date(at - milliseconds).toISOString()

/** Every page by its `next`, each row in the order met. */
async function pages(who: Persona, path: string): Promise<{ rows: Row[]; count: number }> {
  const rows: Row[] = []
  let count = 0
  for (let next: string | null = path; next; ) {
    const body = sure(200, await who.get(next))
    rows.push(...body.results)
    count = body.count
    next = body.next && new URL(body.next).pathname + new URL(body.next).search
  }
  return { rows, count }
}

/** The score by the letter of its formula, in billionths, so that sums in another order compare equal. */
function naive(it: RecordItem, at: number): number {
  const age = Math.min(1, (at - Date.parse(it.created_at)) / (30 * DAY))
  const flags = Math.min(1, it.open_flags / 10)
  const sum = 2.5 * age + 1.5 * flags + (it.open_contradictions > 0 ? 3 : 0) + it.worst_source_rank / 6
  return Math.round(sum * 1e8)
}

const inOrder = (heads: readonly RecordItem[], at: number): RecordItem[] =>
  heads.toSorted(
    (a, b) =>
      naive(b, at) - naive(a, at) ||
      b.open_flags - a.open_flags ||
      Date.parse(a.created_at) - Date.parse(b.created_at) ||
      (a.entity_id < b.entity_id ? -1 : 1),
  )

const members: Readonly<Record<string, (it: RecordItem, at: number) => boolean>> = {
  all: () => true,
  new_claims: (it) => it.status === 'pending_review' && !it.decided,
  conflicts: (it) => it.open_contradictions > 0,
  flagged: (it) => it.open_flags > 0 && !it.contradicted,
  expiring: (it, at) => it.status === 'pending_review' && Date.parse(it.created_at) <= at - 14 * DAY,
}

const spec = fc
  .record({
    slots: fc.integer({ min: 0, max: 220 }),
    open_flags: fc.integer({ min: 0, max: 12 }),
    contested: fc.boolean(),
    was: fc.boolean(),
    worst_source_rank: fc.integer({ min: 0, max: 6 }),
    revising: fc.boolean(),
    decided: fc.boolean(),
    category: fc.constantFrom('monument', 'ritual'),
  })
  .map(
    ({ slots, contested, was, revising, ...rest }): Partial<RecordItem> => ({
      ...rest,
      // Steps of 4.8 hours, in which equal scores come about in different ways.
      created_at: ago(slots * 4.8 * HOUR),
      open_contradictions: contested && rest.open_flags > 0 ? 1 : 0,
      contradicted: (contested && rest.open_flags > 0) || was,
      status: revising ? 'pending_revision' : 'pending_review',
    }),
  )

describe('the order of the queue', () => {
  test('is that of a plain sort by score at every moment, whether or not the sweeper has come by', async () => {
    const { sweepQueue } = await import('../../../lib/domain/review/sweep.ts')
    await fc.assert(
      fc.asyncProperty(fc.array(spec, { minLength: 30, maxLength: 60 }), fc.boolean(), async (specs, swept) => {
        await restart()
        const heads = await waiting(specs)
        for (const days of [0, 3.4, 9, 20]) {
          const at = START + days * DAY
          app.tick((at - (await now())) / 1000)
          if (swept) await sweepQueue()
          for (const [type, isMember] of Object.entries(members)) {
            const wanted = inOrder(
              heads.filter((it) => isMember(it, at)),
              at,
            )
            const got = await pages(app.community, `/data/review-queue/?queue_type=${type}&limit=14`)
            expect(got.rows.map((it) => it.entity_id)).toEqual(wanted.map((it) => it.entity_id))
            expect(got.count).toBe(wanted.length)
            expect(got.rows.map((it) => it.triage_priority)).toEqual(
              wanted.map((it) => Math.round(naive(it, at) / 1e5)),
            )
            const oldest = await pages(
              app.community,
              `/data/review-queue/?queue_type=${type}&limit=19&ordering=created_at`,
            )
            expect(oldest.rows.map((it) => it.entity_id)).toEqual(
              wanted.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)).map((it) => it.entity_id),
            )
          }
          const rituals = await pages(app.community, '/data/review-queue/?category=ritual&limit=4')
          const wanted = inOrder(
            heads.filter((it) => it.category === 'ritual'),
            at,
          )
          expect(rituals.rows.map((it) => it.entity_id)).toEqual(wanted.map((it) => it.entity_id))
          expect(rituals.count).toBe(wanted.length)
        }
      }),
      { numRuns: 4, endOnFailure: true },
    )
  }, 120_000)

  const key = (it: RecordItem) => `${it.created_at}#${it.entity_id}`
  const now = async () => (await import('../../../lib/base/clock.ts')).clock.now().getTime()

  test('goes back by previous as it came by next', async () => {
    await waiting(Array.from({ length: 25 }, (_, i) => ({ created_at: ago(i * 2 * DAY), open_flags: (i * 7) % 5 })))
    const first = sure(200, await app.community.get('/data/review-queue/?limit=10'))
    const second = sure(200, await app.community.get(first.next.slice('http://localhost:8000'.length)))
    const third = sure(200, await app.community.get(second.next.slice('http://localhost:8000'.length)))
    expect(third.next).toBeNull()
    const back = sure(200, await app.community.get(third.previous.slice('http://localhost:8000'.length)))
    expect(back.results).toEqual(second.results)
    const begin = sure(200, await app.community.get(back.previous.slice('http://localhost:8000'.length)))
    expect(begin.results).toEqual(first.results)
    expect(begin.previous).toBeNull()
  })

  test('stays as it was while someone follows next, though time passes', async () => {
    const heads = await waiting(
      Array.from({ length: 30 }, (_, i) => ({ created_at: ago((28 + i / 10) * DAY), open_flags: i % 4 })),
    )
    const first = sure(200, await app.community.get('/data/review-queue/?limit=10'))
    app.tick(1800)
    const rest = await pages(app.community, first.next.slice('http://localhost:8000'.length))
    expect([...first.results, ...rest.rows].map((it) => it.entity_id)).toEqual(
      inOrder(heads, START).map((it) => it.entity_id),
    )
  })

  test('takes page with limit, and ten rows without', async () => {
    const heads = inOrder(await waiting(Array.from({ length: 14 }, (_, i) => ({ created_at: ago(i * HOUR) }))), START)
    const ids = (body: { results: Row[] }) => body.results.map((it) => it.entity_id)
    expect(ids(sure(200, await app.community.get('/data/review-queue/')))).toEqual(
      heads.slice(0, 10).map((it) => it.entity_id),
    )
    expect(ids(sure(200, await app.community.get('/data/review-queue/?page=2&limit=10')))).toEqual(
      heads.slice(10).map((it) => it.entity_id),
    )
  })

  test('an offset too deep for walking is refused with the way on', async () => {
    await app.community.get('/data/review-queue/?offset=1001').then((it) => {
      expect(it.status).toBe(400)
      expect(it.body).toEqual({ offset: ['Follow the links in "next" to read beyond 1000.'] })
    })
  })
})

describe('filters', () => {
  test('each leaves what it names', async () => {
    const [old, contested, web, sent, kept] = await waiting([
      { created_at: ago(10 * DAY), worst_source_rank: 3 },
      { created_at: ago(DAY), open_flags: 1, open_contradictions: 1, contradicted: true, worst_source_rank: 2 },
      { created_at: ago(2 * DAY), worst_source_type: 'web', worst_source_rank: 5 },
      { created_at: ago(12 * DAY), status: 'pending_revision', worst_source_rank: 1 },
      { created_at: ago(0), name: 'Taleju Bhawani Mandir', kind: 'monument', worst_source_rank: 0 },
    ])
    const found = async (query: string) =>
      (await pages(app.community, `/data/review-queue/?limit=2&${query}`)).rows.map((it) => it.entity_id).sort()
    const ids = (...heads: (RecordItem | undefined)[]) => heads.map((it) => it?.entity_id).sort()
    expect(await found('stale_days=10')).toEqual(ids(old))
    expect(await found('contradictions_only=true')).toEqual(ids(contested))
    expect(await found('min_worst_source_rank=3')).toEqual(ids(old, web))
    expect(await found('max_trust_tier_rank=1')).toEqual(ids(sent, kept))
    expect(await found('status=pending_revision')).toEqual(ids(sent))
    expect(await found('kind=monument')).toEqual(ids(kept))
    expect(await found('contradictions_only=true&queue_type=new_claims')).toEqual(ids(contested))
    expect(
      await found(
        'category=monument&ordering=created_at&stale_days=1&contradictions_only=true&min_worst_source_rank=2&my_domain=true',
      ),
    ).toEqual(ids(contested))
  })

  test('my_domain leaves the categories of the caller, and everything to a caller without any', async () => {
    const { loadUserByEmail } = await import('../../../lib/platform/users/users.ts')
    const [, ritual] = await waiting([{ category: 'monument' }, { category: 'ritual' }])
    const expert = await loadUserByEmail('expert@heritage.test')
    const { reviewer_role } = expert ?? {}
    if (!expert || !reviewer_role) throw new Error('no expert')
    expect((await pages(app.domain, '/data/review-queue/?my_domain=true')).count).toBe(2)
    await changeUser(expert.id, () => ({
      reviewer_role: { ...reviewer_role, expertise_areas: ['ritual'] },
    }))
    const mine = await pages(app.domain, '/data/review-queue/?my_domain=true')
    expect(mine.rows.map((it) => it.entity_id)).toEqual([ritual?.entity_id])
    expect(mine.count).toBe(1)
    expect((await pages(app.domain, '/data/review-queue/?my_domain=true&category=monument')).count).toBe(0)
    expect((await pages(app.community, '/data/review-queue/?my_domain=true')).count).toBe(2)
  })

  test('what is no queue, order or number is refused by name', async () => {
    const said = async (query: string) => {
      const { status, body } = await app.community.get(`/data/review-queue/?${query}`)
      return [status, Object.keys(body)]
    }
    expect(await said('queue_type=urgent')).toEqual([400, ['queue_type']])
    expect(await said('ordering=colour')).toEqual([400, ['ordering']])
    expect(await said('stale_days=soon')).toEqual([400, ['stale_days']])
    expect(await said('queue_type=&ordering=&stale_days=&category=&search=')).toEqual([
      200,
      ['count', 'next', 'previous', 'results', 'batches', 'source_batches'],
    ])
  })

  test('rows come by last change and by name as well', async () => {
    await waiting([
      { name: 'Beta', updated_at: ago(2 * DAY) },
      { name: 'Alpha', updated_at: ago(DAY) },
      { name: 'Gamma', updated_at: ago(3 * DAY) },
    ])
    const names = async (path: string) => (await pages(app.community, path)).rows.map((it) => it.name)
    expect(await names('/data/review-queue/?ordering=updated_at')).toEqual(['Gamma', 'Beta', 'Alpha'])
    expect(await names('/data/review-queue/?ordering=-updated_at')).toEqual(['Alpha', 'Beta', 'Gamma'])
    expect(await names('/data/contribution-queue/?ordering=name')).toEqual(['Alpha', 'Beta', 'Gamma'])
    expect(await names('/data/contribution-queue/?ordering=-name&limit=2')).toEqual(['Gamma', 'Beta', 'Alpha'])
  })
})

describe('a row', () => {
  test('says what it is, how urgent, why, and who works on it', async () => {
    const body = { name: 'Uma', description: 'A temple', assertion: { source_type: 'oral_history' } }
    const made = await contribute(app.contributor, 'structures', body)
    app.tick((6 * DAY) / 1000)
    const { results } = sure(200, await app.community.get('/data/review-queue/'))
    const [row] = results
    const { current_revision, latest_revision, contributor, triage_breakdown, ...rest } = row
    expect(rest).toEqual({
      entity_id: made.cultural_entity_id,
      name: 'Uma',
      description: 'A temple',
      category: 'monument',
      status: 'pending_review',
      canonical_status: 'pending_review',
      kind: 'structure',
      cidoc_id: made.id,
      created_at: '2025-01-15T10:00:00.000Z',
      updated_at: '2025-01-15T10:00:00.000Z',
      activity_count: 1,
      flag_count: 0,
      has_conflicts: false,
      days_in_review: 6,
      is_fork: false,
      fork_info: null,
      root_entity: null,
      parent_entity: null,
      fork_depth: 0,
      triage_priority: 1167,
      worst_source_tier: 'oral_history',
      worst_source_type: 'oral_history',
      why_here: ['Weakest source: oral history (+667)', 'Waiting for 6 days (+500)'],
      made_by_machine: null,
      lease: null,
    })
    expect(contributor.username).toBe('dev')
    expect([current_revision.revision_number, latest_revision.revision_number]).toEqual([1, 1])
    expect(triage_breakdown).toEqual({
      age_norm: 0.2,
      flags_norm: 0,
      conflict_boost: 0,
      source_penalty: 4 / 6,
      weights: { w_age: 2.5, w_flags: 1.5, w_conflict: 3, w_source: 1 },
      days_in_review: 6,
      unresolved_flag_count: 0,
      has_contradiction: false,
      worst_tier_label: 'oral_history',
      worst_source_type: 'oral_history',
      tie_breakers: {
        unresolved_flag_count: 0,
        created_at: '2025-01-15T10:00:00.000Z',
        entity_id: made.cultural_entity_id,
      },
    })
    expect(sure(200, await app.community.get(`/data/review-queue/${made.cultural_entity_id}/`))).toEqual(row)
  })

  test('a source outside the tiers, or none at all, is the weakest', async () => {
    const book = await contribute(app.contributor, 'structures', { name: 'A', assertion: { source_type: 'book' } })
    const none = await contribute(app.contributor, 'structures', { name: 'B' })
    const of = async (it: { cultural_entity_id: string }) => {
      const { worst_source_tier, worst_source_type, triage_priority } = sure(
        200,
        await app.community.get(`/data/review-queue/${it.cultural_entity_id}/`),
      )
      return [worst_source_tier, worst_source_type, triage_priority]
    }
    expect(await of(book)).toEqual(['unknown', 'book', 1000])
    expect(await of(none)).toEqual(['unknown', null, 1000])
  })

  test('of a record that does not wait, or that is none, is not found', async () => {
    const done = await publish(app, 'structures', { name: 'Done' })
    expect((await app.community.get(`/data/review-queue/${done.cultural_entity_id}/`)).status).toBe(404)
    expect((await app.community.get('/data/review-queue/8b8b4b9e-3c5f-4d0e-9a51-0c7d8a5e2f10/')).status).toBe(404)
  })
})

describe('what waits', () => {
  const queues = async (who: Persona = app.community) => {
    const { invalidate } = await import('../../../lib/platform/cache/cached.ts')
    await invalidate(['record'])
    const told = sure(200, await who.get('/data/review-queue/queue_counts/'))
    const listed = await Promise.all(
      Object.keys(members).map(async (type) => [
        type,
        (await pages(who, `/data/review-queue/?queue_type=${type}`)).rows.length,
      ]),
    )
    expect(Object.fromEntries(listed)).toEqual(
      Object.fromEntries(Object.keys(members).map((type) => [type, told[type]])),
    )
    expect(told.total).toBe(told.all)
    return [told.all, told.new_claims, told.conflicts, told.flagged, told.expiring]
  }

  test('enters with a contribution, moves with verdicts and leaves with the last', async () => {
    expect(await queues()).toEqual([0, 0, 0, 0, 0])
    const made = await contribute(app.contributor, 'structures', { name: 'Path', construction_date: '1700' })
    expect(await queues()).toEqual([1, 1, 0, 0, 0])
    sure(201, await decide(app.community, made, { verdict: 'request_changes', feedback: 'Name a source.' }))
    expect(await queues()).toEqual([1, 0, 0, 0, 0])
    sure(201, await decide(app.community, made, { verdict: 'accept' }))
    expect(await queues()).toEqual([0, 0, 0, 0, 0])
    sure(200, await app.contributor.patch(`/cidoc/structures/${made.id}/`, { body: { condition: 'Good' } }))
    expect(await queues()).toEqual([1, 0, 0, 0, 0])
    sure(201, await decide(app.community, made, { verdict: 'reject', feedback: 'No.' }))
    expect(await queues()).toEqual([0, 0, 0, 0, 0])
  })

  test('in conflict is in conflicts and never among the flagged; a look-alike is flagged', async () => {
    const made = await publish(app, 'structures', { name: 'Contested', construction_date: '1700' })
    sure(200, await app.contributor.patch(`/cidoc/structures/${made.id}/`, { body: { condition: 'Good' } }))
    const claim = { entity_type: 'structure', entity_id: made.id, property: 'construction_date', value: '1900' }
    sure(201, await app.other.post('/cidoc/assertions/', { body: claim }))
    expect(await queues()).toEqual([1, 0, 1, 0, 0])
    await contribute(app.other, 'structures', { name: 'Contested' })
    expect(await queues()).toEqual([2, 1, 1, 1, 0])
  })

  test('is gone while deleted, and back when restored', async () => {
    const made = await contribute(app.contributor, 'structures', { name: 'Gone' })
    sure(204, await app.contributor.delete(`/cidoc/structures/${made.id}/`))
    expect(await queues()).toEqual([0, 0, 0, 0, 0])
    sure(200, await app.staff.post(`/cidoc/structures/${made.id}/restore/`))
    expect(await queues()).toEqual([1, 1, 0, 0, 0])
  })

  test('expires after fourteen days to the second', async () => {
    await contribute(app.contributor, 'structures', { name: 'Old' })
    app.tick(14 * 86_400 - 1)
    expect(await queues()).toEqual([1, 1, 0, 0, 0])
    app.tick(1)
    expect(await queues()).toEqual([1, 1, 0, 0, 1])
  })

  test('new records named in words wait as well', async () => {
    await contribute(app.contributor, 'structures', { name: 'Namer', has_current_location: 'A place nobody knows' })
    expect(await queues()).toEqual([2, 2, 0, 0, 0])
  })

  test('is counted at most every thirty seconds, but at once after a change in this process', async () => {
    const count = async () => (await app.community.get('/data/review-queue/queue_counts/')).body.all
    expect(await count()).toBe(0)
    await waiting([{}])
    expect(await count()).toBe(0)
    app.tick(31)
    expect(await count()).toBe(1)
    await contribute(app.contributor, 'structures', { name: 'Seen' })
    expect(await count()).toBe(2)
    expect((await app.cost(app.community.get('/data/review-queue/queue_counts/'))).calls).toBeLessThan(4)
  })

  test('a weaker source added by an edit counts', async () => {
    const made = await contribute(app.contributor, 'structures', {
      name: 'Two sources',
      assertion: { source_type: 'inscription' },
    })
    const tier = async () =>
      (await app.community.get(`/data/review-queue/${made.cultural_entity_id}/`)).body.worst_source_tier
    expect(await tier()).toBe('inscription')
    const edit = { note: 'Heard', assertion: { source_type: 'web' } }
    sure(200, await app.contributor.patch(`/cidoc/structures/${made.id}/`, { body: edit }))
    expect(await tier()).toBe('web')
  })
})

describe('a lease', () => {
  let it: { id: number; cultural_entity_id: string }
  const claim = (who: Persona) => who.post(`/data/review-queue/${it.cultural_entity_id}/claim/`)
  const release = (who: Persona) => who.post(`/data/review-queue/${it.cultural_entity_id}/release/`)
  const held = async () => (await app.curator.get('/data/review-queue/')).body.results[0].lease
  beforeEach(async () => {
    it = await contribute(app.contributor, 'structures', { name: 'Held' })
  })

  test('is shown to everyone for half an hour, and can be renewed', async () => {
    expect(sure(200, await claim(app.community)).lease.held_by.username).toBe('reviewer')
    expect((await held()).until).toBe('2025-01-15T10:30:00.000Z')
    app.tick(600)
    sure(200, await claim(app.community))
    expect((await held()).until).toBe('2025-01-15T10:40:00.000Z')
    app.tick(1800)
    expect(await held()).toBeNull()
  })

  test('keeps others from claiming, releasing and deciding, and says who has it', async () => {
    sure(200, await claim(app.community))
    const said = { detail: 'Claimed by reviewer until 2025-01-15T10:30:00.000Z.' }
    expect([(await claim(app.domain)).status, (await claim(app.domain)).body]).toEqual([409, said])
    expect([(await release(app.domain)).status, (await release(app.domain)).body]).toEqual([409, said])
    expect((await decide(app.domain, it, { verdict: 'accept' })).status).toBe(409)
    expect(
      (
        await app.staff.post(`/data/contribution-queue/${it.cultural_entity_id}/moderate/`, {
          body: { action: 'accept' },
        })
      ).status,
    ).toBe(409)
    app.tick(1800)
    sure(200, await claim(app.domain))
  })

  test('leaves the verdict to its holder, and ends with it', async () => {
    sure(200, await claim(app.community))
    sure(201, await decide(app.community, it, { verdict: 'request_changes', feedback: 'More.' }))
    expect(await held()).toBeNull()
  })

  test('is needed by nobody: whoever comes first decides', async () => {
    sure(201, await decide(app.domain, it, { verdict: 'accept' }))
  })

  test('can be given back, also when there is none', async () => {
    sure(200, await claim(app.community))
    expect(sure(200, await release(app.community)).lease).toBeNull()
    sure(200, await release(app.community))
    sure(200, await claim(app.domain))
  })

  test('goes to one of two who claim at once', async () => {
    const answers = await atOnce([() => claim(app.community), () => claim(app.domain)])
    expect(answers.map((each) => each.status).sort()).toEqual([200, 409])
  })

  test("is not for contributors, for one's own work, or for what does not wait", async () => {
    expect((await claim(app.anon)).status).toBe(401)
    expect((await claim(app.contributor)).status).toBe(403)
    const own = await contribute(app.community, 'structures', { name: 'Own' })
    const mine = await app.community.post(`/data/review-queue/${own.cultural_entity_id}/claim/`)
    expect(mine.status).toBe(403)
    sure(201, await decide(app.domain, it, { verdict: 'accept' }))
    expect((await claim(app.community)).status).toBe(404)
  })
})

describe('the contribution queue', () => {
  test('shows the newest first, by tab, to reviewers and staff only', async () => {
    const [older, newer] = await waiting([{ created_at: ago(20 * DAY) }, { created_at: ago(DAY), category: 'ritual' }])
    const ids = async (query: string) =>
      (await pages(app.staff, `/api/v1/data/contribution-queue?${query}`)).rows.map((it) => it.entity_id)
    expect(await ids('limit=1')).toEqual([newer?.entity_id, older?.entity_id])
    expect(await ids('ordering=created_at')).toEqual([older?.entity_id, newer?.entity_id])
    expect(await ids('queue_tab=expiring')).toEqual([older?.entity_id])
    expect(await ids('queue_tab=forks')).toEqual([])
    expect(await ids('category=ritual')).toEqual([newer?.entity_id])
    expect((await app.contributor.get('/data/contribution-queue/')).status).toBe(403)
    expect((await app.anon.get('/data/contribution-queue/')).status).toBe(401)
  })

  test('counts its tabs', async () => {
    await waiting([{ created_at: ago(20 * DAY) }])
    expect(sure(200, await app.community.get('/api/v1/data/contribution-queue/queue-counts'))).toEqual({
      all: 1,
      new_claims: 1,
      conflicts: 0,
      flagged: 0,
      expiring: 1,
      forks: 0,
      total: 1,
    })
  })

  const moderate = (who: Persona, it: { cultural_entity_id: string }, body: object) =>
    who.post(`/api/v1/data/contribution-queue/${it.cultural_entity_id}/moderate`, { body })

  test('lets staff accept', async () => {
    const made = await contribute(app.contributor, 'structures', { name: 'Accepted' })
    expect(sure(200, await moderate(app.staff, made, { action: 'accept' }))).toEqual({
      message: 'Contribution accepted.',
    })
    expect((await app.anon.get(`/cidoc/structures/${made.id}/`)).status).toBe(200)
    expect((await moderate(app.staff, made, { action: 'accept' })).status).toBe(404)
  })

  test('lets staff reject, with or without a word', async () => {
    const one = await contribute(app.contributor, 'structures', { name: 'Rejected' })
    sure(200, await moderate(app.staff, one, { action: 'reject' }))
    const two = await contribute(app.contributor, 'structures', { name: 'Rejected too' })
    sure(200, await moderate(app.staff, two, { action: 'reject', comment: 'Not heritage.' }))
    const said = async (it: { cultural_entity_id: string }) => {
      const path = `/data/cultural-entities/${it.cultural_entity_id}/`
      const { status, activities } = sure(200, await app.contributor.get(path))
      return [status, activities[0].comment]
    }
    expect([await said(one), await said(two)]).toEqual([
      ['rejected', 'Rejected in moderation.'],
      ['rejected', 'Not heritage.'],
    ])
  })

  test('settles an open contradiction for the new claim when staff accept', async () => {
    const made = await publish(app, 'structures', { name: 'Dated', construction_date: '1700' })
    sure(200, await app.contributor.patch(`/cidoc/structures/${made.id}/`, { body: { construction_date: '1900' } }))
    sure(200, await moderate(app.staff, made, { action: 'accept' }))
    expect((await app.anon.get(`/cidoc/structures/${made.id}/`)).body.construction_date).toBe('1900')
  })

  test('is moderated by staff alone, and by no other word than accept or reject', async () => {
    const made = await contribute(app.contributor, 'structures', { name: 'Held back' })
    const body = { action: 'accept' }
    for (const who of [app.contributor, app.community, app.domain, app.curator])
      expect((await moderate(who, made, body)).status).toBe(403)
    expect((await moderate(app.anon, made, body)).status).toBe(401)
    expect((await moderate(app.staff, made, { action: 'burn' })).status).toBe(400)
  })
})

test('the weights of the score are told', async () => {
  expect(sure(200, await app.community.get('/data/review-queue/triage-policy/'))).toEqual({
    w_age: 2.5,
    w_flags: 1.5,
    w_conflict: 3,
    w_source: 1,
    s_max_days: 30,
    f_max_flags: 10,
    tier_rank_json: ['inscription', 'archival', 'published', 'field_survey', 'oral_history', 'web'],
  })
})

// Last of all: no other test has to clear away its thousand records.
describe('what a page costs', () => {
  test('is the same for 20 and for 1,000 waiting records, and for a page deep inside', async () => {
    const specs = (many: number) =>
      Array.from({ length: many }, (_, i) => ({ created_at: ago(((i * 3) % 60) * DAY), open_flags: i % 3 }))
    const cost = async (path: string) => app.cost(app.community.get(path))
    await waiting(specs(20))
    // Signed in, whoever asks.
    await cost('/data/review-queue/')
    const few = await cost('/data/review-queue/')
    const typed = await cost('/data/review-queue/?queue_type=new_claims')
    await waiting(specs(980))
    // Rows differ by a few bytes, and a call counts in steps of half a unit.
    const many = [await cost('/data/review-queue/'), await cost('/data/review-queue/?queue_type=new_claims')]
    expect(many.map((it) => it.calls)).toEqual([few.calls, typed.calls])
    expect(many[0]?.units).toBeLessThanOrEqual(few.units + 1)
    expect(many[1]?.units).toBeLessThanOrEqual(typed.units + 1)
    const deep = sure(200, await app.community.get('/data/review-queue/?offset=900'))
    const next = deep.next.slice('http://localhost:8000'.length)
    expect((await cost(next)).calls).toBe(few.calls)
    expect((await cost(next)).units).toBeLessThanOrEqual(few.units + 1)
    const commands = await commandsOf(() => app.community.get('/data/review-queue/'))
    // Three ages of three standings, what is due, the batches, and sources in question.
    expect(commands.filter((it) => it === 'QueryCommand')).toHaveLength(12)
    // One of them to know the caller, one for the names of what rows link to.
    expect(commands.filter((it) => it === 'BatchGetItemCommand' || it === 'BatchGetCommand')).toHaveLength(3)
  }, 60_000)
})
