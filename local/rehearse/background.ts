import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import { type AccessRecord, type Roles, refusal } from '../access/judge.ts'
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
  /** A message that nobody could work on, by the queue where it lies. */
  letters: Map<string, number>
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
    pumps.push(startPump({ endpoint: table.endpoint, table: table.name, directory, rest: 50 }, deliver))
  }
  for (const mapping of stack.mappings())
    if (mapping.source.includes('/stream/')) await pump(nameOf(mapping.target), followed(world, mapping))
  return { stop: async () => void (await Promise.all(pumps.map((it) => it.stop()))) }
}

const wanted = (patterns: readonly object[], record: DynamoDBRecord) =>
  patterns.length === 0 || patterns.some((pattern) => fits(pattern, record))

const followed = (world: World, mapping: Mapping) => {
  let failures = 0
  return async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse | undefined> => {
    const name = nameOf(mapping.target)
    act(world, name, STREAM, mapping.source)
    const batch = Records.filter((it) => wanted(mapping.patterns, it)).slice(0, mapping.batch)
    if (batch.length === 0) return { batchItemFailures: [] }
    try {
      const answer = (await world.invoke(mapping.target, { Records: batch })) as DynamoDBBatchResponse | undefined
      if (!answer?.batchItemFailures.length) failures = 0
      return answer
    } catch (error) {
      failures += 1
      if (failures >= mapping.attempts && mapping.dead) {
        failures = 0
        act(world, name, ['sqs:SendMessage'], mapping.dead)
        lay(world, mapping.dead)
        return { batchItemFailures: [] }
      }
      throw error
    }
  }
}

const lay = ({ letters }: World, queue: string) => void letters.set(queue, (letters.get(queue) ?? 0) + 1)

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
  if (config?.destination) {
    act(world, nameOf(target), ['sqs:SendMessage'], config.destination)
    lay(world, config.destination)
  }
  return false
}
