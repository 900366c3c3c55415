import { readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AccessRecord, newRecord, type Roles } from '../access/judge.ts'
import { localIdentity, roleResources, rolesFor } from '../access/local-roles.ts'
import { startTableGate } from '../access/table-gate.ts'
import { loadFunctions, loadStack } from '../deploy/stack.ts'
import { startEmulator } from './emulator.ts'
import { loadFollowers, loadProjector, through } from './followers.ts'
import { delivering, type Functions, startFunctions } from './functions.ts'
import { startIdp } from './identity-provider.ts'
import { checkLayout } from './layout.ts'
import { startMailCatcher } from './mail-catcher.ts'
import { directory, pidFile, root } from './paths.ts'
import { ensureFree } from './ports.ts'
import { startReceiver } from './receiver.ts'
import { startS3 } from './s3.ts'
import { caller, shared, startPump } from './stream-pump.ts'
import { createTable } from './table.ts'

/** An emulator of the user's own, if there is one. */
const outside = process.env.DYNAMODB_ENDPOINT
/** So long the stream keeps a change. */
const DAY_MS = 86_400_000
/** Who comes by, and how often: where they are deployed it is every minute, and every 15 minutes for the seldom chores. */
const comingBy: readonly { name: string; seconds: number; event?: object; alone?: boolean }[] = [
  ...['webhooks', 'letters', 'merger', 'importer'].map((name) => ({ name, seconds: 2 })),
  { name: 'sweeper', seconds: 10, event: { chores: 'often' } },
  // It packs search, which is seconds of work.
  { name: 'sweeper', seconds: 150, event: { chores: 'seldom' }, alone: true },
]

/** What must be stopped, in the order it was started. */
const running: (() => Promise<unknown>)[] = []
let ending = false

process.on('SIGINT', () => void end(0))
process.on('SIGTERM', () => void end(0))
process.on('SIGHUP', () => void end(0))
endWithNpm()
try {
  await start()
} catch (error) {
  if (!ending) console.error(`Cannot start: ${error instanceof Error ? error.message : error}`)
  await end(1)
}

/** The stack with its addresses, once the environment is set and the ports are known to be free. */
async function prepare() {
  if (!process.env.REVIEW_WEBHOOK_URL) {
    const receiver = await startReceiver()
    process.env.REVIEW_WEBHOOK_URL = receiver.url
    running.push(receiver.stop)
  }
  const stack = loadStack()
  Object.assign(process.env, stack.environment)
  const { DYNAMODB_ENDPOINT = '', S3_ENDPOINT = '', IDP_ISSUER = '', SES_ENDPOINT = '' } = stack.environment
  const ports = {
    API: Number(stack.offline.httpPort),
    functions: Number(stack.offline.lambdaPort),
    S3: portOf(S3_ENDPOINT),
    'identity provider': portOf(IDP_ISSUER),
    mail: portOf(SES_ENDPOINT),
  }
  await ensureFree(outside ? ports : { ...ports, DynamoDB: portOf(DYNAMODB_ENDPOINT) })
  return { stack, ports }
}

/** Brings everything up, each part as soon as what it needs is there. */
async function start(): Promise<void> {
  const { stack, ports } = await prepare()
  const { TABLE_NAME = '', BUCKET_NAME = '', DYNAMODB_ENDPOINT = '' } = stack.environment
  await mkdir(directory, { recursive: true })
  if (!outside) await checkLayout()
  await writeFile(pidFile, String(process.pid))
  running.push(() => rm(pidFile, { force: true }))

  const resources = await roleResources(root, Object.keys(loadFunctions()))
  const access = { roles: rolesFor(resources, { table: TABLE_NAME, bucket: BUCKET_NAME }), record: newRecord() }
  // Functions come to the table through it, each held to its role; commands and the stream's pumps go there themselves.
  const gate = await startTableGate(DYNAMODB_ENDPOINT, access.roles, access.record)
  running.push(gate.stop)
  const serving = startFunctions(gate.endpoint, running)
  // Whoever waits for it comes later; its failure must not count as unhandled until then.
  serving.catch(() => undefined)
  if (!outside) {
    const emulator = await startEmulator({ port: portOf(DYNAMODB_ENDPOINT), file: join(directory, 'dynamodb.sqlite') })
    running.push(emulator.stop)
    emulator.process.once('exit', () => void fail('The DynamoDB emulator ended.'))
  }
  const origins = (stack.environment.CORS_ORIGINS ?? '').split(',').filter(Boolean)
  const files = await startS3({
    port: ports.S3,
    directory: join(directory, 's3'),
    bucket: BUCKET_NAME,
    origins,
    access: { ...access, roles: () => access.roles },
  })
  running.push(files.stop)
  const mail = await catchMail(ports.mail, access)
  const idp = await startIdp(ports['identity provider'])
  running.push(idp.stop)
  await createTable(DYNAMODB_ENDPOINT, TABLE_NAME, stack.table)
  // These read the configuration, which is complete from here on.
  const [{ seed }, { page }] = await Promise.all([import('./seed.ts'), import('./page.ts')])
  // For `npm run restore`, which builds a service from nothing.
  if (!process.argv.includes('--empty')) await seed()
  const functions = await serving
  void functions.ended.then(fail)
  await startBackground({ endpoint: DYNAMODB_ENDPOINT, table: TABLE_NAME }, functions)
  // Nobody waits for these: they are there a moment later.
  void startExports()
  console.log(
    page({
      api: `http://localhost:${ports.API}`,
      idp: idp.issuer,
      s3: files.endpoint,
      mail: mail.endpoint,
      dynamodb: DYNAMODB_ENDPOINT,
      directory,
      seconds: process.uptime().toFixed(1),
    }),
  )
}

