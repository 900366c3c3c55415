import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import { type AccessRecord, type Roles, refusal } from '../../access/judge.ts'
import type { Meddle } from '../../access/table-gate.ts'
import { type Pump, startPump } from '../../stand-ins/stream-pump.ts'
import type { Mapping, RehearsedStack, Schedule } from '../template.ts'
import { fits } from './patterns.ts'
import type { Release } from './processes.ts'
import type { Releases } from './releases.ts'

/** Everything that a scene acts on: the stack, its roles, the table, and what has happened so far. */
export type World = {
  stack: RehearsedStack
  roles: Roles
  record: AccessRecord
  table: { endpoint: string; name: string }
  folder: string
  /** Calls a function by its ARN: as it is packaged, or in a release. */
  invoke: (target: string, event: object, release?: Release) => Promise<unknown>
  /** Which versions of functions there are, and which one a request reaches. */
  releases: Releases
  /** How many messages lie in each dead-letter queue, by `letterOf`. */
  letters: Map<string, number>
  /** If true, what fails is given up at once, as AWS does after many hours. */
  isLate: boolean
  /** The fault that calls to the table meet at the moment. */
  meddle: Meddle | undefined
}

/** The name of a function, from its ARN, with or without an alias. Example: `heritage-prod-asset-files` is `asset-files`. */
export const nameOf = (target: string) => target.split(':')[6]?.split('-').slice(2).join('-') ?? ''

/** AWS itself acts under a role. Throws if the role does not allow it. */
export function act({ roles, record }: World, signer: string, actions: readonly string[], resource: string): void {
  const needs = actions.map((action) => ({ action, resource }))
  const refused = refusal(roles, signer, needs, record)
  if (refused) throw new Error(`${signer} may not ${refused.action} on ${resource}`)
}

const STREAM = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map((it) => `dynamodb:${it}`)

/** Starts the functions that follow the stream. */
export async function startBackground(world: World): Promise<{ stop: () => Promise<void> }> {
  const pumps: Pump[] = []
  const { stack, table, folder } = world
  const pump = async (
    name: string,
    deliver: (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse | undefined>,
  ) => {
    const directory = join(folder, name)
    await mkdir(directory, { recursive: true })
    const source = { endpoint: table.endpoint, table: table.name, directory, rest: 50 }
    // The mapping says when a change is given up, not the pump.
    pumps.push(startPump({ ...source, maximumAgeMs: Number.POSITIVE_INFINITY }, deliver))
  }
  for (const mapping of stack.mappings())
    if (mapping.source.includes('/stream/')) await pump(nameOf(mapping.target), followMapping(world, mapping))
  return { stop: async () => void (await Promise.all(pumps.map((it) => it.stop()))) }
}

const matchesFilter = (patterns: readonly object[], record: DynamoDBRecord) =>
  patterns.length === 0 || patterns.some((pattern) => fits(pattern, record))

/**
 * Hands a function the changes that pass its filter, in batches of its size. Stops at the first change that fails, which the stream then
 * shows again, until it is given up.
 */
const followMapping = (world: World, mapping: Mapping) => {
  const tried = new Map<string, number>()
  return async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    act(world, nameOf(mapping.target), STREAM, mapping.source)
    const all = Records.filter((it) => matchesFilter(mapping.patterns, it))
    for (let start = 0; start < all.length; ) {
      const batch = all.slice(start, start + mapping.batch)
      const failed = await firstFailed(world, mapping, batch)
      start += failed ?? batch.length
      const itemIdentifier = all[start]?.dynamodb?.SequenceNumber ?? ''
      if (failed === undefined) continue
      tried.set(itemIdentifier, (tried.get(itemIdentifier) ?? 0) + 1)
      if (!isGivenUp(world, mapping, tried.get(itemIdentifier))) return { batchItemFailures: [{ itemIdentifier }] }
      start += 1
      if (!mapping.dead) continue
      lay(world, mapping.target, mapping.dead)
    }
    return { batchItemFailures: [] }
  }
}

/** The index of the first change that failed; undefined if none did. */
async function firstFailed(world: World, { target }: Mapping, Records: DynamoDBRecord[]): Promise<number | undefined> {
  try {
    const { batchItemFailures = [] }: Partial<DynamoDBBatchResponse> = Object(await world.invoke(target, { Records }))
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    const first = Records.findIndex((it) => failed.has(it.dynamodb?.SequenceNumber ?? ''))
    // A failure that names no change of the batch stands for all of it.
    return first >= 0 ? first : failed.size > 0 ? 0 : undefined
  } catch {
    return 0
  }
}

/** Whether a change that failed is given up. */
const isGivenUp = ({ isLate }: World, { attempts }: Mapping, tried = 0) => isLate || (attempts > 0 && tried >= attempts)

/** Puts the message of an event that was given up into a dead-letter queue, under the function's role. */
function lay(world: World, target: string, queue: string): void {
  act(world, nameOf(target), ['sqs:SendMessage'], queue)
  const place = letterOf(target, queue)
  world.letters.set(place, (world.letters.get(place) ?? 0) + 1)
}

/** The key of `letters`. Example: `ocr in heritage-prod-asset-failures`. */
export const letterOf = (target: string, queue: string): string => `${nameOf(target)} in ${queue.split(':').at(-1)}`

/**
 * Calls a function asynchronously, as a schedule does, and again if it fails. An event that is given up goes to the dead-letter queue of
 * the template. Returns whether a call has succeeded.
 */
export async function visit(world: World, { target, input }: Pick<Schedule, 'target' | 'input'>): Promise<boolean> {
  const config = world.stack.failing().find((it) => it.target === target)
  for (let attempt = 1; attempt <= (config?.attempts ?? 3); attempt += 1) {
    const worked = await world.invoke(target, Object(input)).then(
      () => true,
      () => false,
    )
    if (worked) return true
  }
  if (config?.destination) lay(world, target, config.destination)
  return false
}
