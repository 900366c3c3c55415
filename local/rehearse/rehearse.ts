import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { newRecord, type Roles } from '../access/judge.ts'
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
import { startBackground, visit } from './background.ts'
import { router, startGateway } from './gateway.ts'
import { startParameters } from './parameters.ts'
import { placesOf, print } from './print.ts'
import { compare } from './report.ts'
import { startRuntime } from './runtime.ts'
import { everyRoute, newcomers, story } from './smoke.ts'
import { Stack } from './template.ts'
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

async function rehearse(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'heritage-rehearsal-'))
  ending.push(() => rm(folder, { recursive: true, force: true }))
  const idp = await startIdp(0)
  ending.push(idp.stop)
  const stack = await packaged(idp.issuer)
  const functions = stack.functions()
  const byName = new Map(functions.map((it) => [it.name, it]))
  const roleOf = (name: string) => byName.get(name)?.role ?? ''
  const roles: Roles = new Map([...rolesIn([...byName.keys()], roleOf, stack.resources)])
  const record = newRecord()

  const emulator = await startEmulator({ port: await freePort(), file: join(folder, 'dynamodb.sqlite') })
  ending.push(emulator.stop)
  const table = String(stack.properties('Table').TableName)
  const bucket = String(stack.properties('Bucket').BucketName)
  await createTable(emulator.endpoint, table, loadStack().table)
  const gate = await startTableGate(emulator.endpoint, roles, record)
  const files = await startS3({
    port: 0,
    directory: join(folder, 's3'),
    bucket,
    access: { roles: () => roles, record },
  })
  const secrets = new Map<string, string>()
  const parameters = await startParameters(roles, record, (name) => {
    if (name.endsWith('-fallbacks')) return undefined
    if (!secrets.has(name)) secrets.set(name, randomBytes(32).toString('hex'))
    return secrets.get(name)
  })
  ending.push(gate.stop, files.stop, parameters.stop)

  const runtime = startRuntime(functions, {
    folder,
    packages: (name) => join(packagesIn(root), `${name}.zip`),
    variables: (name) => ({
      ...byName.get(name)?.variables,
      ...{
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: name,
        AWS_SECRET_ACCESS_KEY: 'local',
        AWS_SESSION_TOKEN: 'session',
      },
      ...{
        AWS_ENDPOINT_URL_DYNAMODB: gate.endpoint,
        AWS_ENDPOINT_URL_S3: files.endpoint,
        AWS_ENDPOINT_URL_SSM: parameters.endpoint,
      },
      // The local server does not read trailing checksums.
      AWS_REQUEST_CHECKSUM_CALCULATION: 'WHEN_REQUIRED',
    }),
    note: (name, action) => record.used.add(`${name} ${action} ${placesOf(roles, name, action)}`),
  })
  ending.push(runtime.stop)
  const invoke = (target: string, event: object) => {
    const found = functions.find((it) => target.endsWith(`:${it.fullName}`))
    return runtime.invoke(found?.name ?? target, event)
  }
  const letters = new Map<string, number>()
  const target = { endpoint: emulator.endpoint, name: table }
  const world = { stack, roles, record, table: target, folder, invoke, letters }

  Object.assign(process.env, {
    ...{ STAGE: 'local', TABLE_NAME: table, BUCKET_NAME: bucket, LOG_LEVEL: 'silent', ALLOWED_HOSTS: '' },
    ...{ DYNAMODB_ENDPOINT: emulator.endpoint, S3_ENDPOINT: files.endpoint },
  })
  const { seedUsers } = await import('../service/users.ts')
  await seedUsers()
  const gateway = await startGateway(stack.routes(), invoke)
  ending.push(gateway.stop)
  const background = await startBackground(world)
  ending.push(background.stop)

  console.log(`${functions.length} packages of ${stage} answer at ${gateway.origin}.`)
  const around = { bucket: { name: bucket, endpoint: files.endpoint }, idp: idp.issuer }
  const choose = router(stack.routes())
  const failed = [
    ...(await newcomers(gateway.origin, around, (path, method) => choose(path, method)?.target)),
    ...(await story(gateway.origin, around)),
    ...(await everyRoute(gateway.origin, around)),
  ]
  const schedules = stack.schedules()
  for (const schedule of schedules)
    if (!(await visit(world, schedule))) failed.push(`${schedule.target} fails by its schedule`)
  if (!short) failed.push(...replayed(gateway.origin))
  failed.push(
    ...(await troubles(world, runtime, () => story(gateway.origin, around, ['a record', 'files of a project']))),
  )
  const origins = await originsOf(root, [...byName.keys()])
  const finding = compare(roles, record, (name, action, resource) => {
    const place = resource
      .replace(`arn:aws:s3:::${bucket}`, 'Bucket')
      .replace(/^.*:table\/[^/]+/, 'Table')
      .replace(/\/index\/.*/, '/index')
    return origins.get(name)?.get(`${action} ${place}`) ?? []
  })
  return print({ finding, failed, errors: runtime.errors, throttled: parameters.throttled(), letters })
}

/** The calls of the dashboard, where they lie beside the project. */
function replayed(origin: string): string[] {
  const script = join(root, '../shared/acceptance/replay.mjs')
  const cases = join(root, '../shared/spec/dashboard-cases.json')
  if (!existsSync(script)) {
    console.log('The replay of the dashboard was skipped: ../shared is not there.')
    return []
  }
  const { status } = spawnSync(process.execPath, [script, cases], {
    env: { ...process.env, BASE: origin, BASE_PROD: origin },
    stdio: 'inherit',
  })
  return status === 0 ? [] : ['the replay of the dashboard']
}
