import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { newAccessRecord } from '../access/judge.ts'
import { packagesIn } from '../packages/build.ts'
import { root } from '../root.ts'
import { startIdp } from '../stand-ins/identity-provider.ts'
import type { MailCatcher } from '../stand-ins/mail-catcher.ts'
import { templateFaults } from '../template-rules.ts'
import { act, startBackground, visit, type World } from './aws/background.ts'
import { type Gateway, type Reading, readings, router, startGateway } from './aws/gateway.ts'
import { type Ending, packageStage, people, raiseGrounds, roleIn, rolesOf, surroundings } from './aws/grounds.ts'
import { startLambda } from './aws/lambda.ts'
import type { Release } from './aws/processes.ts'
import { Releases } from './aws/releases.ts'
import { type Runtime, startRuntime } from './aws/runtime.ts'
import { deadProvider } from './dead-provider.ts'
import { forgedEdge } from './edge.ts'
import { gaps } from './gaps.ts'
import { hungTable } from './hung-table.ts'
import { largeParts } from './large-parts.ts'
import { letters as letterScene } from './letters.ts'
import { everyTable } from './lists.ts'
import { pictures } from './pictures.ts'
import { placesOf, print } from './print.ts'
import { compareRights } from './report.ts'
import { tableLost } from './restore.ts'
import { type Around, everyRoute, newcomers, pictureSent, story } from './smoke.ts'
import type { GatewayRoute } from './template.ts'
import { troubles } from './troubles.ts'
import { upgrade } from './upgrade.ts'

/**
 * `npm run rehearse -- --stage STAGE [--short] [--scene NAME]...`: runs the packages of a stage as AWS would, behind stand-ins that are made from the
 * template alone. Then it compares the rights that were used with those that are granted. The exit code is 1 if a right is denied, a call
 * fails, or a right is unused. `--short` plays what goes well, and ignores unused rights. `--scene` plays
 * that scene alone, and may be given several times.
 */
const { values } = parseArgs({
  options: {
    stage: { type: 'string', default: 'prod' },
    short: { type: 'boolean', default: false },
    scene: { type: 'string', multiple: true },
  },
})
const { stage, short, scene: only } = values
const ending: Ending = []
let code = 1
try {
  code = await rehearse()
} finally {
  for (const end of ending.reverse()) await Promise.resolve(end()).catch(() => undefined)
}
process.exit(code)

async function rehearse(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'heritage-rehearsal-'))
  ending.push(() => rm(folder, { recursive: true, force: true }))
  const idp = await startIdp(0)
  ending.push(idp.stop)
  const stack = await packageStage(stage, idp.issuer, join(folder, 'stages'))
  const functions = stack.functions()
  const [roles, record, letters] = [rolesOf(stack), newAccessRecord(), new Map<string, number>()]
  const grounds = await raiseGrounds(
    stack,
    folder,
    { roles, record, meddle: async (...call) => world.meddle?.(...call) },
    ending,
  )
  const { table, bucket, parameters, mail, secretOf } = grounds
  const runtime = await startRuntime(functions, {
    folder,
    packages: (name) => join(packagesIn(root), `${name}.zip`),
    // `lambda` is set below. A function starts at its first call, which is later.
    surroundings: (name) => surroundings(name, grounds, lambda.endpoint),
    note: (name, action) => record.used.add(`${name} ${action} ${placesOf(roles, name, action)}`),
  })
  ending.push(runtime.stop)
  const invoke = (target: string, event: object, release?: Release) =>
    runtime.invoke(functions.find((it) => target.split(':')[6] === it.fullName)?.name ?? target, event, target, release)
  const world: World = {
    stack,
    roles,
    record,
    table,
    folder,
    invoke,
    releases: new Releases(stack),
    letters,
    isLate: false,
    meddle: undefined,
  }
  const lambda = await startLambda(world)
  ending.push(lambda.stop)
  await people(grounds)
  const edgeSecret = secretOf(`/heritage-${stage}/edge-secret`)
  const origins = await gateways(world, edgeSecret, bucket.endpoint)
  const [around = ''] = await gateways(world, undefined, bucket.endpoint)
  ending.push((await startBackground(world)).stop)
  console.log(`${functions.length} packages of ${stage} answer at ${origins.join(' and ')}.`)
  const doors = (release: Release) => gatewayOf(world, { restMayBeEmpty: true }, edgeSecret, bucket.endpoint, release)
  const surrounding = { around, bucket, idp: idp.issuer, stopIdp: idp.stop, mail, doors }
  const failed = await playScenes(world, runtime, origins, surrounding).catch((error: unknown) => [
    `the rehearsal came to an end: ${error instanceof Error ? error.message : error}`,
  ])
  const rights = compareRights(roles, record)
  return print({ rights, failed, errors: runtime.errors, throttled: parameters.throttled(), letters }, short)
}

