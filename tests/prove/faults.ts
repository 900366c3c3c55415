import type { Job } from './background.ts'
import type { Base } from './base.ts'
import { changed } from './cells.ts'
import { violations } from './invariants/all.ts'
import { jobs } from './jobs.ts'
import type { Operation } from './operation.ts'
import { operations } from './operations.ts'
import { first, heard, isNamed, isOwn, note, type Share, type Tally, tally } from './report.ts'
import { type Answer, type Request, send } from './requests.ts'
import { taken as takenBefore } from './steps.ts'
import type { Item } from './world/expressions.ts'
import { hash } from './world/table.ts'
import type { Actor, Called, Fault, World } from './world/world.ts'
import { Gone, WORKERS, WRITES } from './world/world.ts'

/**
 * Every call of every change goes wrong in every way that there is, once. What is promised holds between the failure and the
 * repetition as well as after it; and what is there in the end is what there is when nothing fails.
 */
const BATCHES = /^Batch/
/** The table and the mail service may have no room. */
const mayThrottle = (command: string) => !/^(S3|Invoke|HTTP POST)/.test(command)

/** Which ways there are for a call of this sort. */
type Way = { fault: Fault; fits: (command: string) => boolean; lasts: boolean }
export const ways: readonly Way[] = [
  { fault: 'refused', fits: () => true, lasts: true },
  { fault: 'failed once', fits: () => true, lasts: false },
  { fault: 'reply lost', fits: (command) => WRITES.test(command), lasts: true },
  { fault: 'reply lost once', fits: (command) => WRITES.test(command), lasts: false },
  { fault: 'throttled', fits: mayThrottle, lasts: true },
  { fault: 'throttled once', fits: mayThrottle, lasts: false },
  { fault: 'conflict', fits: (command) => command === 'TransactWriteItems', lasts: false },
  { fault: 'conflicts', fits: (command) => command === 'TransactWriteItems', lasts: true },
  { fault: 'overtaken', fits: (command) => command === 'TransactWriteItems', lasts: true },
  { fault: 'partial batch', fits: (command) => BATCHES.test(command), lasts: false },
  { fault: 'late', fits: (command) => WRITES.test(command), lasts: false },
  { fault: 'gone before', fits: () => true, lasts: false },
  { fault: 'gone after', fits: (command) => WRITES.test(command), lasts: false },
]

/** The fault at the nth call: at its first attempt, or at each that the SDK makes. */
const at =
  (n: number, fault: Fault, lasts: boolean) =>
  (call: Called): Fault | undefined => {
    if (call.attempt === 0) return fault === 'partial batch' && call.n === n ? fault : undefined
    return call.n === n && fault !== 'partial batch' && (lasts || call.attempt === 1) ? fault : undefined
  }

/** What people make; what only helps it to be made is left out. */
const MADE =
  /^(record|claims|revision|activity|flag|decision|source|cluster|membership|project|project_entity|project_asset|project_upload|project_activity|project_snapshot|comment|comment_place|notification|application|submission|submission_version|submission_suggestion|user|username|email|queue_by_\w+|project_place|project_member|media|link|reactions|fork|organization\w*|note\w*|proposal\w*|extension\w*|schema_overlay|candidate|reconciled_link|curator_alert|parted_scan|scan\w*)$/
/** Ids, numbers, moments and what a password is hashed to are others each time. */
const CHANCE =
  /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}|\d{4}-\d{2}-\d{2}T[\d:.]+Z|[0-9a-f]{1,8}(?:-[0-9a-f]{1,12}){3,4}|\d+/g
/** How long somebody is at work on something runs out by itself. */
const PLACE = /^(pk|sk|gsi\d_[ps]k|id|pack|\w+_id|password\w*|held_until)$/

/** Whatever the order of its members, which the table does not keep. */
const inOrder = (_: string, it: unknown): unknown =>
  typeof it !== 'object' || it === null || Array.isArray(it)
    ? it
    : Object.fromEntries(Object.entries(it).sort(([a], [b]) => (a < b ? -1 : 1)))