type Access = { roles: Roles; record: AccessRecord }

/** Letters are shown on a page instead of being sent. */
async function catchMail(port: number, { roles, record }: Access) {
  const mail = await startMailCatcher({ port, identity: localIdentity, access: { roles: () => roles, record } })
  running.push(mail.stop)
  return mail
}

/** What nobody calls: the projector and the other followers of the table, and the functions that come by. */
async function startBackground(
  at: { endpoint: string; table: string },
  { invoke, invokeAlone }: Functions,
): Promise<void> {
  const { wants, batchSize } = loadProjector()
  const call = shared(caller(at.endpoint))
  running.push(
    startPump({ ...at, call, wants, batchSize, maximumAgeMs: DAY_MS, directory }, delivering(invoke, 'projector')).stop,
  )
  // Each has a pump of its own, as each has its place in the stream where it is deployed: none waits for another.
  for (const follower of loadFollowers()) {
    const own = join(directory, follower.name)
    await mkdir(own, { recursive: true })
    const { wants, batchSize } = follower
    running.push(
      startPump({ ...at, call, directory: own, wants, batchSize }, through(follower, delivering(invoke, follower.name)))
        .stop,
    )
  }
  for (const { name, seconds, event = {}, alone } of comingBy)
    running.push(everyFew(seconds, () => (alone ? invokeAlone : invoke)(name, event)))
}

/** Makes the public exports once; a failure is told and ends nothing. */
async function startExports(): Promise<void> {
  try {
    const { makeExports } = await import('../../lib/exports/make.ts')
    await makeExports()
  } catch (error) {
    if (!ending) console.error(`No exports were made: ${error instanceof Error ? error.message : error}`)
  }
}

/** What comes by every minute where it is deployed comes by more often here, one visit after the other. Answers how to end it. */
function everyFew(seconds: number, visit: () => Promise<unknown>): () => Promise<void> {
  let visiting = Promise.resolve()
  const timer = setInterval(() => {
    visiting = visiting.then(visit).then(
      () => undefined,
      () => undefined,
    )
  }, seconds * 1000)
  return async () => {
    clearInterval(timer)
    await visiting
  }
}

async function fail(message: string): Promise<void> {
  if (ending) return
  console.error(message)
  await end(1)
}

/** Stops everything, newest first, and ends this process. */
async function end(code: number): Promise<void> {
  if (ending) return
  ending = true
  // Whatever hangs: when we are gone, the others see their pipes close and follow.
  setTimeout(() => process.exit(code), 8000).unref()
  for (const stop of running.reverse()) await stop().catch(() => undefined)
  process.exit(code)
}

/** npm may be killed without telling us. Then we end as well, instead of holding the ports for nobody. */
function endWithNpm(): void {
  if (!process.env.npm_lifecycle_event) return
  const line = ancestors()
  setInterval(() => {
    if (ancestors() !== line) void end(0)
  }, 1000).unref()
}

/** Our parent, and its own where the system tells: npm may have put a shell between itself and us. */
function ancestors(): string {
  try {
    const facts = readFileSync(`/proc/${process.ppid}/stat`, 'utf8')
    return `${process.ppid} ${facts.slice(facts.lastIndexOf(')')).split(' ')[2]}`
  } catch {
    return String(process.ppid)
  }
}

function portOf(address: string): number {
  return Number(new URL(address).port)
}
