import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type AccessRecord, newRecord, type Roles } from '../access/judge.ts'
import { startTableGate } from '../access/table-gate.ts'
import { rolesIn } from '../access/template.ts'
import { packagesIn } from '../deploy/build.ts'
import { originsOf } from '../deploy/reach.ts'
import { loadStack } from '../deploy/stack.ts'
import { startEmulator } from '../service/emulator.ts'
import { startIdp } from '../service/identity-provider.ts'
import { root } from '../service/paths.ts'
import { freePort } from '../service/ports.ts'
import { startS3 } from '../service/s3.ts'
import { createTable } from '../service/table.ts'
import { act, startBackground, visit, type World } from './background.ts'
import { readings, router, startGateway } from './gateway.ts'
import { startLambda } from './lambda.ts'
import { startParameters } from './parameters.ts'
import { placesOf, print } from './print.ts'
import { compare } from './report.ts'
import { type Runtime, startRuntime } from './runtime.ts'
import { type Around, everyRoute, newcomers, story } from './smoke.ts'
import { type Route, Stack } from './template.ts'
import { troubles } from './troubles.ts'

/**
 * `npm run rehearse -- --stage STAGE [--short]`: runs the packages of a stage as AWS would, behind stand-ins that are made
 * from the template alone, and holds what was used against what is granted. Exit code 1 when something is denied, a call
 * fails, or a right is unused that nothing explains. `--short` leaves the replay of the dashboard's calls out.
 */
const { values } = parseArgs({ options: { stage: { type: 'string' }, short: { type: 'boolean', default: false } } })
const { stage = 'prod', short } = values
const ending: (() => unknown)[] = []
let code = 1
try {
  code = await rehearse()
} finally {
  for (const end of ending.reverse()) await Promise.resolve(end()).catch(() => undefined)
}
process.exit(code)

/** What an operator decides: whose browsers may call, and who says who somebody is. */
async function packaged(idp: string): Promise<Stack> {
  const directory = join('.build/rehearsal', stage)
  const kept = existsSync(packagesIn(root)) && process.env.BUNDLES === 'kept'
  execFileSync(
    process.execPath,
    [join(root, 'node_modules/serverless/bin/serverless.js'), 'package', '--stage', stage, '--package', directory],
    {
      ...{ cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
      env: {
        ...process.env,
        ...(kept && { BUNDLES: 'kept' }),
        ...{
          CORS_ORIGINS: 'http://localhost:3000',
          EXTRA_HOSTS: 'localhost',
          REVIEW_WEBHOOK_URL: 'https://reviews.invalid/hook',
        },
        ...{ IDP_CLIENT_ID: 'heritage-local', IDP_ISSUER: idp, IDP_USERINFO_URL: `${idp}/userinfo` },
        ...{ IDP_TOKENINFO_URL: `${idp}/introspection`, IDP_JWKS_URL: `${idp}/jwks` },
      },
    },
  )
  return new Stack(
    JSON.parse(await readFile(join(root, directory, 'cloudformation-template-update-stack.json'), 'utf8')),
  )
}

/** What stands in for AWS: the table, the bucket and the parameters, each held to the roles of the template. */
async function raise(stack: Stack, folder: string, roles: Roles, record: AccessRecord) {
  const emulator = await startEmulator({ port: await freePort(), file: join(folder, 'dynamodb.sqlite') })
  ending.push(emulator.stop)
  const table = { endpoint: emulator.endpoint, name: String(stack.properties('Table').TableName) }
  await createTable(table.endpoint, table.name, loadStack().table)
  const gate = await startTableGate(table.endpoint, roles, record)
  ending.push(gate.stop)
  const name = String(stack.properties('Bucket').BucketName)
  const access = { roles: () => roles, record }
  const files = await startS3({ port: 0, directory: join(folder, 's3'), bucket: name, access })
  ending.push(files.stop)
  const secrets = new Map<string, string>()
  const parameters = await startParameters(roles, record, (path) => {
    if (path.endsWith('-fallbacks')) return undefined
    if (!secrets.has(path)) secrets.set(path, randomBytes(32).toString('hex'))
    return secrets.get(path)
  })
  ending.push(parameters.stop)
  return { table, gate, bucket: { name, endpoint: files.endpoint }, parameters }
}

type Grounds = Awaited<ReturnType<typeof raise>>

/** What Lambda adds to the variables of a function; it signs with its own name. */
function surroundings(name: string, { gate, bucket, parameters }: Grounds, lambda: string): NodeJS.ProcessEnv {
  return {
    ...{
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: name,
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_SESSION_TOKEN: 'session',
    },
    ...{ AWS_ENDPOINT_URL_DYNAMODB: gate.endpoint, AWS_ENDPOINT_URL_S3: bucket.endpoint },
    ...{ AWS_ENDPOINT_URL_SSM: parameters.endpoint, AWS_ENDPOINT_URL_LAMBDA: lambda },
    // The local server does not read trailing checksums.
    AWS_REQUEST_CHECKSUM_CALCULATION: 'WHEN_REQUIRED',
  }
}

/** The roles of functions by the function's name, those by which the gateway invokes by their own. */
function rolesOf(stack: Stack): Roles {
  const byName = new Map(stack.functions().map(({ name, role }) => [name, role]))
  for (const name of stack.routes().map(roleIn)) byName.set(name, name)
  return rolesIn([...byName.keys()], (name) => byName.get(name) ?? '', stack.resources)
}

function roleIn({ role }: Route): string {
  return role.split('/').at(-1) ?? ''
}

/** Makes the seeded people, as whoever owns the account. */
async function people({ table, bucket }: Grounds): Promise<void> {
  Object.assign(process.env, {
    ...{ STAGE: 'local', TABLE_NAME: table.name, BUCKET_NAME: bucket.name, LOG_LEVEL: 'silent', ALLOWED_HOSTS: '' },
    ...{ DYNAMODB_ENDPOINT: table.endpoint, S3_ENDPOINT: bucket.endpoint },
  })
  const { seedUsers } = await import('../service/users.ts')
  await seedUsers()
}

async function rehearse(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'heritage-rehearsal-'))
  ending.push(() => rm(folder, { recursive: true, force: true }))
  const idp = await startIdp(0)
  ending.push(idp.stop)
  const stack = await packaged(idp.issuer)
  const functions = stack.functions()
  const [roles, record, letters] = [rolesOf(stack), newRecord(), new Map<string, number>()]
  const grounds = await raise(stack, folder, roles, record)
  const { table, bucket, parameters } = grounds
  const runtime = await startRuntime(functions, {
    folder,
    packages: (name) => join(packagesIn(root), `${name}.zip`),
    // A function starts when it is called, and that is after the stand-ins.
    surroundings: (name) => surroundings(name, grounds, lambda.endpoint),
    note: (name, action) => record.used.add(`${name} ${action} ${placesOf(roles, name, action)}`),
  })
  ending.push(runtime.stop)
  const invoke = (target: string, event: object) =>
    runtime.invoke(functions.find((it) => target.endsWith(`:${it.fullName}`))?.name ?? target, event)
  const world = { stack, roles, record, table, folder, invoke, letters }
  const lambda = await startLambda(world)
  ending.push(lambda.stop)
  await people(grounds)
  const origins = await gateways(world)
  ending.push((await startBackground(world)).stop)
  console.log(`${functions.length} packages of ${stage} answer at ${origins.join(' and ')}.`)
  const failed = await played(world, runtime, origins, { bucket, idp: idp.issuer }).catch((error: unknown) => [
    `the rehearsal came to an end: ${error instanceof Error ? error.message : error}`,
  ])
  const names = functions.map(({ name }) => name)
  const finding = compare(roles, record, await askers(names, bucket.name))
  return print({ finding, failed, errors: runtime.errors, throttled: parameters.throttled(), letters })
}