const known = new WeakMap<object, string>()
/** An item by its type and what it says, whatever its ids and moments. */
function told(it: Item): string {
  const found = known.get(it)
  if (found !== undefined) return found
  const said = Object.fromEntries(Object.entries(it).filter(([name]) => !PLACE.test(name)))
  const text = `${it.type?.S} ${JSON.stringify(said, inOrder).replaceAll(CHANCE, '_')}`
  known.set(it, text)
  return text
}

/** How many things there are of each sort that people make, each by what it says. */
function census(world: World): Map<string, number> {
  const many = new Map<string, number>()
  for (const it of world.items()) {
    if (!MADE.test(String(it.type?.S))) continue
    const text = told(it)
    many.set(text, (many.get(text) ?? 0) + 1)
  }
  return many
}
const difference = (world: World, wanted: Map<string, number>): string[] => {
  const found = census(world)
  return [...new Set([...wanted.keys(), ...found.keys()])].flatMap((text) =>
    wanted.get(text) === found.get(text)
      ? []
      : [`there are ${found.get(text) ?? 0}, and ${wanted.get(text) ?? 0} where nothing fails, of ${text}`],
  )
}

/** An upload that nobody ends, and nothing else, is cleared away by the sweeper: a day later. */
const LEFT = /, of project_upload /
const DAY_MS = 86_400_000

/** What differs in the end from what there is where nothing fails. */
async function inTheEnd(world: World, wanted: Map<string, number>): Promise<string[]> {
  const found = difference(world, wanted)
  if (found.length === 0 || !found.every((text) => LEFT.test(text))) return found
  world.time.advance(DAY_MS)
  await world.visit()
  return difference(world, wanted)
}

