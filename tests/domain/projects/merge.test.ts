import { beforeAll, describe, expect, test } from 'vitest'
import { omit } from '../../../lib/base/omit.ts'
import type { Answer, App } from '../../harness/app.ts'
import { faults, STRIDE, withFault } from '../../harness/faults.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { atOnce, contribute, decide, publish, sure } from '../../harness/make.ts'
import { at, linkTo, move, openProjects, projectIn, waitingRecords } from '../../harness/projects.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openProjects({ LOG_LEVEL: 'silent' })
  following = await followTable()
  // Signs in before any call fails on purpose.
  sure(200, await app.domain.get('/data/projects/'))
})

type Made = { id: number; cultural_entity_id: string }
const ids = (them: readonly Made[]) => them.map((it) => it.cultural_entity_id)

/** Everything that readers can find out about a project and its records, in every way there is to read. */
async function observe(slug: string, records: readonly Made[]) {
  const own = { all: 1, limit: 100 }
  const [project, activity, list, published, pending, mine, queue, feed] = await Promise.all([
    app.staff.get(at(slug)),
    app.staff.get(at(slug, 'activity/')),
    app.staff.get('/data/projects/', { query: { limit: 10, state: 'merged' } }),
    app.anon.get('/cidoc/traditions/', { query: { limit: 100 } }),
    app.staff.get('/cidoc/traditions/', { query: { ...own, status: 'pending_review' } }),
    app.contributor.get('/data/cultural-entities/my_contributions/', { query: { limit: 100 } }),
    app.staff.get('/data/review-queue/', { query: { limit: 100 } }),
    app.staff.get('/data/activities/', { query: { limit: 20 } }),
  ])
  const wanted = new Set(ids(records))
  const here = <T extends Record<string, unknown>>(rows: T[], name: string) =>
    rows.filter((row) => wanted.has(String(row[name])))
  const details = await Promise.all(
    records.map(async (it) => {
      const [open, kept, history, claims] = await Promise.all([
        app.anon.get(`/cidoc/traditions/${it.id}/`),
        app.staff.get(`/cidoc/traditions/${it.id}/`),
        app.staff.get(`/data/cultural-entities/${it.cultural_entity_id}/`),
        app.staff.get(`/data/review-workspace/${it.cultural_entity_id}/`),
      ])
      const workspace = timeless(claims.body)
      return { open: [open.status, open.body], kept: kept.body, history: history.body, workspace }
    }),
  )
  return {
    project: unsigned(project.body),
    activity: activity.body,
    state: project.body.state,
    merged: list.body.results.some((row: { slug: string }) => row.slug === slug),
    published: { count: published.body.count, rows: here(published.body.results, 'cultural_entity_id') },
    pending: { count: pending.body.count, rows: here(pending.body.results, 'cultural_entity_id') },
    mine: { count: mine.body.count, rows: here(mine.body.results, 'entity_id') },
    queue: { count: queue.body.count, rows: here(queue.body.results, 'entity_id').length },
    feed: { count: feed.body.count, rows: here(feed.body.results, 'entity_id') },
    details,
  }
}

/** A project without the signatures of its assets' addresses, which change with the time of day. */
const unsigned = (it: Answer['body']) => {
  for (const one of it.assets) one.media_url = one.media_url.split('?')[0]
  return it
}

/** Without what only the time of reading makes of it, and with lists in one order. */
function timeless(it: unknown): unknown {
  // The table does not keep the order of a record's values.
  if (Array.isArray(it)) return it.map(timeless).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof it !== 'object' || it === null) return it
  const passing = ['triage_breakdown', 'triage_priority', 'why_here', 'days_in_review', 'claim']
  return Object.fromEntries(
    Object.entries(it)
      .filter(([name]) => !passing.includes(name))
      .map(([name, value]) => [name, timeless(value)]),
  )
}

type Observed = Awaited<ReturnType<typeof observe>>

