import { parseArgs } from 'node:util'
import { startService } from '../../harness/local-service.ts'
import { dice } from '../world/chance.ts'
import { type Act, type Community, nextRead, nextWrite } from './acts.ts'
import { lowest, quantile, type Sample, slope } from './measure.ts'
import { gather } from './people.ts'
import { residentUnder } from './processes.ts'

const usage = `npm run soak [-- --minutes M] [--writes N] [--reads N] [--reviewers N] [--seed N]

Starts the service as npm start does, in a folder of its own, and lets people use it: N writes and N reads a second (20), under 50
reviewers, for 5 minutes. Fails where an answer is a failure or an unexpected one, where the rate is not kept, where the
memory of a process grows after warming up, or where what follows of a write comes 2 seconds late or more; 5 where the machine has no
processor to spare, so that requests take more than half a second (p99).`

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    writes: { type: 'string', default: '20' },
    reads: { type: 'string', default: '20' },
    reviewers: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(usage)
  process.exit(0)
}

/** So much of the time is warming up: caches fill, functions are compiled. */
const WARM = 0.25
/** What is promised of what follows of a write. It shares the processors with requests, so it waits where these wait. */
const LATEST_S = { 'in time': 2, busy: 5 } as const
/** A machine is busy where one request of a hundred takes longer, in milliseconds. */
const BUSY_MS = 500
const KEPT = 0.95
/** Memory may grow by this share of itself in the time that is watched: less than what one collection more or less makes. */
const GROWTH = 0.1
/** More than this under way is a service that does not keep up: what would come then is not sent, and the rate not kept. */
const MOST = 200

const seconds = Number(values.minutes) * 60
const [writes, reads] = [Number(values.writes), Number(values.reads)]
const { origin, pid, stop } = await startService()
const wrong: string[] = []
const took = new Map<string, number[]>()
const done = { writes: 0, reads: 0 }
const behind: Sample[] = []
const followed: Sample[] = []
/** The memory of each process of the service, in MB. */
const memory = new Map<string, Sample[]>()
let under = 0
let began = 0
const now = () => (performance.now() - began) / 1000
const isWarm = ({ at }: Sample) => at > seconds * WARM