/** Kept answers, numbers and what was asked too often help a change to be made, and are none. */
const HELPING = /^(RATE#|CACHE#|VERSIONS|SEQUENCE#|REPLY#|LOCK#)/

/** What throttles have counted, whatever the window in which it fell. */
const hitsIn = (world: World, of = /^RATE#/): number =>
  world.items().reduce((sum, it) => (of.test(String(it.pk?.S)) ? sum + Number(it.n?.N ?? 0) : sum), 0)
/** Rates of what is made: what is not made counts no more. */
const OF_MADE = /^RATE#(project_create|project_asset_upload|picture_upload|import|import_rows)#/

/** `asked` is the seed of the run, from which each sort of case has its own. */
type Trial = { world: World; base: Base; operation: Operation; into: Tally; asked: number; seed: number }

/** What an operation does when nothing fails, how often throttles count it, and whether its key makes it happen once. */
type Calm = { answer: Answer; many: Map<string, number>; hits: number; isKeyed: boolean }

/** The world as it is saved, and what is done before. Answers the request. */
export async function begin({ world, base, operation, seed }: Omit<Trial, 'into' | 'asked'>): Promise<Request> {
  world.restore(base.saved, seed)
  const steps = operation.before(base)
  const made = await takenBefore(world, steps)
  if (steps.length > 0 && !operation.atOnce) await world.settle()
  return operation.request(base, made)
}

/** An operation that nothing goes wrong with, and all that follows of it. */
export async function onceCalmly(trial: Omit<Trial, 'into' | 'asked'>): Promise<{ request: Request; answer: Answer }> {
  const { world, operation } = trial
  const request = await begin(trial)
  const [told, counted] = [changed(world, HELPING).length, hitsIn(world, OF_MADE)]
  const answer = await send(world, request)
  if (answer.status !== operation.gives) throw new Error(`${operation.name} gave ${answer.status}: ${answer.text}`)
  if (!operation.says.test(answer.text)) throw new Error(`${operation.name} was answered with ${answer.text}`)
  if (operation.changes && changed(world, HELPING).length === told)
    throw new Error(`${operation.name} was answered, and nothing has changed`)
  if (answer.status >= 400 && hitsIn(world, OF_MADE) !== counted)
    throw new Error(`${operation.name} was refused, and counts all the same`)
  await world.settle()
  return { request, answer }
}

async function untroubled(trial: Trial): Promise<Calm> {
  const { world } = trial
  const { request, answer } = await onceCalmly(trial)
  const wrong = await checked(world, true, 'when nothing fails')
  if (wrong.length > 0) throw new Error(wrong.join('; '))
  const [many, hits] = [census(world), hitsIn(world)]
  const again = await send(world, request)
  return { answer, many, hits, isKeyed: again.headers['idempotent-replayed'] === 'true' }
}

async function checked(world: World, settled: boolean, when: string): Promise<string[]> {
  const found = await world.run({ name: 'invariants', process: 1 }, () => violations(world, settled))
  return found.map((each) => `${when}: ${each}`)
}

/** A change whose nth call goes wrong, and that is sent again unless it was answered and has no key. */
async function tried(trial: Trial, n: number, way: Way, { many, hits, isKeyed }: Calm): Promise<string[]> {
  const { world, operation } = trial
  const request = await begin(trial)
  const [told, counted] = [changed(world, HELPING).length, hitsIn(world, OF_MADE)]
  const answer = await send(world, request, at(n, way.fault, way.lasts))
  const wrong = answer.undocumented === undefined ? [] : [`undocumented: ${answer.undocumented}`]
  // What fails once is tried again, and nobody hears of it.
  if (!way.lasts && answer.status !== 0 && answer.status !== operation.gives)
    wrong.push(`gave ${answer.status} where one attempt failed: ${answer.text}`)
  const command = answer.commands[n] ?? ''
  if (operation.spares?.test(command) && answer.status !== 0 && answer.status !== operation.gives)
    wrong.push(`gave ${answer.status} where it does without ${command}: ${answer.text}`)
  wrong.push(...(await checked(world, false, 'after the failure')))
  const isAnswered = answer.status === operation.gives
  if (isAnswered && operation.changes && changed(world, HELPING).length === told)
    wrong.push('it was answered, and nothing has changed')
  // Where counting itself goes wrong, nobody can tell how often it counts.
  if (answer.status >= 400 && command !== 'UpdateItem' && hitsIn(world, OF_MADE) !== counted)
    wrong.push(`it failed, and counts ${hitsIn(world, OF_MADE) - counted} times all the same`)
  if (isAnswered && !way.lasts && hitsIn(world) !== hits)
    wrong.push(`throttles count ${hitsIn(world)} hits, and ${hits} where nothing fails`)
  // After a lost reply nobody knows whether it was done. If it was, the second time may say so, such as 404 for what is deleted.
  const wasDone = way.fault === 'reply lost' && changed(world, HELPING).length > told
  if (isKeyed || !isAnswered)
    wrong.push(...(await repeated(trial, request, isKeyed, { status: answer.status, way, wasDone })))
  await world.settle()
  wrong.push(...(await checked(world, true, 'when all is settled')))
  if (isKeyed || isAnswered) wrong.push(...(await inTheEnd(world, many)))
  return wrong
}

const HELD_MS = 180_000

/** Whoever asks again comes to another process, or to one that has just begun. */
async function repeated(
  { world, operation }: Trial,
  request: Request,
  isKeyed: boolean,
  { status: before, way, wasDone }: { status: number; way: Way; wasDone: boolean },
): Promise<string[]> {
  let again = await send(world, { ...request, process: 1 })
  // Whoever does not hear that something is held for it cannot give it back: it is held no longer than this.
  if (before === 503 && again.status === 409 && way.fault === 'reply lost') {
    world.time.advance(HELD_MS)
    again = await send(world, { ...request, process: 1 })
  }
  const wrong = again.undocumented === undefined ? [] : [`the second time undocumented: ${again.undocumented}`]
  if (again.status >= 500) wrong.push(`gave ${again.status} the second time: ${again.text}`)
  if (isKeyed && again.status !== operation.gives)
    wrong.push(`the second time gave ${again.status} under the same key: ${again.text}`)
  // 503 says that it may be tried again.
  if (before === 503 && again.status !== operation.gives && !(wasDone && again.status < 500))
    wrong.push(`the second time gave ${again.status} after 503: ${again.text}`)
  return [...wrong, ...(await checked(world, false, 'after the repetition'))]
}

/** The work that follows of itself, whose nth call goes wrong. */
async function followed(
  trial: Trial,
  n: number,
  way: Way,
  many: Map<string, number>,
): Promise<{ wrong: string[]; hit: boolean }> {
  const { world } = trial
  await send(world, await begin(trial))
  let left = n
  let hit = false
  const fault: Actor['fault'] = (call) => {
    if (call.attempt === 0) return undefined
    const found = at(left, way.fault, way.lasts)(call)
    if (found) hit = true
    return found
  }
  // Calls are counted over all batches until the fault has come.
  for (let more = true; more && !hit; ) {
    let calls = 0
    more = await world.time.until(
      world.deliver((call) => {
        calls = Math.max(calls, call.n + 1)
        return way.fits(call.command ?? '') ? fault(call) : undefined
      }),
    )
    left -= calls
  }
  const wrong = hit ? await checked(world, false, 'after a failure of the projector') : []
  await world.settle()
  wrong.push(...(await checked(world, true, 'when all is settled')), ...(await inTheEnd(world, many)))
  return { wrong, hit }
}

type Faults = { only?: string | undefined; seed: number; until: number; some: number; share: Share }

/** Where there are many cases, each process has some of the kinds; where there are few, some of the faults of each. */
const MANY = 10
const shared = (kinds: number, i: number, share: Share): Share | undefined =>
  kinds < MANY * share.of ? share : isOwn(share, i) ? { at: 0, of: 1 } : undefined

/** The whole of it, or so much of it as the time allows: `until` in milliseconds of the real clock. */
export async function faults(world: World, base: Base, asked: Faults): Promise<Tally> {
  const into = tally('faults', 'faults')
  const began = Date.now()
  const wanted = [...operations.entries()].filter(
    ([, { name }]) => asked.only === undefined || isNamed(name, asked.only),
  )
  for (const [i, operation] of wanted) {
    if (Date.now() > asked.until) break
    const share = shared(wanted.length, i, asked.share)
    into.isShared = share !== asked.share
    if (!share) continue
    const trial = { world, base, operation, into, asked: asked.seed, seed: asked.seed + i }
    try {
      const calm = await untroubled(trial)
      into.kinds += 1
      await ofRequest(trial, calm, i, { ...asked, share })
      await ofProjector(trial, calm, i, { ...asked, share })
    } catch (error) {
      note(into, { ...named(trial, `${operation.name}/0/refused`), where: operation.name, what: [String(error)] })
    }
  }
  into.milliseconds = Date.now() - began
  return into
}

/** The same for the work that nobody waits for. */
export async function background(world: World, base: Base, asked: Faults): Promise<Tally> {
  const into = tally('background', 'faults')
  const began = Date.now()
  const wanted = [...jobs.entries()].filter(([, { name }]) => asked.only === undefined || isNamed(name, asked.only))
  for (const [i, job] of wanted) {
    if (Date.now() > asked.until) break
    const share = shared(wanted.length, i, asked.share)
    into.isShared = share !== asked.share
    if (!share) continue
    const site = { world, base, into, asked: asked.seed, seed: asked.seed + i }
    try {
      await ofJob(site, job, i, { ...asked, share })
    } catch (error) {
      note(into, { ...named(site, `${job.name}/0/refused`), where: job.name, what: [String(error)] })
    }
  }
  into.milliseconds = Date.now() - began
  return into
}

type Site = Pick<Trial, 'world' | 'base' | 'into' | 'asked' | 'seed'>

/** The work of a job once, by a process that a fault may end; what else is waiting for its function is done with it. */
export async function once(
  { world }: Pick<Site, 'world'>,
  job: Job,
  fault?: Actor['fault'],
): Promise<readonly string[]> {
  const { does, event } = job
  const commands: string[] = []
  const called: Actor['fault'] = (call) => {
    if (call.attempt > 0) commands[call.n] = call.command
    return fault?.(call)
  }
  const events = does === 'ocr' ? world.later.splice(0).map((it) => it.event) : [event]
  for (const each of events)
    await (typeof does === 'string'
      ? world.function(does, each, called)
      : world.run({ name: job.name, process: WORKERS, fault: called }, does)
    ).catch((error: unknown) => {
      // What fails of itself is wrong; what was made to fail is taken up again.
      if (!fault) throw error
    })
  return commands
}

/** As often as the schedule comes by until it is surely done. */
async function toItsEnd({ world }: Pick<Site, 'world'>, job: Job): Promise<void> {
  for (let visit = 0; visit < 4; visit += 1) {
    world.time.advance(job.minutes * 60_000)
    await world.settle()
    await once({ world }, job)
    await world.settle()
  }
}

type Prepared = { base: Base; commands: readonly string[]; outcome: string; many: Map<string, number> }
export async function prepared(site: Omit<Site, 'into' | 'asked'>, job: Job): Promise<Prepared> {
  const { world, base, seed } = site
  world.restore(base.saved, seed)
  await job.before(world, base)
  const own = { ...base, saved: world.save() }
  const commands = await once(site, job)
  await toItsEnd(site, job)
  return { base: own, commands, outcome: JSON.stringify(await job.outcome(world, own)), many: census(world) }
}

/** The nth call of a job goes wrong; it is taken up again, and comes to the same. */
async function resumed(site: Site, job: Job, n: number, way: Way, calm: Prepared): Promise<string[]> {
  const { world, seed } = site
  world.restore(calm.base.saved, seed)
  await once(site, job, at(n, way.fault, way.lasts))
  const wrong = job.mends ? [] : await checked(world, false, 'after the failure')
  await toItsEnd(site, job)
  wrong.push(...(await checked(world, true, 'when all is settled')), ...difference(world, calm.many))
  const outcome = JSON.stringify(await job.outcome(world, calm.base))
  if (outcome !== calm.outcome) wrong.push(`came to ${outcome} instead of ${calm.outcome}`)
  return wrong
}

/** Of a long job, where not all is tried, no more than of one with so many calls. */
const LONG_JOB = 40

async function ofJob(site: Site, job: Job, i: number, { until, some: asked, share }: Faults): Promise<void> {
  const calm = await prepared(site, job)
  const wrong = await checked(site.world, true, 'when nothing fails')
  if (wrong.length > 0) throw new Error(wrong.join('; '))
  site.into.kinds += 1
  const some = asked >= 1 ? 1 : asked * Math.min(1, LONG_JOB / calm.commands.length)
  for (const [n, command] of calm.commands.entries())
    for (const [w, way] of ways.entries()) {
      if (!way.fits(command) || !isOwn(share, n + w) || !isChosen(i * 13 + n * 7 + w, some)) continue
      if (Date.now() > until) return
      await taken(site, `${job.name}/${n}/${way.fault}`, () => resumed(site, job, n, way, calm))
    }
}

/** One case: what is wrong is noted, and the digest of the run kept. */
async function taken(site: Site, place: string, work: () => Promise<string[]>): Promise<void> {
  const { into, world } = site
  into.tried += 1
  const what = await trying(work)
  into.digest ^= hash(`${place} ${world.digest}`)
  heard.of(into.part, place)
  if (what.length > 0) note(into, { ...named(site, place), what })
}

/** How a case is tried again. */
const named = ({ asked, seed }: Pick<Site, 'asked' | 'seed'>, place: string) => ({
  where: place,
  seed,
  again: `npm run prove -- --only faults --at '${place}'${asked === 1 ? '' : ` --seed ${asked}`}`,
})

/** Every call of the request goes wrong. */
async function ofRequest(trial: Trial, calm: Calm, i: number, { until, some, share }: Faults): Promise<void> {
  for (const [n, command] of calm.answer.commands.entries())
    for (const [w, way] of ways.entries()) {
      if (way.fault === 'overtaken' && trial.operation.namesVersion) continue
      if (!way.fits(command) || !isOwn(share, n + w) || !isChosen(i * 31 + n * 7 + w, some)) continue
      if (Date.now() > until) return
      await taken(trial, `${trial.operation.name}/${n}/${way.fault}`, () => tried(trial, n, way, calm))
    }
}

/** Every call of what follows of itself goes wrong. */
async function ofProjector(trial: Trial, { many }: Calm, i: number, { until, some, share }: Faults): Promise<void> {
  for (const [w, way] of ways.filter(({ fault }) => fault !== 'partial batch').entries())
    for (let n = 0, hit = true; hit; n += 1) {
      if (!isOwn(share, n + w)) continue
      if (!isChosen(i * 17 + n * 5 + w, some)) {
        hit = n < 60
        continue
      }
      if (Date.now() > until) return
      await taken(trial, `${trial.operation.name}/follow ${n}/${way.fault}`, async () => {
        const it = await followed(trial, n, way, many)
        hit = it.hit
        return it.wrong
      })
    }
}

/** A share of the cases, the same ones each time. */
const isChosen = (n: number, share: number) => share >= 1 || (Math.imul(n + 1, 2654435761) >>> 0) / 4294967296 < share

/** Single faults, as failures name them, divided by `|`. */
export async function faultsAt(world: World, base: Base, places: string, seed: number): Promise<Tally> {
  const into = tally('faults', 'faults')
  const all = places.split('|').map(placeIn)
  for (const [name, some] of Map.groupBy(all, ({ name }) => name))
    await faultsOf({ world, base, into, asked: seed, seed }, name, some)
  return into
}

/** One fault: of which operation or job, at which call, and which way it goes wrong. */
type Place = { place: string; name: string; call: string; way: Way }
function placeIn(place: string): Place {
  const [name = '', call = '0', fault = ''] = place.split('/')
  const way = ways.find((each) => each.fault === fault)
  if (!way) throw new Error(`there is no ${place}`)
  return { place, name, call, way }
}

async function faultsOf(site: Site, name: string, places: readonly Place[]): Promise<void> {
  const [i, j] = [operations.findIndex((it) => it.name === name), jobs.findIndex((it) => it.name === name)]
  const [operation, job] = [operations[i], jobs[j]]
  site.into.kinds += 1
  if (operation) await ofOperation({ ...site, operation, seed: site.asked + i }, places)
  else if (job) await ofWork({ ...site, seed: site.asked + j }, job, places)
  else throw new Error(`there is no ${name}`)
}

async function ofOperation(trial: Trial, places: readonly Place[]): Promise<void> {
  const calm = await untroubled(trial)
  for (const { place, call, way } of places)
    await taken(trial, place, async () => {
      const n = Number(call.replace('follow ', ''))
      return call.startsWith('follow ') ? (await followed(trial, n, way, calm.many)).wrong : tried(trial, n, way, calm)
    })
  sayCalls(calm.answer.commands)
}

async function ofWork(site: Site, job: Job, places: readonly Place[]): Promise<void> {
  const calm = await prepared(site, job)
  for (const { place, call, way } of places) await taken(site, place, () => resumed(site, job, Number(call), way, calm))
  sayCalls(calm.commands, calm.outcome)
}
const sayCalls = (commands: readonly string[], ...more: readonly string[]) => {
  if (!first.ends) console.log(commands.map((command, i) => `${i} ${command}`).join(', '), ...more)
}

async function trying(work: () => Promise<string[]>): Promise<string[]> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Gone) return ['a process ended that should not have']
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)]
  }
}
