import { type Base, contribute, type Made, publish, reviewers, said, verdict } from './base.ts'
import { violations } from './invariants/all.ts'
import { count, note, type Share, type Tally, tally } from './report.ts'
import { type Request, sendIn } from './requests.ts'
import type { Dice } from './world/chance.ts'
import { moduleIn } from './world/processes.ts'
import { hash } from './world/table.ts'
import { type Saved, WORKERS, type World } from './world/world.ts'

/**
 * A hundred at once, each doing one thing after another, under a model of what should be true: what one writes of a record
 * is what is read from then on, until it is written anew (each record by itself is linearizable).
 */
const ACTORS = 100
const STEPS = 5
const CROWD = 20

type Crowd = { saved: Saved; own: { who: string; it: Made }[] }
type Written = { record: number; value: string; from: number; to: number; known: boolean }
type Read = { record: number; value: string; from: number; to: number }

/** People, each with a record that waits and one that is published. */
async function gather(world: World, base: Base): Promise<Crowd> {
  world.restore(base.saved, 1)
  const { createUser } = await moduleIn(0, 'lib/platform/users/users.ts')
  const { inUnit } = await moduleIn(0, 'lib/platform/unit-of-work.ts')
  const { groupsWith } = await moduleIn(0, 'lib/platform/users/roles.ts')
  const own: Crowd['own'] = []
  for (let i = 0; i < CROWD; i += 1) {
    const who = `person${i}`
    const id = `00000000-0000-4000-8000-${String(2000 + i).padStart(12, '0')}`
    const about = {
      id,
      email: `${who}@heritage.test`,
      username: who,
      first_name: 'Person',
      last_name: `${i}`,
      is_staff: false,
    }
    await world.run({ name: 'crowd', process: 0 }, () =>
      inUnit((unit: object) =>
        createUser(unit, {
          ...about,
          groups: groupsWith(['Contributors'], null),
          reviewer_role: null,
          password: 'none',
          seeded: true,
        }),
      ),
    )
    own.push({ who, it: await contribute(world, who, 'structures', { name: `House ${i}` }) })
    own.push({ who, it: await publish(world, 'structures', { name: `Hall ${i}` }, who) })
  }
  await world.settle()
  world.forgetStream()
  return { saved: world.save(), own }
}

const REVIEWERS = Object.values(reviewers)

/** What is done besides writing and reading a record of the model. */
function other(chance: Dice, base: Base, { own }: Crowd, n: number): Request {
  // Verdicts are given on what is published, so that what waits is its contributor's word alone.
  const { it } = chance.pick(own.filter((_, i) => i % 2 === 1))
  const who = chance.pick(own).who
  const thread = `/data/entities/${base.open.cultural_entity_id}/comments/`
  return chance.pick<() => Request>([
    () => ({
      who,
      method: 'POST',
      path: '/cidoc/structures/',
      sent: { body: { name: `New ${n}`, has_current_location: `Square ${chance.below(3)}`, assertion: said } },
    }),
    () => ({ who, method: 'POST', path: thread, sent: { body: { comment: `Saying ${n}` } } }),
    () => ({
      who,
      method: 'POST',
      path: '/data/reactions/toggle/',
      sent: { body: { reaction_type: chance.pick(['upvote', 'downvote']), entity_id: base.open.cultural_entity_id } },
    }),
    () =>
      verdict(
        it,
        { verdict: chance.pick(['accept', 'reject', 'request_changes']), feedback: 'As it is.' },
        chance.pick(REVIEWERS),
      ),
    () => ({ who: chance.pick(REVIEWERS), method: 'POST', path: `/data/review-queue/${it.cultural_entity_id}/claim/` }),
    () => ({ who: chance.pick(REVIEWERS), method: 'GET', path: '/data/review-queue/?limit=20' }),
    () => ({ who, method: 'POST', path: '/data/notifications/mark_all_read/' }),
    () => ({ who, method: 'GET', path: '/data/notifications/' }),
    () => ({ who: null, method: 'GET', path: '/cidoc/structures/?limit=50' }),
    () => ({
      who,
      method: 'POST',
      path: '/cidoc/assertions/',
      sent: { body: { entity_type: 'structure', entity_id: base.open.id, property: 'note', value: `Claim ${n}` } },
    }),
  ])()
}