/** Checks that nothing has changed, or everything; answers which. */
function whole(before: Observed, after: Observed, many: number, where: string): 'nothing' | 'everything' {
  if (after.state === 'approved') {
    expect([where, after]).toEqual([where, before])
    return 'nothing'
  }
  expect([where, after.state, after.merged, after.project.merged_at === null]).toEqual([where, 'merged', true, false])
  expect([where, after.published.count, after.pending.count, after.queue.count]).toEqual([
    where,
    before.published.count + many,
    before.pending.count - many,
    before.queue.count - many,
  ])
  expect([where, after.published.rows.length, after.pending.rows.length, after.queue.rows]).toEqual([where, many, 0, 0])
  expect([where, after.mine.count, after.feed.count]).toEqual([where, before.mine.count, before.feed.count + many])
  for (const it of after.details) {
    expect([where, it.open[0], it.kept.status, it.history.status]).toEqual([where, 200, 'accepted', 'accepted'])
    const states = it.kept.assertions.map((one: { reconciliation_status: string }) => one.reconciliation_status)
    expect([where, ...new Set(states)]).toEqual([where, 'accepted'])
  }
  const accepted = after.project.entities.filter((row: { entity_status: string }) => row.entity_status === 'accepted')
  expect([where, accepted.length >= many]).toEqual([where, true])
  expect([where, after.activity.results[0].payload.to]).toEqual([where, 'merged'])
  return 'everything'
}

const sweepAll = async () => (await import('../../../functions/sweeper.ts')).handler({ chores: 'often' })
const sweep = async () => (await sweepAll()).settled
async function hasSecondLooks(): Promise<boolean> {
  const { walk } = await import('../../../lib/engines/table/read.ts')
  return (await walk({ index: 'gsi2', pk: 'ROLLBACK#SECOND_LOOK', forward: true, limit: 1 })).length > 0
}
/** Runs work with a fault. Returns whether it was hit, and whether the table was written to: where it was not, readers see what they saw. */
async function strike(...[nth, fault, work, hits]: Parameters<typeof withFault>) {
  await following.take()
  const hit = await withFault(nth, fault, work, hits)
  return { hit, wrote: (await following.take()).length > 0 }
}
/** A merge or a rollback that is tried again and again. */
type Turn = {
  name: string
  work: () => Promise<unknown>
  /** Checks what readers see, and answers whether it has happened. */
  judge: (after: Observed, where: string) => Outcome
  /** The call at which the next attempt has the fault. */
  nth: number
  /** Whether the faults have come to the end of its calls. */
  isThrough: boolean
  outcomes: Map<Outcome, number>
}
type Outcome = 'nothing' | 'everything'
type How = (typeof faults)[number]

/**
 * Merges a project and rolls it back by turns, each attempt with the fault `STRIDE` calls further, until both have had it at their last calls.
 * One project serves for all: a failed attempt leaves what the next one begins with, and a rollback leaves what the next merge begins with.
 * Two tests look at the same turns.
 */
function byTurns(how: How) {
  const known = turns.get(how) ?? takeTurns(how)
  turns.set(how, known)
  return known
}
const turns = new Map<How, ReturnType<typeof takeTurns>>()

async function takeTurns(how: How) {
  const records = await waitingRecords(app, 2)
  const slug = await projectIn(app, 'approved', records)
  const first = await observe(slug, records)
  let [approved, merged] = [first, first]
  const merge: Turn = {
    name: 'merge',
    work: () => move(app.domain, slug, 'merged'),
    judge: (after, where) => whole(approved, after, 2, where),
    ...{ nth: how.from, isThrough: false, outcomes: new Map() },
  }
  const rollback: Turn = {
    name: 'rollback',
    work: () => app.domain.post(at(slug, 'rollback-merge/')),
    judge: (after, where) => {
      if (after.state !== 'merged') restored(first, after, where)
      else expect([where, after]).toEqual([where, merged])
      return after.state === 'merged' ? 'nothing' : 'everything'
    },
    ...{ nth: how.from, isThrough: false, outcomes: new Map() },
  }
  for (;;) {
    merged = await untilDone(merge, how, slug, records)
    await untilDone(rollback, how, slug, records)
    if (merge.isThrough && rollback.isThrough) return { merges: merge.outcomes, rollbacks: rollback.outcomes }
    sure(200, await move(app.contributor, slug, 'in_review'))
    sure(200, await move(app.community, slug, 'approved'))
    approved = await observe(slug, records)
  }
}

