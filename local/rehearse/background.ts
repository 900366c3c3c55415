import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import { type AccessRecord, type Roles, refusal } from '../access/judge.ts'
import type { Meddle } from '../access/table-gate.ts'
import { type Pump, startPump } from '../service/stream-pump.ts'
import { fits } from './patterns.ts'
import type { Mapping, Schedule, Stack } from './template.ts'

/** The roles of functions by their name, and who hears what was sent where. */
export type World = {
  stack: Stack
  roles: Roles
  record: AccessRecord
  table: { endpoint: string; name: string }
  folder: string
  invoke: (target: string, event: object) => Promise<unknown>
  /** How many messages that a function could not work on lie in which queue, by `letterOf`. */
  letters: Map<string, number>
  /** Whether whatever fails now has failed for as long as the platform tries: nobody here waits for a day. */
  isLate: boolean
  /** What goes wrong on the way to the table at the moment. */
  meddle: Meddle | undefined
}

/** The name of a function by its ARN, without service and stage. */
export const nameOf = (target: string) => target.split(':').at(-1)?.split('-').slice(2).join('-') ?? ''

/** The platform acts in the name of a function, or of a role: what is not allowed does not happen. */
export function act({ roles, record }: World, signer: string, actions: readonly string[], resource: string): void {
  const needs = actions.map((action) => ({ action, resource }))
  const refused = refusal(roles, signer, needs, record)
  if (refused) throw new Error(`${signer} may not ${refused.action} on ${resource}`)
}

const STREAM = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map((it) => `dynamodb:${it}`)

/** Starts everything that nobody calls: what follows the stream. */
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
    // How long it is tried is said by the mapping.
    pumps.push(startPump({ ...source, maximumAgeMs: Number.POSITIVE_INFINITY }, deliver))
  }
  for (const mapping of stack.mappings())
    if (mapping.source.includes('/stream/')) await pump(nameOf(mapping.target), followed(world, mapping))
  return { stop: async () => void (await Promise.all(pumps.map((it) => it.stop()))) }
}

const wanted = (patterns: readonly object[], record: DynamoDBRecord) =>
  patterns.length === 0 || patterns.some((pattern) => fits(pattern, record))

/** Hands a function what it wants of a stream, in batches of its size, up to the first change that it does not take in. */
const followed = (world: World, mapping: Mapping) => {
  const tried = new Map<string, number>()
  return async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    act(world, nameOf(mapping.target), STREAM, mapping.source)
    const all = Records.filter((it) => wanted(mapping.patterns, it))
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

/** The place of the first change that a function has not taken in; undefined when it has taken in all. */
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

/** Whether a change is tried no more. */
const isGivenUp = ({ isLate }: World, { attempts }: Mapping, tried = 0) => isLate || (attempts > 0 && tried >= attempts)

/** Puts a message that a function could not work on into a queue, in the function's name. */
function lay(world: World, target: string, queue: string): void {
  act(world, nameOf(target), ['sqs:SendMessage'], queue)
  const place = letterOf(target, queue)
  world.letters.set(place, (world.letters.get(place) ?? 0) + 1)
}

/** Whose messages lie in which queue. */
export const letterOf = (target: string, queue: string): string => `${nameOf(target)} in ${queue.split(':').at(-1)}`

/**
 * Calls a function without waiting for it, as a schedule does, and again when it fails; what fails for good goes where the
 * template says. Answers whether it has worked.
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
