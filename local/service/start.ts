import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type AccessRecord, newAccessRecord, type Roles } from '../../deploy/access/judge.ts'
import { localIdentity, roleResources, rolesFor } from '../../deploy/access/local-roles.ts'
import { startTableGate } from '../../deploy/access/table-gate.ts'
import { loadFunctions, loadStack } from '../../deploy/stack.ts'
import { indexEmulator, startEmulator } from '../../deploy/stand-ins/emulator.ts'
import { startIdp } from '../../deploy/stand-ins/identity-provider.ts'
import { startMailCatcher } from '../../deploy/stand-ins/mail-catcher.ts'
import { startS3 } from '../../deploy/stand-ins/s3.ts'
import { caller, sharePages, startPump } from '../../deploy/stand-ins/stream-pump.ts'
import { createTable } from '../../deploy/stand-ins/table.ts'
import { EMPTY_START, holdFolder } from './folder-lock.ts'
import { loadFollowers, loadProjector, through } from './followers.ts'
import { deliverTo, type Functions, type Stop, startFunctions } from './functions.ts'
import { checkFolder, migrateTable } from './layout.ts'
import { directory } from './paths.ts'
import { ensureFree } from './ports.ts'
import { startReceiver } from './receiver.ts'
import { checkPorts, openFolder, ratesIn } from './settings.ts'

/** The address of an emulator that the user has started, if any. */
const outside = process.env.DYNAMODB_ENDPOINT
const isEmpty = process.argv.includes('--empty')
/** How long the stream keeps a change. */
const DAY_MS = 86_400_000
/**
 * The timed functions, and the seconds between two visits. A deployment has one minute, and 15 minutes for seldom chores.
 */
const comingBy: readonly { name: string; seconds: number; event?: object; alone?: boolean }[] = [
  ...['webhooks', 'letters', 'merger', 'importer'].map((name) => ({ name, seconds: 2 })),
  { name: 'sweeper', seconds: 10, event: { chores: 'often' } },
  // In a process of its own: one of these chores packs the snapshot of search, which takes seconds.
  { name: 'sweeper', seconds: 150, event: { chores: 'seldom' }, alone: true },
]

/**
 * Stops what runs, group by group in this order, in each group the newest first: requests, then the pumps and timers that call
 * functions, then the functions of the background, then what all of them use, such as the emulator.
 */
const stops: Record<'requests' | 'visits' | 'background' | 'emulators', Stop[]> = {
  requests: [],
  visits: [],
  background: [],
  emulators: [],
}
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

/** Checks the settings, locks the data folder, and returns the stack and its ports. All ports are free by then. */
async function prepare() {
  checkPorts(process.env)
  await openFolder(directory)
  const release = holdFolder(directory, {
    command: isEmpty ? EMPTY_START : 'npm start',
    address: `http://localhost:${process.env.PORT ?? loadStack().offline.httpPort}`,
  })
  stops.emulators.push(async () => release())
  if (!process.env.REVIEW_WEBHOOK_URL) {
    const receiver = await startReceiver()
    process.env.REVIEW_WEBHOOK_URL = receiver.url
    stops.emulators.push(receiver.stop)
  }
  const stack = loadStack()
  const rates = ratesIn(process.env)
  Object.assign(process.env, stack.environment, rates)
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

/** Starts everything, each part as soon as what it needs is there. */
async function start(): Promise<void> {
  const { stack, ports } = await prepare()
  const { TABLE_NAME = '', BUCKET_NAME = '', DYNAMODB_ENDPOINT = '' } = stack.environment
  if (!outside) await checkFolder()

  const resources = roleResources(Object.keys(loadFunctions()))
  const access = { roles: rolesFor(resources, { table: TABLE_NAME, bucket: BUCKET_NAME }), record: newAccessRecord() }
  // Functions reach the table through this gate, which checks their roles. Commands and stream pumps go there directly.
  const gate = await startTableGate(DYNAMODB_ENDPOINT, access.roles, access.record)
  stops.emulators.push(gate.stop)
  const serving = startFunctions(gate.endpoint, stops)
  // `serving` is awaited below. Until then its failure must not count as unhandled.
  serving.catch(() => undefined)
  const tableFile = join(directory, 'dynamodb.sqlite')
  if (!outside) {
    const emulator = await startEmulator({ port: portOf(DYNAMODB_ENDPOINT), file: tableFile })
    stops.emulators.push(emulator.stop)
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
  stops.emulators.push(files.stop)
  const mail = await catchMail(ports.mail, access)
  const idp = await startIdp(ports['identity provider'])
  stops.emulators.push(idp.stop)
  await createTable(DYNAMODB_ENDPOINT, TABLE_NAME, stack.table)
  if (!outside) indexEmulator(tableFile)
  // These read the configuration, which is complete from here on.
  await migrateTable()
  const [{ seed }, { startText }] = await Promise.all([import('./seed.ts'), import('./page.ts')])
  // `npm run restore` needs a service without records.
  if (!isEmpty) await seed()
  const functions = await serving
  await startBackground({ endpoint: DYNAMODB_ENDPOINT, table: TABLE_NAME }, functions)
  // The start does not wait for the exports.
  void startExports()
  console.log(
    startText({
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
  stops.emulators.push(mail.stop)
  return mail
}

/** Starts the pumps of the projector and of other followers of the stream, and the timed functions. */
async function startBackground(
  at: { endpoint: string; table: string },
  { invoke, invokeAlone }: Functions,
): Promise<void> {
  const { wants, batchSize } = loadProjector()
  const call = sharePages(caller(at.endpoint))
  stops.visits.push(
    startPump({ ...at, call, wants, batchSize, maximumAgeMs: DAY_MS, directory }, deliverTo(invoke, 'projector')).stop,
  )
  // Each follower has its own pump and position, as in a deployment. None waits for another.
  for (const follower of loadFollowers()) {
    const own = join(directory, follower.name)
    await mkdir(own, { recursive: true })
    const { wants, batchSize } = follower
    stops.visits.push(
      startPump({ ...at, call, directory: own, wants, batchSize }, through(follower, deliverTo(invoke, follower.name)))
        .stop,
    )
  }
  for (const { name, seconds, event = {}, alone } of comingBy)
    stops.visits.push(everyFew(seconds, () => (alone ? invokeAlone : invoke)(name, event)))
}

/** Makes the public exports once. A failure is printed and ends nothing. */
async function startExports(): Promise<void> {
  try {
    const { makeExports } = await import('../../lib/doors/exports/make.ts')
    await makeExports()
  } catch (error) {
    if (!ending) console.error(`No exports were made: ${error instanceof Error ? error.message : error}`)
  }
}

/** Calls `visit` every few seconds, one visit after the other. Returns how to stop it. */
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

/** Stops everything in the order of `stops`, and ends this process. */
async function end(code: number): Promise<void> {
  if (ending) return
  ending = true
  // Even if something hangs: the children end when this process is gone and their pipes close.
  setTimeout(() => process.exit(code), 8000).unref()
  for (const group of Object.values(stops)) for (const stop of group.reverse()) await stop().catch(() => undefined)
  process.exit(code)
}

/** Ends this process if npm was killed without telling it. Otherwise it would hold the ports for nobody. */
function endWithNpm(): void {
  if (!process.env.npm_lifecycle_event) return
  const line = ancestors()
  setInterval(() => {
    if (ancestors() !== line) void end(0)
  }, 1000).unref()
}

/** The ids of our parent and of its parent, where the system tells. npm may have put a shell in between. */
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
