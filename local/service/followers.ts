import { readFileSync } from 'node:fs'
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import * as v from 'valibot'
import { parse } from 'yaml'

/** A function that follows the stream beside the projector, and which changes of the table come to it. */
export type Follower = { name: string; wants: (record: DynamoDBRecord) => boolean }

/** The functions that serverless.yml has follow the table's stream beside the projector, with the filters that it gives them. */
export function loadFollowers(): Follower[] {
  const { functions } = v.parse(File, parse(readFileSync(new URL('../../serverless.yml', import.meta.url), 'utf8')))
  return Object.entries(functions)
    .filter(([name]) => name !== 'projector')
    .flatMap(([name, { events }]) =>
      (v.is(Streams, events) ? events : []).map(({ stream }) => ({
        name,
        wants: (record: DynamoDBRecord) => stream.filterPatterns.some((pattern) => fits(pattern, record)),
      })),
    )
}

type Invoke = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse | undefined>

/** A receiver for the stream pump that gives a follower what it wants. */
export const through =
  ({ wants }: Follower, invoke: Invoke) =>
  async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse | undefined> => {
    const wanted = Records.filter(wants)
    return wanted.length > 0 ? invoke({ Records: wanted }) : { batchItemFailures: [] }
  }

/** Whether something has what a pattern asks for: at the end of each path one of some texts, or of some beginnings. */
function fits(pattern: unknown, value: unknown): boolean {
  if (Array.isArray(pattern)) {
    return pattern.some((one) => one === value || (v.is(Prefix, one) && String(value).startsWith(one.prefix)))
  }
  return Object.entries(v.parse(anything, pattern)).every(
    ([name, inner]) => v.is(anything, value) && fits(inner, value[name]),
  )
}

const anything = v.record(v.string(), v.unknown())
const Prefix = v.object({ prefix: v.string() })
const Streams = v.array(v.object({ stream: v.object({ filterPatterns: v.array(anything) }) }))
const File = v.object({ functions: v.record(v.string(), v.object({ events: v.optional(v.unknown()) })) })
