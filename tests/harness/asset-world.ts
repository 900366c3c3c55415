import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Context, DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda'
import { expect } from 'vitest'
import { startPump } from '../../deploy/stand-ins/stream-pump.ts'
import { loadFollowers, through } from '../../local/service/followers.ts'
import type { Answer, App, Persona } from './app.ts'
import { answerFor } from './lambda.ts'
import { sure } from './make.ts'

/** Parts of tests of assets: projects, forms, the bucket, and the functions that follow the table's stream. */

let projects = 0
/** Creates a project of the contributor. Returns the path of its assets. */
export async function newProject(app: App, more: object = {}): Promise<string> {
  projects += 1
  const body = { slug: `survey-${projects}`, title: 'A survey', visibility: 'public', ...more }
  return `/data/projects/${sure(201, await app.contributor.post('/data/projects/', { body })).slug}/assets/`
}

export const form = (members: Record<string, string | File>): FormData => {
  const it = new FormData()
  for (const [name, value] of Object.entries(members)) it.set(name, value)
  return it
}

export const fileOf = (bytes: Uint8Array, name: string, type = '') => new File([Uint8Array.from(bytes)], name, { type })

/** Sends a file with the request. */
export const upload = (
  who: Persona,
  assets: string,
  bytes: Uint8Array,
  name: string,
  more: Record<string, string> = {},
  type = '',
): Promise<Answer> => who.post(`${assets}upload/`, { body: form({ file: fileOf(bytes, name, type), ...more }) })

/** Posts a file to the bucket with the fields of a presigned form, as a browser does. Returns its ETag. */
export async function send({ url, fields }: { url: string; fields: Record<string, string> }, bytes: Uint8Array) {
  const body = form(fields)
  body.append('file', new File([Uint8Array.from(bytes)], 'file'))
  const answer = await fetch(url, { method: 'POST', body })
  expect(answer.status).toBe(204)
  return answer.headers.get('etag') ?? ''
}

/** Lists the keys of the bucket with this prefix. */
export async function objects(prefix: string): Promise<string[]> {
  const { S3Client, ListObjectsV2Command } = await import('@aws-sdk/client-s3')
  const client = new S3Client({
    region: 'us-east-1',
    endpoint: process.env.S3_ENDPOINT ?? '',
    forcePathStyle: true,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  })
  const { Contents = [] } = await client.send(
    new ListObjectsV2Command({ Bucket: process.env.BUCKET_NAME, Prefix: prefix }),
  )
  return Contents.map(({ Key = '' }) => Key).sort()
}

type Follow = (event: DynamoDBStreamEvent, context: Context) => Promise<DynamoDBBatchResponse>

/** Starts the functions that follow the stream. Their calls reach the functions `called` only. Returns the function that stops them. */
export async function follow(...called: readonly string[]): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'heritage-follow-'))
  const { DYNAMODB_ENDPOINT: endpoint = '', TABLE_NAME: table = '' } = process.env
  answerFor(called)
  const pumps = await Promise.all(
    loadFollowers().map(async (follower) => {
      const { handler }: { handler: Follow } = await import(`../../functions/${follower.name}.ts`)
      const own = await mkdtemp(join(directory, follower.name))
      const context = { functionName: follower.name } as Context
      return startPump(
        { endpoint, table, directory: own, rest: 30 },
        through(follower, (event) => handler(event, context)),
      )
    }),
  )
  expect(pumps.length).toBe(1)
  return async () => {
    for (const pump of pumps) await pump.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

export const eventually = <T>(look: () => Promise<T>, timeout = 15_000) => expect.poll(look, { timeout, interval: 50 })