/** Sends one and holds its answer against what is right. */
async function act(it: Act): Promise<boolean> {
  const { name, who, method, path, body, learn } = it
  const from = performance.now()
  try {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(who && { authorization: `Bearer ${who.token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const all = took.get(name) ?? []
    took.set(name, [...all, performance.now() - from])
    if (!it.right.includes(response.status))
      wrong.push(`${method} ${path} gave ${response.status}: ${text.slice(0, 300)}`)
    else if (response.ok) learn?.(text === '' ? undefined : JSON.parse(text))
    return response.ok
  } catch (error) {
    wrong.push(`${method} ${path}: ${error instanceof Error ? error.message : error}`)
    return false
  }
}

/** So many a second, whether the ones before are answered or not. */
async function steadily(rate: number, sort: keyof typeof done, next: () => Act): Promise<void> {
  for (let n = 0; now() < seconds; n += 1) {
    await until(n / rate)
    if (under >= MOST) continue
    under += 1
    void act(next()).finally(() => {
      under -= 1
      done[sort] += 1
    })
  }
}
const pause = (milliseconds: number) => new Promise<void>((over) => void setTimeout(over, milliseconds))
const until = (at: number) => pause(Math.max(0, (at - now()) * 1000))

/** What the service says of itself. */
async function told(path: string): Promise<string> {
  const response = await fetch(`${origin}${path}`)
  return response.text()
}

/** The lag that the service tells, and its memory, each second. */
async function watch(): Promise<void> {
  for (let n = 1; now() < seconds; n += 1) {
    await until(n)
    const health = await told('/health/detailed/').catch(() => '')
    const at = now()
    const late = /It is ([\d.]+) s behind/.exec(health)
    if (health !== '') behind.push({ at, value: Number(late?.[1] ?? 0) })
    if (/put aside/.test(health)) wrong.push(`the projector has put changes aside: ${health}`)
    for (const { name, bytes } of residentUnder(pid)) {
      const samples = memory.get(name) ?? []
      memory.set(name, [...samples, { at, value: bytes / 1e6 }])
    }
  }
}

/** How long it takes from a comment until the one whose record it is on is told of it. */
async function probe(community: Community): Promise<void> {
  const [owner, other] = community.people.probed
  const [decider] = community.people.deciders
  if (!owner || !other || !decider) throw new Error('nobody is there')
  const record = { id: 0, entity: '' }
  const body = { name: 'Where it is measured', assertion: { source_type: 'book', source_citation: 'A survey' } }
  await act({
    ...post('/cidoc/structures/', body),
    who: owner,
    learn: (it) => Object.assign(record, it, { entity: it.cultural_entity_id }),
  })
  await act({ ...post(`/data/review-workspace/${record.entity}/decide/`, { verdict: 'accept' }), who: decider })
  for (let n = 1; now() < seconds - 10; n += 1) {
    await until(n * 2)
    const before = await latestFor(owner.token)
    const from = now()
    if (!(await act({ ...post(`/data/entities/${record.entity}/comments/`, { comment: `Number ${n}` }), who: other })))
      continue
    const committed = now()
    while ((await latestFor(owner.token)) === before && now() - committed < 60) await pause(100)
    followed.push({ at: from, value: now() - committed })
  }
}
const post = (path: string, body: object) => ({ name: 'probe', method: 'POST', path, body, right: [201] })
/** The id of somebody's latest notification. A count would not do: it is exact up to 100 alone. */
async function latestFor(token: string): Promise<string | undefined> {
  const ask = () => fetch(`${origin}/data/notifications/?limit=1`, { headers: { authorization: `Bearer ${token}` } })
  // A kept connection may be closed at the moment when it is used: then a read is sent again, as browsers do (RFC 9110, 9.2.2).
  const response = await ask().catch(ask)
  return Object(await response.json()).results?.[0]?.notification_id
}

/** Which promises are broken, in sentences. */
function broken(): string[] {
  const processes = [...memory].map(([name, samples]) => {
    const warm = samples.filter(isWarm)
    const values = warm.map(({ value }) => value)
    return { name, typical: quantile(values, 0.5), grown: slope(lowest(warm, 10)) * seconds * (1 - WARM) }
  })
  const late = Math.max(0, ...[...behind, ...followed].filter(isWarm).map(({ value }) => value))
  const latest = LATEST_S[quantile([...took.values()].flat(), 0.99) > BUSY_MS ? 'busy' : 'in time']
  const kept = done.writes / (seconds * writes)
  if (processes.length === 0) console.log('memory: this system does not tell what a process has')
  for (const { name, typical, grown } of processes)
    console.log(`memory of ${name}: ${typical.toFixed(0)} MB, ${grown.toFixed(1)} MB more over the time watched`)
  console.log(
    `told behind: ${Math.max(0, ...behind.map(({ value }) => value))} s at most, ${Math.max(0, ...behind.filter(isWarm).map(({ value }) => value))} s after warming up; followed in ${quantile(
      followed.map(({ value }) => value),
      0.5,
    ).toFixed(2)} s (median), ${late.toFixed(2)} s at most after warming up, ${followed.length} times`,
  )
  return [
    ...(wrong.length > 0 ? [`${wrong.length} answers were wrong`] : []),
    ...(kept < KEPT ? [`${(kept * writes).toFixed(1)} writes a second were taken instead of ${writes}`] : []),
    ...processes.flatMap(({ name, typical, grown }) =>
      grown > GROWTH * typical ? [`the memory of ${name} grew by ${grown.toFixed(0)} MB`] : [],
    ),
    ...(late >= latest ? [`what follows came ${late.toFixed(1)} s late, and ${latest} s are promised`] : []),
    ...(behind.length === 0 || followed.length === 0 ? ['nothing was measured'] : []),
  ]
}

function report(): void {
  for (const [name, all] of [...took].sort(([a], [b]) => a.localeCompare(b))) {
    const [half, most] = [quantile(all, 0.5), quantile(all, 0.99)]
    console.log(
      `${name.padEnd(18)} ${String(all.length).padStart(6)}  median ${half.toFixed(0)} ms, p99 ${most.toFixed(0)} ms`,
    )
  }
  const all = [...took.values()].flat()
  console.log(
    `all: ${all.length} requests in ${seconds} s, ${done.writes} writes, p99 ${quantile(all, 0.99).toFixed(0)} ms`,
  )
  for (const each of [...new Set(wrong)].slice(0, 10)) console.log(`  ${each}`)
}

let code = 1
try {
  const people = await gather(origin, Number(values.reviewers))
  const community: Community = { people, waiting: [], open: [], chance: dice(Number(values.seed)), made: 0 }
  began = performance.now()
  await Promise.all([
    steadily(writes, 'writes', () => nextWrite(community)),
    steadily(reads, 'reads', () => nextRead(community)),
    watch(),
    probe(community),
  ])
  for (let left = 30; under > 0 && left > 0; left -= 1) await pause(1000)
  report()
  const promises = broken()
  console.log(promises.length === 0 ? 'soak: every promise was kept' : `soak: ${promises.join('; ')}`)
  code = promises.length === 0 ? 0 : 1
} finally {
  await stop()
}
process.exit(code)