/** Tries until it is done, each time with the fault some calls later. Returns what readers see then. */
async function untilDone(turn: Turn, { fault, hits }: How, slug: string, records: readonly Made[]): Promise<Observed> {
  for (;;) {
    const where = `${turn.name}, call ${turn.nth}`
    const { hit, wrote } = await strike(turn.nth, fault, turn.work, hits)
    turn.nth += STRIDE
    turn.isThrough ||= !hit
    const note = (outcome: Outcome) => turn.outcomes.set(outcome, (turn.outcomes.get(outcome) ?? 0) + 1)
    if (!wrote) {
      note('nothing')
      continue
    }
    const after = await observe(slug, records)
    const outcome = turn.judge(after, where)
    note(outcome)
    app.tick(61)
    const settled = await sweep()
    expect([where, await marks(records)]).toEqual([where, 0])
    // If nothing has happened, the next attempt shows whether settling has changed what readers see.
    if (outcome === 'nothing') continue
    // Where there is nothing to settle, nothing is written.
    if (settled) expect([where, await observe(slug, records)]).toEqual([where, after])
    return after
  }
}

/** What a large transaction has left on these records that somebody has to put in place or to clear away. */
async function marks(records: readonly Made[]) {
  const { queryAll } = await import('../../../lib/engines/table/read.ts')
  const { beforeKey, rawMany, switchedAmong } = await import('../../../lib/engines/table/two-phase/staged.ts')
  const { keyOf } = await import('../../../lib/engines/table/keys.ts')
  const items = (await Promise.all(ids(records).map((id) => queryAll(`ENTITY#${id}`, '')))).flat()
  const marked = [...(await rawMany(items.map(keyOf))).values()].filter((it) => it.staged_by !== undefined)
  const befores = await rawMany(marked.map((it) => beforeKey(keyOf(it), String(it.staged_by))))
  const done = await switchedAmong(marked.map((it) => String(it.staged_by)))
  const stays = (it: Record<string, unknown>) => it.staged_as !== 'gone' && done.has(String(it.staged_by))
  return marked.filter((it) => !stays(it)).length + befores.size
}

