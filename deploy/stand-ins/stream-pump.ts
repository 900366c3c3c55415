import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import * as v from 'valibot'

type PumpSource = {
  endpoint: string
  /** How the stream API is called. Several pumps may share one call, see `sharePages`. */
  call?: Call
  table: string
  directory: string
  /** The pause between two reads, in milliseconds. Pauses after a failure are multiples of it. */
  rest?: number
  /** Which changes are delivered, by the filter of the deployed event source. Without it, all are. */
  wants?: (record: DynamoDBRecord) => boolean
  /** The most changes of one delivery. */
  batchSize?: number
  /**
   * A change that fails is delivered again until it is this old, in milliseconds, and at least six times. Without it, six
   * times.
   */
  maximumAgeMs?: number
}
type Deliver = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse | undefined>
export type Pump = { stop: () => Promise<void> }

/**
 * Hands every change of the table to `deliver`, in order and at least once, as the deployed event source does. A failed
 * batch comes again from its first failed record on, after a growing pause. A change that fails too often goes to
 * dead-letters.jsonl. The position is kept in stream.json, so a restart goes on from there.
 */
export function startPump(place: PumpSource, deliver: Deliver): Pump {
  const ending = new AbortController()
  const running = run(place, deliver, ending.signal)
  return {
    stop: async () => {
      ending.abort()
      await running
    },
  }
}

const ATTEMPTS = 6
const REST = 200
/** The pause after a read that found changes, in milliseconds. What comes in meanwhile is taken together. */
const GATHERED = 60
/** How many records one read takes. Most of them are filtered out. */
const READ = 1000
/** The longest pause after a failure, in milliseconds. */
const LONGEST = 5000

async function run(place: PumpSource, deliver: Deliver, ending: AbortSignal): Promise<void> {
  while (!ending.aborted) {
    try {
      await follow(place, deliver, ending)
    } catch (error) {
      if (ending.aborted) return
      console.error(`The stream pump starts again: ${message(error)}`)
      await pause(1000, ending)
    }
  }
}

/** Reads all shards side by side. A closed shard has no next iterator. The shards are listed again every 50 turns. */
async function follow(place: PumpSource, deliver: Deliver, ending: AbortSignal): Promise<void> {
  const call = place.call ?? caller(place.endpoint)
  const arn = await streamOf(call, place.table)
  const seen = await load(place.directory, arn)
  const iterators = new Map<string, string>()
  for (let turn = 0; !ending.aborted; turn += 1) {
    if (turn % 50 === 0) await discover(call, arn, seen, iterators)
    const moved = await Promise.all(
      [...iterators].map(async ([shard, ShardIterator]) => {
        const { Records, NextShardIterator } = v.parse(Page, await call('GetRecords', { ShardIterator, Limit: READ }))
        await deliverAll(place, deliver, Records.filter(place.wants ?? (() => true)), arn, ending)
        if (ending.aborted) return 0
        if (Records.length > 0) seen.set(shard, Records.at(-1)?.dynamodb?.SequenceNumber ?? '')
        if (NextShardIterator) iterators.set(shard, NextShardIterator)
        else iterators.delete(shard)
        return Records.length
      }),
    )
    if (ending.aborted) return
    const hasMoved = moved.some((many) => many > 0)
    if (hasMoved) await save(place.directory, arn, seen)
    const { rest = REST } = place
    if (!moved.includes(READ)) await pause(hasMoved ? Math.min(rest, GATHERED) : rest, ending)
  }
}

async function deliverAll(
  place: PumpSource,
  deliver: Deliver,
  records: readonly DynamoDBRecord[],
  arn: string,
  ending: AbortSignal,
): Promise<void> {
  const { batchSize = READ } = place
  for (let start = 0; start < records.length && !ending.aborted; start += batchSize)
    await deliverBatch(place, deliver, records.slice(start, start + batchSize), arn, ending)
}

async function deliverBatch(
  place: PumpSource,
  deliver: Deliver,
  records: readonly DynamoDBRecord[],
  arn: string,
  ending: AbortSignal,
): Promise<void> {
  let left = records.map((record) => ({ ...record, awsRegion: 'us-east-1', eventSourceARN: arn }))
  for (let attempt = 1; left.length > 0 && !ending.aborted; attempt += 1) {
    const failed = await firstFailed(deliver, left)
    if (failed === undefined) return
    if (failed > 0) attempt = 1
    left = left.slice(failed)
    const [dead, ...rest] = left
    if (attempt >= ATTEMPTS && isTooOld(place, dead)) {
      await appendFile(join(place.directory, 'dead-letters.jsonl'), `${JSON.stringify(dead)}\n`)
      console.error(
        `A follower of the stream failed ${ATTEMPTS} times on one change: see ${join(place.directory, 'dead-letters.jsonl')}`,
      )
      left = rest
      attempt = 0
    } else await pause(Math.min((place.rest ?? REST) * 2 ** attempt, LONGEST), ending)
  }
}

