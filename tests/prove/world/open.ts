import { rmSync } from 'node:fs'
import { current, PROCESSES, type Wire } from './actors.ts'
import { uuidOf } from './chance.ts'
import { itemTypes, memoryOf, moduleIn, passed, startProcesses } from './processes.ts'
import { provider } from './provider.ts'
import type { Changes } from './sources.ts'
import { switches } from './switches.ts'
import { takeOver } from './time.ts'
import { World } from './world.ts'

/** The one world of this process. */
export async function openWorld(changes: Changes = {}): Promise<World> {
  Object.assign(process.env, settings)
  await startProcesses(PROCESSES.length, changes)
  const world = new World()
  process.env.TMPDIR = world.directory
  process.on('exit', () => rmSync(world.directory, { recursive: true, force: true }))
  world.table.told = world.tell
  takeOver(
    () => world.time,
    () => current.getStore()?.dead === true,
    () => world.waits.next(),
  )
  Object.assign(Object(globalThis).proved, {
    web: world.web,
    provider,
    guarded: world.guarded,
    ...switches,
    came: (mark: number) => {
      passed.add(mark)
      current.getStore()?.marks.add(mark)
    },
  })
  for (const each of PROCESSES) await connect(world, each)
  return world
}

type Next = (args: unknown) => Promise<unknown>

/** Puts the world where a process has its clients and its clock. */
async function connect(world: World, process: number): Promise<void> {
  const [{ db }, { bucket }, { shown_client: lambda }, { shown_client: ses }, { clock }] = await Promise.all(
    [
      'lib/engines/table/client.ts',
      'lib/engines/bucket/blobs.ts',
      'lib/base/telemetry/invoke.ts',
      'lib/doors/letters/mail.ts',
      'lib/base/clock.ts',
    ].map((path) => moduleIn(process, path)),
  )
  const { s3 } = await bucket()
  for (const [client, answer] of [
    [db, world.dynamo],
    [s3, world.s3],
    [lambda, world.lambda],
    [ses, world.ses],
  ]) {
    // Nobody checks signatures here, and they take a tenth of the time.
    client.middlewareStack.remove('httpSigningMiddleware')
    client.middlewareStack.add(
      (next: Next, { commandName }: { commandName: string }): Next =>
        (args) =>
          world.whole(commandName, () => next(args)),
      { step: 'initialize' },
    )
    // What a client may still try again goes with its process: failures use it up, and a new process has all of it.
    const strategy: { capacity: number } = await client.config.retryStrategy()
    const { capacity } = strategy
    memoryOf(process).push(() => Object.assign(strategy, { capacity }))
    client.config.requestHandler = {
      handle: async (request: Wire, { abortSignal }: { abortSignal?: AbortSignal } = {}) => ({
        response: await world.upTo(abortSignal, () => answer(request)),
      }),
      destroy: () => undefined,
      metadata: { handlerProtocol: 'h1' },
    }
  }
  clock.now = world.now
  clock.random = (below: number) => world.chance.below(below)
  clock.uuid = () => uuidOf(world.chance)
  void itemTypes(process)
}

const settings = {
  STAGE: 'local',
  DEBUG: 'true',
  SERVICE_DEV_AUTH: 'true',
  SECRET_KEY: 'test-only-secret-key-of-32-bytes-or-more',
  CORS_ORIGINS: 'http://localhost:3000',
  TABLE_NAME: 'world',
  BUCKET_NAME: 'world',
  AWS_REGION: 'us-east-1',
  DYNAMODB_ENDPOINT: 'http://127.0.0.1:9',
  S3_ENDPOINT: 'http://127.0.0.1:9',
  LAMBDA_ENDPOINT: 'http://127.0.0.1:9',
  SES_ENDPOINT: 'http://127.0.0.1:9',
  IDP_CLIENT_ID: 'world',
  IDP_USERINFO_URL: 'http://provider.example/userinfo',
  REVIEW_WEBHOOK_URL: 'http://receiver.example/review',
  LETTERS_SENDER: 'letters@heritage.test',
  CACHE_URL: 'dynamodb:',
  LARGEST_TABLE: '1000',
  LOG_LEVEL: 'silent',
  RATE_TOKEN: '100000/min',
  RATE_REGISTER: '100000/min',
  RATE_DEV_LOGIN: '100000/min',
  RATE_ASSISTANT: '100000/min',
  RATE_PROJECTS: '8/h',
  RATE_UPLOADS: '100000/day',
  RATE_OCR: '100000/day',
}