describe('a merge', () => {
  test('accepts the records that wait, leaves the others, and answers the whole project', async () => {
    const records = await waitingRecords(app, 2, { note: 'Every spring' })
    const open = await publish(app, 'traditions', { name: `Open ${crypto.randomUUID()}` })
    const refused = await contribute(app.contributor, 'traditions', { name: `Refused ${crypto.randomUUID()}` })
    sure(201, await decide(app.community, refused, { verdict: 'reject', feedback: 'No.' }))
    const slug = await projectIn(app, 'approved', [...records, open, refused])
    const before = await observe(slug, records)
    const body = sure(200, await move(app.domain, slug, 'merged'))
    expect(body).toMatchObject({ state: 'merged', allowed_transitions: [], is_read_only: true })
    expect(body.merged_at).toBe('2025-01-15T10:00:00.000Z')
    const statuses = body.entities.map((it: { entity: string; entity_status: string }) => [it.entity, it.entity_status])
    expect(Object.fromEntries(statuses)).toEqual({
      [records[0].cultural_entity_id]: 'accepted',
      [records[1].cultural_entity_id]: 'accepted',
      [open.cultural_entity_id]: 'accepted',
      [refused.cultural_entity_id]: 'rejected',
    })
    expect(whole(before, await observe(slug, records), 2, 'merged')).toBe('everything')
    expect(await marks(records)).toBe(0)
  })

  test('keeps the state before it under the digest of its bytes', async () => {
    const records = await waitingRecords(app, 1)
    const slug = await projectIn(app, 'approved', records)
    const before = sure(200, await app.staff.get(at(slug)))
    sure(200, await move(app.domain, slug, 'merged'))
    const { loadProject } = await import('../../../lib/domain/projects/projects.ts')
    const { loadLatestSnapshot } = await import('../../../lib/domain/projects/snapshots.ts')
    const { getObject } = await import('../../../lib/engines/bucket/blobs.ts')
    const { createHash } = await import('node:crypto')
    const { gunzipSync } = await import('node:zlib')
    const snapshot = await loadLatestSnapshot((await loadProject(slug))?.about.id ?? '')
    const bytes = (await getObject(snapshot?.object_key ?? ''))?.bytes ?? new Uint8Array()
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(snapshot?.sha256)
    const kept = JSON.parse(gunzipSync(bytes).toString())
    expect(kept.project).toMatchObject({ slug, state: 'approved' })
    expect(kept.assets.map((it: { id: string }) => it.id)).toEqual(before.assets.map((it: { id: string }) => it.id))
    expect(kept.entities.map((it: { entity_id: string }) => it.entity_id)).toEqual(ids(records))
    const [part] = kept.parts
    const packed = (await getObject(part.object_key))?.bytes ?? new Uint8Array()
    expect([kept.parts.length, createHash('sha256').update(packed).digest('hex')]).toEqual([1, part.sha256])
    const accepted = JSON.parse(gunzipSync(packed).toString())
    expect(accepted.map((it: { before: { head: { status: string } } }) => it.before.head.status)).toEqual([
      'pending_review',
    ])
  })

  test.each(faults)(
    'that is $fault at $hits is nothing or everything, and a retry finishes',
    async (how) => {
      const { merges } = await byTurns(how)
      expect([...merges.keys()].sort()).toEqual(['everything', 'nothing'])
      expect(merges.get('nothing')).toBeGreaterThan(how.hits === 'every call' ? 4 : 0)
    },
    240_000,
  )

  test('that fails is a 500 that says nothing, and the project is still approved', async () => {
    const records = await waitingRecords(app, 1)
    const slug = await projectIn(app, 'approved', records)
    let reply: { status: number; body: unknown } | undefined
    for (let nth = 6; reply?.status !== 500; nth += 1)
      await withFault(nth, 'failed', async () => {
        reply = await move(app.domain, slug, 'merged')
        expect(reply.status).not.toBe(200)
      })
    expect(reply.body).toEqual({ detail: 'Internal server error.' })
    expect(sure(200, await app.staff.get(at(slug))).state).toBe('approved')
  })

  test('by two at once is done once; the other is told', async () => {
    const records = await waitingRecords(app, 2)
    const slug = await projectIn(app, 'approved', records)
    const replies = await atOnce([app.domain, app.curator].map((who) => () => move(who, slug, 'merged')))
    expect(replies.map((it) => it.status).sort()).toEqual([200, 409])
    expect(replies.find((it) => it.status === 409)?.body).toEqual({
      detail: 'This project is being merged or rolled back.',
    })
    const { results } = sure(200, await app.staff.get(at(slug, 'activity/')))
    expect(results.filter((it: { payload: { to: string } }) => it.payload.to === 'merged')).toHaveLength(1)
  })

  test('of two projects with one record accepts it once', async () => {
    const [record] = await waitingRecords(app, 1)
    const slugs = [await projectIn(app, 'approved', [record]), await projectIn(app, 'approved', [record])]
    const replies = await atOnce(slugs.map((slug) => () => move(app.domain, slug, 'merged')))
    expect(replies.filter((it) => it.status === 200).length).toBeGreaterThan(0)
    const { results } = sure(
      200,
      await app.staff.get('/data/activities/', {
        query: { entity: record.cultural_entity_id, activity_type: 'accepted' },
      }),
    )
    expect(results).toHaveLength(1)
    expect(await marks([record])).toBe(0)
  })

  test('is stopped by a record that its merger cannot accept, and says by which', async () => {
    const own = await contribute(app.domain, 'traditions', { name: `Own of the merger ${crypto.randomUUID()}` })
    const [other] = await waitingRecords(app, 1)
    const slug = await projectIn(app, 'approved', [other])
    // It was linked by someone who sees it.
    const seen = await projectIn(app, 'draft', [other])
    const reply = await app.contributor.post(at(seen, 'entities/'), { body: { entity: own.cultural_entity_id } })
    expect(reply.status).toBe(400)
    sure(200, await move(app.contributor, slug, 'withdrawn'))
    sure(200, await move(app.contributor, slug, 'draft'))
    await linkTo(app.staff, slug, own)
    sure(200, await move(app.contributor, slug, 'in_review'))
    sure(200, await move(app.community, slug, 'approved'))
    const blocked = await move(app.domain, slug, 'merged')
    expect([blocked.status, blocked.body]).toEqual([
      400,
      { blockers: [`${own.name}: Nobody decides on a contribution of their own.`] },
    ])
    expect(sure(200, await app.staff.get(at(slug))).state).toBe('approved')
    expect(sure(200, await app.staff.get(`/cidoc/traditions/${other.id}/`)).status).toBe('pending_review')
    sure(200, await move(app.curator, slug, 'merged'))
  })
})