/** A read that no order of the writes explains. */
function unexplained(written: readonly Written[], reads: readonly Read[]): string[] {
  return reads.flatMap((read) => {
    const all = written.filter(({ record }) => record === read.record)
    const seen = all.find(({ value }) => value === read.value)
    if (seen && seen.from > read.to) return [`"${read.value}" was read before it was written`]
    const since = seen?.to ?? Number.NEGATIVE_INFINITY
    const over = all.find((it) => it.known && it !== seen && it.from > since && it.to < read.from)
    return over ? [`"${read.value}" was read although "${over.value}" had been written over it`] : []
  })
}

async function session(
  world: World,
  base: Base,
  crowd: Crowd,
  number: number,
  log: { written: Written[]; reads: Read[]; wrong: string[] },
): Promise<number> {
  const { chance, time } = world
  let sent = 0
  for (let step = 0; step < STEPS; step += 1) {
    await new Promise<void>((done) => void time.after(chance.below(600), done))
    const record = number % crowd.own.length
    const { who, it } = crowd.own[record] ?? { who: 'dev', it: base.pending }
    const [process, from, way] = [chance.below(WORKERS), time.now, chance.below(10)]
    const path = `/cidoc/structures/${it.id}/`
    const value = `Value ${number} ${step}`
    const request: Request =
      way < 3
        ? { who, method: 'PATCH', path, sent: { body: { note: value, assertion: said } } }
        : way < 6
          ? { who, method: 'GET', path }
          : other(chance, base, crowd, number * 100 + step)
    const answer = await sendIn(world, { ...request, process })
    sent += 1
    if (answer.status >= 500) log.wrong.push(`${request.method} ${request.path} gave ${answer.status}: ${answer.text}`)
    if (answer.undocumented !== undefined) log.wrong.push(`${request.method} ${request.path}: ${answer.undocumented}`)
    const at = { record, from, to: time.now }
    if (way < 3 && answer.status === 200) log.written.push({ ...at, value, known: true })
    // What is published shows what was accepted; only what waits is the contributor's latest word.
    if (way >= 3 && way < 6 && answer.status === 200 && record % 2 === 0)
      log.reads.push({ ...at, value: String(answer.body.note ?? '') })
  }
  return sent
}

export async function random(
  world: World,
  base: Base,
  { seed, until, share }: { seed: number; until: number; share: Share },
): Promise<Tally> {
  const into = tally('random runs', 'requests')
  const began = Date.now()
  const crowd = await gather(world, base)
  into.kinds = ACTORS
  for (let round = 0; round === 0 || Date.now() < until; round += 1) {
    const own = seed + round * share.of + share.at
    world.restore(crowd.saved, own)
    world.seed(own, true)
    const log = { written: [] as Written[], reads: [] as Read[], wrong: [] as string[] }
    const sessions = Array.from({ length: ACTORS }, (_, number) => session(world, base, crowd, number, log))
    const sent = await world.time.until(Promise.all([...sessions, following(world, sessions)]))
    into.tried += sent.reduce((sum, each) => sum + each, 0)
    count(into, 'reads explained by the writes of their record', log.reads.length)
    count(into, 'rounds')
    count(into, 'simulated seconds', Math.round((world.time.now - crowd.saved.now) / 1000))
    const wrong = [...log.wrong, ...unexplained(log.written, log.reads)]
    world.seed(own)
    await world.settle()
    wrong.push(...(await world.run({ name: 'invariants', process: 1 }, () => violations(world, true))))
    into.digest ^= hash(`${own} ${world.digest}`)
    if (wrong.length > 0)
      note(into, {
        where: `round ${round}`,
        seed: own,
        again: `npm run prove -- --only random --seed ${own}`,
        what: wrong,
      })
  }
  into.milliseconds = Date.now() - began
  return into
}

/** The projector, as long as others are at work; answers that it sent no request. */
async function following(world: World, others: readonly Promise<unknown>[]): Promise<number> {
  let isOver = false
  void Promise.allSettled(others).then(() => {
    isOver = true
  })
  while (!isOver) {
    await world.deliver()
    await new Promise<void>((done) => void world.time.after(20, done))
  }
  return 0
}
