import { tryRelease } from '../canary.ts'
import { lambdaIn, listReleases, moveTraffic, prepareAliases, releasedFunctions, stepsBackTo } from '../releases.ts'
import type { World } from './aws/background.ts'
import { expectSaid, runCommand, type Stage } from './commands.ts'
import { type Around, tokenOf } from './smoke.ts'
import { ask, good } from './speaker.ts'
import { type Visitors, visitorsCome } from './visitors.ts'

const region = 'us-east-1'
/** The releases of this scene. Their names are in the order in which they are made. */
const [FAULTY, GOOD] = ['2001 faulty', '2002 good']
/** How long a good release is tried, in seconds, where an operator waits for five minutes. */
const SECONDS = 2

/**
 * An operator's second walk, while visitors ask all the time:
 *
 * 1. A release does not start. A tenth of the requests tries it, an alarm of the template rings, and it is taken back.
 * 2. The next one is good, and all requests reach it.
 * 3. The table is migrated to the layout of this version. An earlier version has made it: all steps are undone first.
 * 4. The steps are undone, and the release rolled back.
 *
 * Returns what went wrong.
 */
export async function upgrade(stage: Stage, origin: string, { idp }: Around): Promise<string[]> {
  const { releases } = stage.world
  const cloud = await releases.listen()
  const endpoint = `http://127.0.0.1:${cloud.port}`
  const account = { AWS_ENDPOINT_URL_LAMBDA: endpoint, AWS_ENDPOINT_URL_CLOUDWATCH: endpoint, ...operator }
  const before = { ...process.env }
  Object.assign(process.env, account)
  const failed: string[] = []
  const chapter = async (name: string, work: () => Promise<void>) =>
    work().catch((error: unknown) => void failed.push(`${name}: ${error instanceof Error ? error.message : error}`))
  await prepareAliases(lambdaIn(region), names(stage.world))
  await chapter('a release that does not start', () => faultyRelease(stage.world, origin))
  await chapter('a release that goes well', () => goodRelease(stage.world, origin))
  await chapter('a migration under load', () => migration(stage, origin, idp))
  await chapter('a rollback', () => rollback(stage.world, origin))
  for (const name of Object.keys(account)) delete process.env[name]
  Object.assign(process.env, before)
  await cloud.stop()
  return failed
}

const operator = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' }
const serviceOf = ({ stack }: World) => String(stack.properties('Table').TableName).split('-').slice(0, 2).join('-')
const names = (world: World) => releasedFunctions(serviceOf(world))
const questions = (origin: string) => [
  () => ask(origin, 'GET', '/cidoc/structures/'),
  () => ask(origin, 'GET', '/cidoc/structures/?limit=2'),
  () => ask(origin, 'GET', '/data/leaderboard/'),
]

async function tryIt(world: World, release: string, seconds: number): Promise<string[]> {
  return tryRelease({ service: serviceOf(world), region, release, seconds, pauseMs: 100 })
}

async function faultyRelease(world: World, origin: string): Promise<void> {
  // The service refuses to start with it: what calls the function gets an error of Lambda.
  world.releases.variables.set(FAULTY, { SECRET_KEY: 'short' })
  const visitors = visitorsCome(questions(origin))
  const rang = await tryIt(world, FAULTY, 60)
  await visitors.leave()
  if (rang.length === 0) throw new Error('no alarm rang')
  const share = visitors.bad.length / (visitors.good + visitors.bad.length)
  if (share > 0.2) throw new Error(`${(share * 100).toFixed(0)} % of the requests met it`)
  const after = visitorsCome(questions(origin))
  await after.leave()
  expectGood(after)
  world.releases.pass()
}

async function goodRelease(world: World, origin: string): Promise<void> {
  const visitors = visitorsCome(questions(origin))
  const rang = await tryIt(world, GOOD, SECONDS)
  await visitors.leave()
  if (rang.length > 0) throw new Error(`${rang} rang`)
  expectGood(visitors)
  if (!world.releases.calls.get(GOOD)) throw new Error('nobody has tried it')
  const [latest] = await listReleases(lambdaIn(region), names(world))
  if (latest?.release !== GOOD || !latest.live) throw new Error('it is not live')
}

async function migration(stage: Stage, origin: string, idp: string): Promise<void> {
  const headers = { authorization: `Bearer ${await tokenOf(idp, 'known0@example.org')}` }
  const comeByProvider = () => ask(origin, 'GET', '/data/user/me/', { headers })
  good(await comeByProvider())
  expectSaid(await runCommand(stage, 'migrate'), 'Done.')
  await undoAll(stage)
  const [before] = await subjects()
  if (!before) throw new Error('nobody has signed in by the provider')
  const visitors = visitorsCome([...questions(origin), comeByProvider])
  const said = await runCommand(stage, 'migrate')
  await visitors.leave()
  expectSaid(said, 'Done.')
  expectGood(visitors)
  if ((await subjects())[0]) throw new Error('some people have the earlier form')
  const { said: status } = await runCommand(stage, 'migrate', 'status')
  const [, layout, newest] = /has layout (\d+); this version makes layout (\d+)\./.exec(status) ?? []
  if (layout === undefined || layout !== newest) throw new Error(status)
  await undoAll(stage)
  const [after] = await subjects()
  if (after !== before) throw new Error(`${before} people had the earlier form, and now ${after}`)
}

/** Takes back every step that this version knows, the last one first. */
async function undoAll(stage: Stage): Promise<void> {
  expectSaid(await runCommand(stage, 'migrate', 'undo'), 'Done.')
  for (let more = true; more; ) more = (await runCommand(stage, 'migrate', 'undo')).code === 0
}

/** How many people have a subject in the earlier form, under the name of the provider, and how many under its issuer. */
async function subjects(): Promise<[earlier: number, now: number]> {
  const { inTable } = await import('./gaps.ts')
  const all = (await inTable((it) => it.type === 'user')).map((it) => Object.keys(Object(it.subjects)))
  return [all.filter((it) => it.includes('idp')).length, all.filter((it) => it.some((name) => name !== 'idp')).length]
}

async function rollback(world: World, origin: string): Promise<void> {
  const client = lambdaIn(region)
  const [first] = (await listReleases(client, names(world))).reverse()
  const steps = await stepsBackTo(client, names(world), first?.release ?? '')
  if (steps.length !== names(world).length) throw new Error(`${steps.length} functions go back`)
  const visitors = visitorsCome(questions(origin))
  await moveTraffic(client, steps)
  await visitors.leave()
  expectGood(visitors)
}

function expectGood({ good, bad }: Visitors): void {
  if (bad.length > 0 || good === 0) throw new Error(`${good} good answers, and ${bad.slice(0, 3).join('; ')}`)
}