describe('while a merge is at work', () => {
  test('a verdict on one of its records is refused for the moment, and works afterwards', async () => {
    const records = await waitingRecords(app, 1)
    const slug = await projectIn(app, 'approved', records)
    // Stopped just before the switch: the last call but those that settle.
    let nth = 8
    while (!(await marks(records))) {
      await withFault(nth, 'killed', () => move(app.domain, slug, 'merged'))
      nth += 1
      app.tick(61)
      if (nth > 40) throw new Error('it was never marked')
    }
    const [record] = records
    const verdict = () => decide(app.community, record, { verdict: 'accept' })
    expect((await verdict()).status).toBe(409)
    app.tick(61)
    expect(await sweep()).toBeGreaterThan(0)
    sure(201, await verdict())
  })
})

describe('a rollback', () => {
  test('leaves the project in need of revision, and everything else byte for byte as it was', async () => {
    const records = await waitingRecords(app, 3, { note: 'As it was' })
    const slug = await projectIn(app, 'approved', records)
    const before = await observe(slug, records)
    sure(200, await move(app.domain, slug, 'merged'))
    sure(200, await app.contributor.patch(at(slug), { body: { title: 'Renamed since', abstract: 'Rewritten' } }))
    app.tick(3600)
    const body = sure(200, await app.domain.post(at(slug, 'rollback-merge/')))
    expect(body).toMatchObject({ state: 'needs_revision', merged_at: null })
    restored(before, await observe(slug, records))
    expect(await marks(records)).toBe(0)
    // And it can be merged again.
    sure(200, await move(app.contributor, slug, 'in_review'))
    sure(200, await move(app.community, slug, 'approved'))
    sure(200, await move(app.domain, slug, 'merged'))
    expect(sure(200, await app.anon.get(`/cidoc/traditions/${records[0].id}/`)).status).toBe('accepted')
  })

  test.each(faults)(
    'that is $fault at $hits is nothing or everything, and a retry finishes',
    async (how) => {
      const { rollbacks } = await byTurns(how)
      expect([...rollbacks.keys()].sort()).toEqual(['everything', 'nothing'])
      expect(rollbacks.get('nothing')).toBeGreaterThan(how.hits === 'every call' ? 4 : 0)
    },
    240_000,
  )

  test('of a project that was hidden since its merge leaves it hidden', async () => {
    const slug = await projectIn(app, 'merged', await waitingRecords(app, 1), { visibility: 'public' })
    sure(200, await app.contributor.patch(at(slug), { body: { visibility: 'private' } }))
    sure(200, await app.domain.post(at(slug, 'rollback-merge/')))
    expect(sure(200, await app.contributor.get(at(slug)))).toMatchObject({
      visibility: 'private',
      state: 'needs_revision',
    })
    sure(404, await app.anon.get(at(slug)))
  })

  test('leaves records on which others have built, or that were decided on again, and says why', async () => {
    // The projector has nothing to do with what the tests before have changed.
    await following.take()
    const records = await waitingRecords(app, 4)
    const [discussed, edited, linked, free] = records
    const slug = await projectIn(app, 'approved', records)
    sure(200, await move(app.domain, slug, 'merged'))
    const path = `/data/entities/${discussed.cultural_entity_id}/comments/`
    sure(201, await app.other.post(path, { body: { comment: 'I have seen it.' } }))
    sure(200, await app.contributor.patch(`/cidoc/traditions/${edited.id}/`, { body: { note: 'Edited since' } }))
    sure(201, await decide(app.community, edited, { verdict: 'accept' }))
    const deity = { name: 'Of the tradition', has_religious_tradition: [linked.id] }
    await publish(app, 'deities', deity, app.other)
    await following.settled()
    sure(200, await app.domain.post(at(slug, 'rollback-merge/')))
    for (const { id } of [discussed, linked])
      expect(sure(200, await app.anon.get(`/cidoc/traditions/${id}/`)).status).toBe('accepted')
    expect(sure(200, await app.staff.get(`/cidoc/traditions/${free.id}/`)).status).toBe('pending_review')
    expect(sure(200, await app.contributor.get(path)).count).toBe(1)
    expect(sure(200, await app.anon.get(`/cidoc/traditions/${edited.id}/`))).toMatchObject({
      status: 'accepted',
      note: 'Edited since',
    })
    const [row] = sure(200, await app.staff.get(at(slug, 'activity/'))).results
    expect(row.payload).toMatchObject({
      ...{ from: 'merged', to: 'needs_revision', comment: 'rollback_merge' },
      kept: [discussed, edited, linked].map((it) => it.cultural_entity_id).sort(),
      kept_reasons: {
        [discussed.cultural_entity_id]: ['commented'],
        [edited.cultural_entity_id]: ['changed'],
        [linked.cultural_entity_id]: ['linked'],
      },
      kept_count: 3,
    })
  })

  test('brings back a record to which somebody has linked in the moment in which it went', async () => {
    await following.settled()
    app.tick(61)
    // The rollbacks of the tests before have their second look.
    while (await hasSecondLooks()) await sweepAll()
    const records = await waitingRecords(app, 3)
    const [linked, judged] = records
    const slug = await projectIn(app, 'approved', records)
    sure(200, await move(app.domain, slug, 'merged'))
    await following.settled()
    const merged = await observe(slug, records)
    // The projector has not followed these links when the project is rolled back.
    const leanOn = ({ id }: Made) =>
      publish(app, 'deities', { name: `Of ${id}`, has_religious_tradition: [id] }, app.other)
    const linking = await leanOn(linked)
    await leanOn(judged)
    sure(200, await app.domain.post(at(slug, 'rollback-merge/')))
    sure(201, await decide(app.curator, judged, { verdict: 'reject', feedback: 'Not this one.' }))
    const statuses = () =>
      Promise.all(records.map(async ({ id }) => sure(200, await app.staff.get(`/cidoc/traditions/${id}/`)).status))
    const gone = ['pending_review', 'rejected', 'pending_review']
    expect([await statuses(), (await sweepAll()).returned]).toEqual([gone, 0])
    await following.settled()
    // A request that had read the record before could still be at work.
    expect([(await sweepAll()).returned, await statuses()]).toEqual([0, gone])
    app.tick(61)
    expect([(await sweepAll()).returned, await statuses()]).toEqual([1, ['accepted', ...gone.slice(1)]])
    await following.settled()
    const deity = sure(200, await app.anon.get(`/cidoc/deities/${linking.id}/`))
    expect(deity.has_religious_tradition).toMatchObject([{ id: linked.id }])
    const after = await observe(slug, records)
    // The contributor's other records count as waiting again.
    const shown = ({ details: [it] }: Observed) => [it?.open, it?.kept, omit(Object(it?.history), 'contributor_stats')]
    expect([after.state, shown(after)]).toEqual(['needs_revision', shown(merged)])
    const [row] = sure(200, await app.staff.get(at(slug, 'activity/'))).results
    expect(row.payload).toMatchObject({
      ...{ kept: [linked.cultural_entity_id], kept_count: 1 },
      kept_reasons: { [linked.cultural_entity_id]: ['linked'] },
    })
    expect(await hasSecondLooks()).toBe(false)
  })

  test('is not held up by the worker of its files, and keeps what that has stored since', async () => {
    const records = await waitingRecords(app, 1)
    const slug = await projectIn(app, 'approved', records)
    sure(200, await move(app.domain, slug, 'merged'))
    const [{ loadWhole }, { endThumbnail }, { db }] = await Promise.all([
      import('../../../lib/domain/projects/projects.ts'),
      import('../../../lib/domain/projects/assets/file-jobs.ts'),
      import('../../../lib/engines/table/client.ts'),
    ])
    const keyOf = async () => (await loadWhole(slug))?.assets[0]?.thumbnail_key
    let drawn = 0
    const draw = async () => {
      const file = (await loadWhole(slug))?.assets[0]
      drawn += 1
      if (file) await endThumbnail(file, `thumbnails/${drawn}`)
    }
    await draw()
    let isDrawing = false
    const beforeEachWrite =
      (next: (args: never) => Promise<unknown>, { commandName = '' }: { commandName?: string }) =>
      async (args: never) => {
        if (!isDrawing && /Write|^Put|^Update/.test(commandName)) {
          isDrawing = true
          await draw().finally(() => (isDrawing = false))
        }
        return next(args)
      }
    db.middlewareStack.add(beforeEachWrite as never, { step: 'initialize', name: 'drawing', priority: 'high' })
    const reply = await app.domain.post(at(slug, 'rollback-merge/'))
    db.middlewareStack.remove('drawing')
    expect([reply.status, reply.body.state]).toEqual([200, 'needs_revision'])
    expect([drawn > 3, await keyOf()]).toEqual([true, `thumbnails/${drawn}`])
  })

  test('is refused where nothing is merged', async () => {
    const slug = await projectIn(app, 'approved', await waitingRecords(app, 1))
    const reply = await app.domain.post(at(slug, 'rollback-merge/'))
    expect([reply.status, reply.body]).toEqual([400, { detail: 'Only a merged project can be rolled back.' }])
  })

  test('by two at once is done once', async () => {
    const slug = await projectIn(app, 'merged', await waitingRecords(app, 1))
    const replies = await atOnce([app.domain, app.curator].map((who) => () => who.post(at(slug, 'rollback-merge/'))))
    expect(replies.map((it) => it.status).sort()).toEqual([200, 409])
  })
})

/** What a rollback must have brought back. The project itself says that it was merged and taken back. */
function restored(before: Observed, after: Observed, where = 'rolled back') {
  const { state: _, allowed_transitions: __, updated_at: ___, ...project } = before.project
  expect([where, after.project]).toMatchObject([where, project])
  expect([where, after.state, after.merged]).toEqual([where, 'needs_revision', false])
  for (const name of ['published', 'pending', 'mine', 'queue', 'feed', 'details'] as const)
    expect([where, name, after[name]]).toEqual([where, name, before[name]])
}
