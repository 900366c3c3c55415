import type { Base } from './base.ts'
import { violations } from './invariants/all.ts'
import type { Beside, Race } from './race-checks.ts'
import { kinds } from './race-kinds.ts'
import { heard, isNamed, isOwn, note, type Share, type Tally, tally } from './report.ts'
import { type Answer, sendIn } from './requests.ts'
import { taken } from './steps.ts'
import { PROCESSES } from './world/actors.ts'
import { hash } from './world/table.ts'
import { WORKERS, type World } from './world/world.ts'

/**
 * Several at once, in every order that the seeds come to: calls take any time, reads see what was, indexes lag, transactions
 * get in each other's way, and the projector works beside them.
 */
export async function races(
  world: World,
  base: Base,
  {
    seed,
    until,
    kind,
    most,
    share,
  }: { seed: number; until: number; kind?: string | undefined; most: number; share: Share },
): Promise<Tally> {
  const into = tally('races', 'schedules')
  const began = Date.now()
  const wanted = kind === undefined ? kinds : kinds.filter(({ name }) => isNamed(name, kind))
  if (wanted.length === 0) throw new Error(`there is no race ${kind}: ${kinds.map(({ name }) => name).join(', ')}`)
  into.kinds = wanted.length
  // Each kind in turn, so that all get their share of the time.
  for (let turn = 0; turn < most && Date.now() < until; turn += 1)
    for (const [i, race] of wanted.entries()) {
      if (!isOwn(share, turn + i)) continue
      if (Date.now() >= until) break
      into.tried += 1
      const own = seed + turn
      const what = await scheduled(world, base, race, own).catch((error: unknown) => [
        error instanceof Error ? (error.stack ?? '') : String(error),
      ])
      into.digest ^= hash(`${race.name} ${own} ${world.digest}`)
      heard.of(into.part, race.name)
      if (what.length > 0)
        note(into, {
          where: race.name,
          seed: own,
          again: `npm run prove -- --only races --at '${race.name}' --seed ${own}`,
          what,
        })
    }
  into.milliseconds = Date.now() - began
  return into
}

/** Added to the seed of a schedule, so that it is no other's. */
const BEFORE = 1_000_000_007

/** One schedule of one race: what was found wrong. */
async function scheduled(world: World, base: Base, race: Race, seed: number): Promise<string[]> {
  // What comes before has ids and tokens of its own: under one seed both would be given the same ones.
  world.restore(base.saved, seed + BEFORE)
  const made = await taken(world, race.before?.(base) ?? [])
  world.seed(seed, true)
  const { chance } = world
  const requests = race.requests(base, made)
  const started: Promise<Answer>[] = requests.map((request) => {
    const [delay, slow, process] = [chance.happens(0.5) ? 0 : chance.below(40), slowBy(world), chance.below(WORKERS)]
    return new Promise((done, failed) => {
      world.time.after(delay, () => void sendIn(world, { ...request, slow, process }).then(done, failed))
    })
  })
  const workers = (race.beside ?? []).map((it, i) => startedAtEvent(world, it, PROCESSES.at(-1 - i) ?? 0))
  const beside = chance.happens(0.5) ? following(world, started) : Promise.resolve()
  const answers = await world.time.until(Promise.all(started))
  await world.time.until(Promise.all(workers))
  await world.time.until(beside)
  const wrong = answers.flatMap((answer, i) => {
    const { method, path, who } = requests[i] ?? { method: '', path: '', who: '' }
    const name = `${method} ${path} by ${who}`
    return [
      ...(answer.undocumented === undefined ? [] : [`${name}: ${answer.undocumented}`]),
      ...(answer.status >= 500 ? [`${name} gave ${answer.status}: ${answer.text}`] : []),
    ]
  })
  wrong.push(...race.check(answers, world, base))
  wrong.push(...(await checked(world, false)))
  // What follows is heard again and late in every other schedule.
  world.seed(seed + 1, seed % 2 === 0)
  await world.settle()
  wrong.push(...(await checked(world, true)))
  if (wrong.length > 0) wrong.push(`answers: ${answers.map(({ status }) => status).join(', ')}`)
  return wrong
}

/**
 * Starts at an event of its own. Of two that start at once, the one whose process is new comes later to its first call: there modules are
 * loaded and clients made. So the order would depend on what was tried before.
 */
async function startedAtEvent(world: World, work: Beside, process: number): Promise<unknown> {
  await new Promise<void>((done) => void world.time.after(0, done))
  return (await startedIn(world, work, process)).ended
}

const startedIn = async (world: World, work: Beside, process: number) =>
  typeof work === 'string'
    ? world.started(work, { chores: 'often' }, undefined, process)
    : { ended: world.start({ name: 'a worker', process, slow: slowBy(world) }, () => work(process)) }

/** One in five is held up. */
const slowBy = ({ chance }: World) => (chance.happens(0.2) ? 8 : 1)

const checked = (world: World, settled: boolean) =>
  world.run({ name: 'invariants', process: 1 }, () => violations(world, settled))

/** The projector, as long as others are at work. */
async function following(world: World, others: readonly Promise<unknown>[]): Promise<void> {
  let isOver = false
  void Promise.allSettled(others).then(() => {
    isOver = true
  })
  while (!isOver) {
    await world.deliver()
    await new Promise<void>((done) => void world.time.after(5, done))
  }
}