const isTooOld = ({ maximumAgeMs = 0 }: PumpSource, record: DynamoDBRecord | undefined): boolean =>
  Date.now() - (record?.dynamodb?.ApproximateCreationDateTime ?? 0) * 1000 >= maximumAgeMs

/** The index of the first record that was not taken. Undefined if all were. */
async function firstFailed(deliver: Deliver, records: DynamoDBRecord[]): Promise<number | undefined> {
  try {
    const answer = await deliver({ Records: records })
    const failed = new Set(answer?.batchItemFailures.map((each) => each.itemIdentifier))
    const first = records.findIndex((record) => failed.has(record.dynamodb?.SequenceNumber ?? ''))
    if (first >= 0) return first
    // A failure that names no record of the batch stands for all of it.
    return failed.size > 0 ? 0 : undefined
  } catch {
    return 0
  }
}

/** The stream of a table. */
export async function streamOf(call: Call, table: string): Promise<string> {
  const { Streams } = v.parse(Listed, await call('ListStreams', { TableName: table }))
  const newest = Streams.at(-1)
  if (!newest) throw new Error(`table ${table} has no stream`)
  return newest.StreamArn
}

/** Adds an iterator for each shard that is not being read. It starts after the last record seen, else at the beginning. */
export async function discover(
  call: Call,
  arn: string,
  seen: Map<string, string>,
  iterators: Map<string, string>,
): Promise<void> {
  const { StreamDescription } = v.parse(Described, await call('DescribeStream', { StreamArn: arn }))
  for (const { ShardId } of StreamDescription.Shards) {
    const known = seen.get(ShardId)
    // This shard is being read, or it is closed and was read to its end.
    if (iterators.has(ShardId) || (known !== undefined && iterators.size > 0)) continue
    const from =
      known === undefined
        ? { ShardIteratorType: 'TRIM_HORIZON' }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: known }
    const answer = v.parse(Iterator, await call('GetShardIterator', { StreamArn: arn, ShardId, ...from }))
    iterators.set(ShardId, answer.ShardIterator)
  }
}

type Call = (operation: string, input: object) => Promise<unknown>

/** Calls the stream API over HTTP. Its records are already in the form that a function receives. */
export function caller(endpoint: string): Call {
  return async (operation, input) => {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `DynamoDBStreams_20120810.${operation}`,
        'x-amz-date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
        authorization:
          'AWS4-HMAC-SHA256 Credential=local/20250101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      },
      body: JSON.stringify(input),
    })
    if (!response.ok) throw new Error(`${operation}: ${(await response.text()).slice(0, 200)}`)
    return response.json()
  }
}

/** How many pages are kept for pumps that come to them later. */
const PAGES = 4

/**
 * One call for several pumps of one stream. A page that one pump has read is there for the others. A pump that is far
 * behind reads for itself.
 */
export function sharePages(call: Call): Call {
  const pages = new Map<string, Promise<unknown>>()
  const read = (at: string, input: object) => {
    const page = call('GetRecords', input)
    pages.set(at, page)
    const [oldest] = pages.keys()
    if (pages.size > PAGES && oldest !== undefined) pages.delete(oldest)
    const forget = () => void (pages.get(at) === page && pages.delete(at))
    // An empty page is not kept: at the end of the stream there may be more a moment later.
    page.then((it) => v.parse(Page, it).Records.length === 0 && forget(), forget)
    return page
  }
  return async (operation, input) => {
    if (operation !== 'GetRecords') return call(operation, input)
    const at = JSON.stringify(input)
    return pages.get(at) ?? read(at, input)
  }
}

const Listed = v.object({ Streams: v.array(v.object({ StreamArn: v.string() })) })
const Described = v.object({ StreamDescription: v.object({ Shards: v.array(v.object({ ShardId: v.string() })) }) })
const Iterator = v.object({ ShardIterator: v.string() })
const isRecord = (it: unknown): it is DynamoDBRecord => typeof it === 'object' && it !== null && 'dynamodb' in it
export const Page = v.object({
  Records: v.array(v.custom<DynamoDBRecord>(isRecord)),
  NextShardIterator: v.nullish(v.string()),
})

const Saved = v.object({ arn: v.string(), seen: v.record(v.string(), v.string()) })
const file = (directory: string) => join(directory, 'stream.json')

async function load(directory: string, arn: string): Promise<Map<string, string>> {
  const saved = v.safeParse(Saved, await readFile(file(directory), 'utf8').then(JSON.parse, () => undefined))
  // A new table has another stream, where the old position means nothing.
  return new Map(saved.success && saved.output.arn === arn ? Object.entries(saved.output.seen) : [])
}

async function save(directory: string, arn: string, seen: ReadonlyMap<string, string>): Promise<void> {
  await writeFile(file(directory), JSON.stringify({ arn, seen: Object.fromEntries(seen) }))
}

async function pause(milliseconds: number, ending: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal: ending }).catch(() => undefined)
}

const message = (error: unknown) => (error instanceof Error ? error.message : String(error))
