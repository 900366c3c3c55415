import { AsyncLocalStorage } from 'node:async_hooks'
import type { DynamoDBRecord } from 'aws-lambda'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Figures } from '../../../lib/domain/leaderboard/tally.ts'
import type { Decision, RecordItem } from '../../../lib/domain/records/items.ts'
import type { Write } from '../../../lib/engines/table/item.ts'
import { openApp } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { changeUser, createUser } from '../../harness/people.ts'

/** So many changes are made; OPERATIONS=10000 makes more, SEED=2 others. */
const operations = Number(process.env.OPERATIONS ?? 250)
const seed = Number(process.env.SEED ?? 1)

/** Numbers that look random, the same ones for the same seed. */
let state = seed
function random(): number {
  state = (state + 0x6d2b79f5) | 0
  let t = Math.imul(state ^ (state >>> 15), 1 | state)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}
const below = (n: number) => Math.floor(random() * n)
function pick<T>(items: readonly T[]): T {
  const it = items[below(items.length)]
  if (it === undefined) throw new Error('nothing to pick from')
  return it
}
function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((it) => ({ it, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ it }) => it)
}

/**
 * Whatever runs in here loses each 97th of its calls to the table: in turn before it is made, and before its answer. By count, since by
 * chance a run may lose none. A prime number, so that it is never always the same call of the projector.
 */
const faulty = new AsyncLocalStorage<true>()
const EACH = 97
let calls = 0
let faults = 0

let following: Following
let ids: string[]
beforeAll(async () => {
  await openApp({ env: { LOG_LEVEL: 'silent' } })
  following = await followTable()
  const { db } = await import('../../../lib/engines/table/client.ts')
  db.middlewareStack.add(
    (next) => async (args) => {
      if (!faulty.getStore()) return next(args)
      calls += 1
      if (calls % EACH !== 0) return next(args)
      faults += 1
      if (faults % 2 === 1) throw new Error('killed before the call')
      await next(args)
      throw new Error('killed before the answer')
    },
    { step: 'initialize', name: 'faults' },
  )
  const made = Array.from({ length: 12 }, (_, i) =>
    createUser({ email: `p${i}@heritage.test`, username: `person-${i}`, organization: i % 3 === 0 ? 'Museum' : '' }),
  )
  ids = (await Promise.all(made)).map((it) => it.id)
})
afterAll(async () => {
  const { db } = await import('../../../lib/engines/table/client.ts')
  db.middlewareStack.remove('faults')
})

test(`figures and boards equal a recount after ${operations} changes with faults (seed ${seed})`, {
  timeout: 600_000,
}, async () => {
  const world = await makeWorld()
  /** What the projector has been told, and what it has not been told for good. */
  const told: DynamoDBRecord[] = []
  let waiting: DynamoDBRecord[] = []
  for (let done = 0; done < operations; ) {
    const some = Math.min(40, operations - done)
    // People go on working while the projector works.
    const [left] = await Promise.all([deliver(waiting, told), world.work(some)])
    waiting = [...left, ...(await following.take())]
    done += some
  }
  for (let turn = 0; waiting.length > 0; turn += 1) {
    expect(turn).toBeLessThan(200)
    waiting = [...(await deliver(waiting, told)), ...(await following.take())]
  }
  expect(faults).toBeGreaterThan(operations / 200)
  expect(await figuresOf(ids)).toEqual(world.figures())
  await compareBoards(world)
})

/**
 * Tells the projector what waits, in any order, some of it twice, by two at once who are killed now and then. Answers
 * what it has not taken in, which is told again.
 */
async function deliver(waiting: readonly DynamoDBRecord[], told: DynamoDBRecord[]): Promise<DynamoDBRecord[]> {
  const { handler } = await import('../../../functions/projector.ts')
  const relevant = waiting.filter((it) => types.has(of(it, 'type')))
  const again = told.length > 0 ? Array.from({ length: 5 }, () => pick(told)) : []
  const all = shuffled([...relevant, ...again])
  const middle = Math.floor(all.length / 2)
  const runs = [all.slice(0, middle), all.slice(middle)].map(async (records) => {
    const { batchItemFailures } = await faulty.run(true, () => handler({ Records: records }))
    const [failed] = batchItemFailures
    const first = records.findIndex((it) => it.dynamodb?.SequenceNumber === failed?.itemIdentifier)
    const taken = failed ? records.slice(0, first) : records
    told.push(...taken)
    // Of what failed as a whole some was done all the same.
    return failed ? records.slice(first) : []
  })
  return (await Promise.all(runs)).flat()
}

const types = new Set(['record', 'revision', 'decision', 'submission', 'user'])
function of({ dynamodb }: DynamoDBRecord, name: string): string {
  return (dynamodb?.NewImage ?? dynamodb?.OldImage)?.[name]?.S ?? ''
}

type World = { work: (many: number) => Promise<void>; figures: () => Record<string, Figures> }