/** Starts one gateway for each reading of AWS's guide: behind an edge that has this secret, or open. Returns their origins. */
async function gateways(world: World, edgeSecret: string | undefined, bucket: string): Promise<string[]> {
  const origins: string[] = []
  for (const reading of readings) {
    const gateway = await gatewayOf(world, reading, edgeSecret, bucket)
    ending.push(gateway.stop)
    origins.push(gateway.origin)
  }
  return origins
}

/** Starts a gateway. All its requests reach one release, or those that the aliases of functions name. */
function gatewayOf(
  world: World,
  reading: Reading,
  edgeSecret: string | undefined,
  bucket: string,
  release?: Release,
): Promise<Gateway> {
  const invoke = async (route: GatewayRoute, event: object) => {
    act(world, roleIn(route), ['lambda:InvokeFunction'], route.target)
    if (release) return world.invoke(route.target, event, release)
    const name = route.target.split(':')[6] ?? ''
    return world.releases.call(name, (chosen) => world.invoke(route.target, event, chosen))
  }
  return startGateway(world.stack.routes(), invoke, reading, edgeSecret, { apis: world.stack.restApis(), bucket })
}

type Surrounding = Around & {
  mail: MailCatcher
  /** A gateway around which there is no edge. */
  around: string
  stopIdp: () => Promise<void>
  doors: (release: Release) => Promise<Gateway>
}

/** Plays all scenes in turn. Returns what went wrong. */
async function playScenes(
  world: World,
  runtime: Runtime,
  origins: readonly string[],
  around: Surrounding,
): Promise<string[]> {
  const { bucket } = around
  const [origin = ''] = origins
  const choose = router(world.stack.routes(), { restMayBeEmpty: true })
  const targetOf = (path: string, method: string) => choose(path, method)?.target
  const failed: string[] = []
  const scene = async (name: string, work: () => Promise<readonly string[]>) => {
    if (only && !only.includes(name)) return
    const began = performance.now()
    const broke = (error: unknown) => [`${name}: ${error instanceof Error ? error.message : error}`]
    failed.push(...(await work().catch(broke)))
    console.log(`  ${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${name}`)
  }
  await scene('quotas and names', async () => templateFaults({ Resources: world.stack.resources }))
  await scene('newcomers', () => newcomers(origin, around, targetOf))
  await scene('what people do', () => story(origin, around))
  await scene('large parts', () => largeParts(origins, bucket))
  await scene('every route', () => everyRoute(origins, around, short))
  await scene('what comes by', () => runSchedules(world))
  await scene('letters', () => letterScene(world, origin, around.mail))
  await scene('pictures', () => pictures(world, origin, around))
  await scene('the header of the edge is forged', () => forgedEdge(origin, around.around))
  await scene('an upgrade', () => upgrade({ world, bucket }, origin, around))
  await scene('the table is lost', () => tableLost({ world, origin, bucket, doors: around.doors }, { short }))
  if (short) return failed
  await scene('the table hangs', () => hungTable(world, runtime, origin))
  await scene('what fails', () => troubles(world, runtime, () => pictureSent(origin)))
  await scene('what seldom happens', () => gaps({ world, runtime, origin, targetOf, bucket }))
  await scene('every list as a table', () => everyTable(origin, around))
  for (const each of origins) await scene(`the dashboard's calls, at ${each}`, () => replayDashboard(each))
  await scene('the identity provider is dead', () => deadProvider(runtime, origin, around, around.stopIdp))
  return failed
}

/** Runs each schedule once. Returns which failed. */
async function runSchedules(world: World): Promise<string[]> {
  const failed: string[] = []
  for (const schedule of world.stack.schedules())
    if (!(await visit(world, schedule))) failed.push(`${schedule.target} fails by its schedule`)
  return failed
}

/** Replays the dashboard's calls, if they lie beside the project. */
async function replayDashboard(origin: string): Promise<string[]> {
  const script = join(root, '../shared/acceptance/replay.mjs')
  const cases = join(root, '../shared/spec/dashboard-cases.json')
  if (!existsSync(script)) {
    console.log('The replay of the dashboard was skipped: ../shared is not there.')
    return []
  }
  // Search and lists follow a change late when many processes share a machine.
  const env = { ...process.env, BASE: origin, BASE_PROD: origin, SETTLE_MS: '20000' }
  const child = spawn(process.execPath, [script, cases], { env, stdio: 'inherit' })
  const [status] = await once(child, 'exit')
  return status === 0 ? [] : ['the replay of the dashboard']
}
