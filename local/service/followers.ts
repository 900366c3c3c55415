import { readFileSync } from 'node:fs'
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import * as v from 'valibot'
import { parse } from 'yaml'

/** A function that works off a queue, and which changes of the table come to it. */
export type Follower = { name: string; wants: (record: DynamoDBRecord) => boolean }

/**
 * The functions that follow assets through the pipe, the topic and their queues, read from serverless.yml: what their
 * filters let pass where it is deployed, they let pass here.
 */
export function loadFollowers(): Follower[] {
  const file = v.parse(File, parse(readFileSync(new URL('../../serverless.yml', import.meta.url), 'utf8')))
  const resources = Object.assign({}, ...file.resources.flatMap((it) => (typeof it === 'string' ? [] : it.Resources)))
  const all = Object.values(resources)
  const pipe = all.flatMap((it) => (v.is(Pipe, it) ? it.Properties.SourceParameters.FilterCriteria.Filters : []))
  const patterns = pipe.map(({ Pattern }): unknown => JSON.parse(Pattern))
  const subscriptions = all.filter((it) => v.is(Subscription, it)).map(({ Properties }) => Properties)
  return Object.entries(file.functions).flatMap(([name, { events }]) =>
    (v.is(Jobs, events) ? events : []).flatMap(({ sqs }) =>
      subscriptions
        .filter(({ Endpoint }) => Endpoint['Fn::GetAtt'][0] === sqs.arn['Fn::GetAtt'][0])
        .map(({ FilterPolicy }) => ({
          name,
          wants: (record: DynamoDBRecord) =>
            patterns.some((pattern) => fits(pattern, record)) && fits(FilterPolicy, record),
        })),
    ),
  )
}

/** Which changes of the table come to the projector, by the filter of its event source in serverless.yml. */
export function loadProjectorFilter(): (record: DynamoDBRecord) => boolean {
  const file = v.parse(File, parse(readFileSync(new URL('../../serverless.yml', import.meta.url), 'utf8')))
  const events = v.parse(Streams, file.functions.projector?.events)
  const patterns = events.flatMap(({ stream }) => stream.filterPatterns)
  return (record) => patterns.some((pattern) => fits(pattern, record))
}

type Invoke = (event: SQSEvent) => Promise<SQSBatchResponse | undefined>

/** A receiver for the stream pump that gives a follower what it wants, one message at a time, as its queue would. */
export const through =
  ({ wants }: Follower, invoke: Invoke) =>
  async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    for (const record of Records) {
      if (!wants(record)) continue
      const answer = await invoke({ Records: [messageOf(record)] })
      if (answer?.batchItemFailures.length) {
        return { batchItemFailures: [{ itemIdentifier: record.dynamodb?.SequenceNumber ?? '' }] }
      }
    }
    return { batchItemFailures: [] }
  }

/** A record of the stream as the message that comes out of a queue. */
export const messageOf = (record: DynamoDBRecord): SQSEvent['Records'][number] => ({
  messageId: record.eventID ?? record.dynamodb?.SequenceNumber ?? '',
  receiptHandle: 'local',
  body: JSON.stringify(record),
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: '0',
    SenderId: 'local',
    ApproximateFirstReceiveTimestamp: '0',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'local',
  awsRegion: 'us-east-1',
})

/** Whether something has what a pattern asks for: at the end of each path one of some texts, or of some beginnings, or anything. */
function fits(pattern: unknown, value: unknown): boolean {
  if (Array.isArray(pattern)) {
    return pattern.some(
      (one) =>
        one === value ||
        (v.is(Prefix, one) && String(value).startsWith(one.prefix)) ||
        (v.is(Exists, one) && one.exists === (value !== undefined)),
    )
  }
  return Object.entries(v.parse(anything, pattern)).every(
    ([name, inner]) => v.is(anything, value) && fits(inner, value[name]),
  )
}

const anything = v.record(v.string(), v.unknown())
const Prefix = v.object({ prefix: v.string() })
const Exists = v.object({ exists: v.boolean() })
const Streams = v.array(v.object({ stream: v.object({ filterPatterns: v.array(v.unknown()) }) }))
const attribute = v.object({ 'Fn::GetAtt': v.tuple([v.string(), v.string()]) })
const Jobs = v.array(v.object({ sqs: v.object({ arn: attribute }) }))
const Pipe = v.object({
  Type: v.literal('AWS::Pipes::Pipe'),
  Properties: v.object({
    SourceParameters: v.object({
      FilterCriteria: v.object({ Filters: v.array(v.object({ Pattern: v.string() })) }),
    }),
  }),
})
const Subscription = v.object({
  Type: v.literal('AWS::SNS::Subscription'),
  Properties: v.object({ Endpoint: attribute, FilterPolicy: anything }),
})
const File = v.object({
  functions: v.record(v.string(), v.object({ events: v.unknown() })),
  resources: v.array(v.union([v.string(), v.object({ Resources: anything })])),
})