/** Records, revisions, decisions and submissions, written as the service writes them, and a count of them kept beside. */
async function makeWorld(): Promise<World> {
  const { newId, now } = await import('../../../lib/base/clock.ts')
  const { recordId } = await import('../../../lib/base/ids/address.ts')
  const { kinds } = await import('../../../lib/domain/kinds/index.ts')
  const { inUnit } = await import('../../../lib/platform/unit-of-work.ts')
  const { newRecord, newRevision } = await import('../../../lib/domain/records/build.ts')
  const { decision, recordItem, revision } = await import('../../../lib/domain/records/items.ts')
  const { withNextVersion, put, remove } = await import('../../../lib/engines/table/item.ts')
  const { submission } = await submissions()

  const heads: RecordItem[] = []
  const sent: Submission[] = []
  const revisions = new Map<string, number>()
  const reviews = new Map<string, number>()
  const add = (counts: Map<string, number>, who: string) => counts.set(who, (counts.get(who) ?? 0) + 1)
  const actor = (id: string) => ({ id, username: id, email: '', is_staff: false, is_superuser: false, rank: null })
  const source = { source_type: '', source_citation: '', source_url: '', confidence: 'likely', data_quality_note: '' }
  const busy = new Set<object>()
  /** A thing that nobody else is changing right now, taken for one change. */
  const change = async <T extends object>(things: T[], next: (it: T) => { next: T | undefined; writes: Write[] }) => {
    const free = things.filter((it) => !busy.has(it))
    if (free.length === 0) return
    const old = pick(free)
    busy.add(old)
    const planned = next(old)
    await inUnit((unit) => unit.add(planned.writes))
    busy.delete(old)
    const at = things.indexOf(old)
    if (planned.next) things[at] = planned.next
    else things.splice(at, 1)
  }
  const standing = () =>
    pick([
      { status: 'pending_review', public: false },
      { status: 'rejected', public: false },
      { status: 'accepted', public: true },
      { status: 'pending_review', public: true },
      { status: 'draft', public: false },
    ] as const)

  const kinds_of_work = [
    async () => {
      const who = pick(ids)
      const id = heads.length + 1 + below(1e9)
      const data = { name: `Work ${id}` }
      const made = newRecord(kinds.structure, id, { data, source, actor: actor(who) }).record
      // It has no claims here: whoever reads its history would wait for them.
      const it = { ...made, ...standing(), claim_count: 0, entity_id: recordId(kinds.structure.code, id) }
      await inUnit((unit) =>
        unit.add([put(recordItem, it, undefined), put(revision, newRevision(it, {}, actor(who), now()), undefined)]),
      )
      heads.push(it)
      add(revisions, who)
    },
    () =>
      change(heads, (old) => {
        const next = withNextVersion<RecordItem>(old, { ...standing(), access_tier: pick(['public', 'restricted']) })
        return { next, writes: [put(recordItem, next, old)] }
      }),
    () =>
      change(heads, (old) => {
        const next = withNextVersion<RecordItem>(old, { deleted_at: old.deleted_at ? null : now() })
        return { next, writes: [put(recordItem, next, old)] }
      }),
    () =>
      change(heads, (old) => {
        const who = pick(ids)
        const next = withNextVersion<RecordItem>(old, {
          ...standing(),
          current_revision: old.current_revision + 1,
          current_revision_id: newId(),
        })
        add(revisions, who)
        return {
          next,
          writes: [put(recordItem, next, old), put(revision, newRevision(next, {}, actor(who), now()), undefined)],
        }
      }),
    () =>
      change(heads, (old) => {
        const who = pick(ids)
        const next = withNextVersion<RecordItem>(old, { ...standing(), decided: true })
        add(reviews, who)
        return {
          next,
          writes: [put(recordItem, next, old), put(decision, decisionOn(old, who, newId(), now()), undefined)],
        }
      }),
    async () => {
      const it = { id: newId(), contributor_id: pick(ids), status: pick(statuses), version: 1 }
      await inUnit((unit) => unit.add([put(submission, it, undefined)]))
      sent.push(it)
    },
    () =>
      change(sent, (old) => {
        const next = withNextVersion<Submission>(old, { status: pick(statuses) })
        return { next, writes: [put(submission, next, old)] }
      }),
    () => change(sent, (old) => ({ next: undefined, writes: [remove(submission, old)] })),
    async () => {
      await changeUser(pick(ids), () => ({ organization: pick(['', 'Museum', 'Guthi Sansthan']) }))
    },
    async () => {
      await changeUser(pick(ids), () => ({ is_active: random() < 0.8 }))
    },
  ]

  return {
    work: async (many) => {
      for (let left = many; left > 0; left -= 8) {
        await Promise.all(Array.from({ length: Math.min(8, left) }, () => pick(kinds_of_work)()))
      }
    },
    figures: () =>
      Object.fromEntries(
        ids.map((id) => {
          const own = heads.filter((it) => it.contributor_id === id && !it.deleted_at)
          const mine = sent.filter((it) => it.contributor_id === id)
          return [
            id,
            {
              entities: own.length,
              accepted_entities: own.filter((it) => it.public).length,
              rejected_entities: own.filter((it) => !it.public && it.status === 'rejected').length,
              reviews: reviews.get(id) ?? 0,
              revisions: revisions.get(id) ?? 0,
              submissions: mine.length,
              accepted_submissions: mine.filter((it) => it.status === 'accepted').length,
              rejected_submissions: mine.filter((it) => it.status === 'rejected').length,
              forks: 0,
              merged_forks: 0,
              fork_points: 0,
            },
          ]
        }),
      ),
  }
}

