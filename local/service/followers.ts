import { readFileSync } from 'node:fs'
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import * as v from 'valibot'
import { parse } from 'yaml'

/** A function that follows the table's stream: which changes it gets, and at most how many at once. */
export type Follower = { name: string; wants: (record: DynamoDBRecord) => boolean; batchSize: number }

/** The functions that follow the stream beside the projector, with their filters in serverless.yml. */
export const loadFollowers = (): Follower[] => allFollowers().filter(({ name }) => name !== 'projector')

/** The projector as its event source in serverless.yml has it. */
export function loadProjector(): Follower {
  const projector = allFollowers().find(({ name }) => name === 'projector')
  if (!projector) throw new Error('serverless.yml has no projector that follows the stream')
  return projector
}

function allFollowers(): Follower[] {
  const { functions } = v.parse(File, parse(readFileSync(new URL('../../serverless.yml', import.meta.url), 'utf8')))
  return Object.entries(functions).flatMap(([name, { events }]) =>
    (v.is(Streams, events) ? events : []).map(({ stream }) => {
      const tests = stream.filterPatterns.map(testFor)
      const { batchSize } = stream
      return { name, batchSize, wants: (record: DynamoDBRecord) => tests.some((test) => test(record)) }
    }),
  )
}

type Invoke = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse | undefined>

/** A receiver for the stream pump. It passes only those changes on that the follower wants. */
export const through =
  ({ wants }: Follower, invoke: Invoke) =>
  async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse | undefined> => {
    const wanted = Records.filter(wants)
    return wanted.length > 0 ? invoke({ Records: wanted }) : { batchItemFailures: [] }
  }

type Test = (value: unknown) => boolean

/**
 * Makes a test of a filter pattern. At the end of each path a pattern lists texts, prefixes, or whether there is a value.
 */
function testFor(pattern: unknown): Test {
  if (Array.isArray(pattern)) {
    const tests = pattern.map(testOfOne)
    return (value) => tests.some((test) => test(value))
  }
  const members = Object.entries(v.parse(anything, pattern)).map(([name, inner]) => ({ name, test: testFor(inner) }))
  return (value) => isObject(value) && members.every(({ name, test }) => test(value[name]))
}

function testOfOne(one: unknown): Test {
  if (v.is(Prefix, one)) return (value) => String(value).startsWith(one.prefix)
  if (v.is(Exists, one)) return (value) => one.exists === (value !== undefined)
  return (value) => value === one
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const anything = v.record(v.string(), v.unknown())
const Prefix = v.object({ prefix: v.string() })
const Exists = v.object({ exists: v.boolean() })
const Streams = v.array(v.object({ stream: v.object({ batchSize: v.number(), filterPatterns: v.array(v.unknown()) }) }))
const File = v.object({ functions: v.record(v.string(), v.object({ events: v.optional(v.unknown()) })) })