/** One gateway for each reading of its guide; answers where they are. */
async function gateways(world: World): Promise<string[]> {
  const routes = world.stack.routes()
  const origins: string[] = []
  for (const reading of readings) {
    const invoke = async (route: Route, event: object) => {
      act(world, roleIn(route), ['lambda:InvokeFunction'], route.target)
      return world.invoke(route.target, event)
    }
    const gateway = await startGateway(routes, invoke, reading)
    ending.push(gateway.stop)
    origins.push(gateway.origin)
  }
  return origins
}

/** Everything that is tried, in turn. Answers what went wrong. */
async function played(world: World, runtime: Runtime, origins: readonly string[], around: Around): Promise<string[]> {
  const [origin = '', other = ''] = origins
  const choose = router(world.stack.routes(), { restMayBeEmpty: true })
  const failed = [
    ...(await newcomers(origin, around, (path, method) => choose(path, method)?.target)),
    ...(await story(origin, around)),
    ...(await everyRoute(origin, around)),
    ...(await everyRoute(other, around)),
  ]
  for (const schedule of world.stack.schedules())
    if (!(await visit(world, schedule))) failed.push(`${schedule.target} fails by its schedule`)
  failed.push(...(await troubles(world, runtime, () => story(origin, around, ['files of a project']))))
  if (short) return failed
  for (const each of origins) failed.push(...(await replayed(each)))
  return failed
}

/** Answers which files ask for a right, by function, action and resource. */
async function askers(names: readonly string[], bucket: string) {
  const origins = await originsOf(root, names)
  return (name: string, action: string, resource: string): readonly string[] => {
    const place = resource
      .replace(`arn:aws:s3:::${bucket}`, 'Bucket')
      .replace(/^.*:table\/[^/]+/, 'Table')
      .replace(/\/index\/.*/, '/index')
    return origins.get(name)?.get(`${action} ${place}`) ?? []
  }
}

/** The calls of the dashboard, where they lie beside the project. */
async function replayed(origin: string): Promise<string[]> {
  const script = join(root, '../shared/acceptance/replay.mjs')
  const cases = join(root, '../shared/spec/dashboard-cases.json')
  if (!existsSync(script)) {
    console.log('The replay of the dashboard was skipped: ../shared is not there.')
    return []
  }
  // What follows a change may take a while where many processes share a machine.
  const env = { ...process.env, BASE: origin, BASE_PROD: origin, SETTLE_MS: '20000' }
  const child = spawn(process.execPath, [script, cases], { env, stdio: 'inherit' })
  const [status] = await once(child, 'exit')
  return status === 0 ? [] : ['the replay of the dashboard']
}