const decisionOn = (it: RecordItem, reviewer_id: string, id: string, created_at: string): Decision => ({
  id,
  entity_id: it.entity_id,
  reviewer_id,
  revision_reviewed: 1,
  accepted_revision: null,
  sequence: 1,
  outcomes: [],
  audience: 'withheld',
  verdict: 'accept',
  conflict_handling: 'not_applicable',
  confidence_override: null,
  verification_method: null,
  feedback: '',
  reconciliation_note: '',
  internal_note: '',
  escalated_to: null,
  of_batch: false,
  fork: null,
  batch_list: null,
  created_at,
  version: 1,
})

const statuses = ['pending', 'accepted', 'rejected', 'review'] as const
type Submission = { id: string; contributor_id: string; status: (typeof statuses)[number]; version: number }

/** As much of a legacy submission as is counted. */
async function submissions() {
  const v = await import('valibot')
  const { defineItem } = await import('../../../lib/engines/table/item.ts')
  const submission = defineItem({
    type: 'submission',
    schema: v.object({
      id: v.string(),
      contributor_id: v.string(),
      status: v.picklist(statuses),
      version: v.number(),
    }),
    key: ({ id }: { id: string }) => ({ pk: `SUBMISSION#${id}`, sk: 'HEAD' }),
    counted: (it) => [
      `SUBMISSION#USER#${it.contributor_id}`,
      `SUBMISSION#USER#${it.contributor_id}#STATUS#${it.status}`,
    ],
  })
  return { submission }
}

/** The stored figures of each of the people. Who has never had any work has no entry, which says zero of everything. */
async function figuresOf(people: readonly string[]): Promise<Record<string, Figures>> {
  const { boardEntry } = await import('../../../lib/domain/leaderboard/items.ts')
  const { figureNames } = await import('../../../lib/domain/leaderboard/tally.ts')
  const { get } = await import('../../../lib/engines/table/read.ts')
  const nothing = Object.fromEntries(figureNames.map((name) => [name, 0])) as Figures
  const found = await Promise.all(people.map((user_id) => get(boardEntry, { user_id })))
  return Object.fromEntries(people.map((id, i) => [id, found[i]?.tally ?? nothing]))
}

/** Every board, whole and by institution, against a plain sort of the recounted figures. */
async function compareBoards(world: World): Promise<void> {
  const { boardNames, boards, scoreOf } = await import('../../../lib/domain/leaderboard/score.ts')
  const board = await import('../../../lib/domain/leaderboard/page.ts')
  const { loadUser } = await import('../../../lib/platform/users/users.ts')
  const figures = world.figures()
  const people = await Promise.all(ids.map(async (id) => ({ user: await loadUser(id), tally: figures[id] })))
  const active = people.flatMap(({ user, tally }) => (user?.is_active && tally ? [{ user, tally }] : []))
  for (const name of boardNames) {
    const { points, tie } = boards[name]
    const sorted = active
      .map(({ user, tally }) => ({ user, points: points(tally), tie: tie(tally) }))
      .filter((it) => it.points > 0)
      .sort((a, b) => b.points - a.points || b.tie - a.tie || (a.user.username < b.user.username ? -1 : 1))
      .map((it, _, all) => ({ ...it, rank: 1 + all.filter((other) => other.points > it.points).length }))
    const wanted = sorted.map((it) => [it.rank, it.user.id, it.points])
    const whole = await board.loadBoardPage({ board: name }, { limit: 100, offset: 0 })
    expect(whole.results.map((it) => [it.rank, it.user_id, it.points])).toEqual(wanted)
    expect(whole.count).toBe(wanted.length)
    const paged = []
    for (let offset = 0; offset < wanted.length; offset += 5)
      paged.push(...(await board.loadBoardPage({ board: name }, { limit: 5, offset })).results)
    expect(paged.map((it) => [it.rank, it.user_id, it.points])).toEqual(wanted)
    if (name !== 'overall') continue
    expect(whole.totals).toEqual({
      contributors: sorted.length,
      score: sorted.reduce((sum, it) => sum + it.points, 0),
      entities: active.reduce((sum, { tally }) => sum + (scoreOf(tally) > 0 ? tally.entities : 0), 0),
      reviews: active.reduce((sum, { tally }) => sum + tally.reviews, 0),
    })
    const institutions = [...new Set(sorted.map((it) => it.user.organization).filter(Boolean))].sort()
    expect(whole.institutions).toEqual(institutions)
    for (const institution of institutions) {
      const part = await board.loadBoardPage({ board: name, institution }, { limit: 100, offset: 0 })
      expect(part.results.map((it) => [it.rank, it.user_id, it.points])).toEqual(
        sorted.filter((it) => it.user.organization === institution).map((it) => [it.rank, it.user.id, it.points]),
      )
    }
  }
}
