import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { zip } from '../../deploy/packages/zip.ts'
import { loadStack } from '../../deploy/stack.ts'
import { startIdp } from '../../deploy/stand-ins/identity-provider.ts'
import { caller, sharePages, startPump } from '../../deploy/stand-ins/stream-pump.ts'
import { ensureFree } from '../../local/service/ports.ts'
import { createTestTable } from '../harness/emulator.ts'

const endpoint = process.env.DYNAMODB_ENDPOINT ?? ''
const db = new DynamoDBClient({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
})

describe('the stream pump', () => {
  let place: { endpoint: string; table: string; directory: string; rest: number }
  let tables = 0
  beforeEach(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'heritage-pump-'))
    place = { endpoint, table: `pump-${process.pid}-${++tables}`, directory, rest: 5 }
    await createTestTable(place.table)
  })
  afterEach(() => rm(place.directory, { recursive: true, force: true }))

  const put = (...names: string[]) =>
    names.reduce(
      (before, pk) =>
        before.then(async () => {
          await db.send(new PutItemCommand({ TableName: place.table, Item: { pk: { S: pk }, sk: { S: 'HEAD' } } }))
        }),
      Promise.resolve(),
    )
  const names = (event: DynamoDBStreamEvent) => event.Records.map((record) => record.dynamodb?.Keys?.pk?.S)
  /** Runs the pump until the check holds, and answers the names in each batch. */
  async function pumped(
    answer: (batch: DynamoDBStreamEvent, turn: number) => DynamoDBBatchResponse | undefined,
    check: (batches: (string | undefined)[][]) => void,
  ) {
    const batches: (string | undefined)[][] = []
    const pump = startPump(place, async (event) => {
      batches.push(names(event))
      return answer(event, batches.length)
    })
    await vi.waitFor(() => check(batches), { timeout: 5000, interval: 5 })
    await pump.stop()
    return batches
  }
  const all = { batchItemFailures: [] }

  test('every change arrives in order, in the form that a function receives', async () => {
    await put('a', 'b', 'a')
    let first: DynamoDBStreamEvent | undefined
    await pumped(
      (event) => {
        first ??= event
        return all
      },
      (batches) => expect(batches.flat()).toEqual(['a', 'b', 'a']),
    )
    expect(first?.Records.at(-1)).toMatchObject({
      eventName: 'MODIFY',
      eventSource: 'aws:dynamodb',
      awsRegion: 'us-east-1',
      dynamodb: { OldImage: { pk: { S: 'a' } }, NewImage: { pk: { S: 'a' } }, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    })
  })

  test('several pumps read each page once, and each has all of it', async () => {
    const read: string[] = []
    const asked = caller(endpoint)
    const call = sharePages(async (operation, input) => {
      const answer = await asked(operation, input)
      const { Records: records = [] } = Object(answer)
      read.push(...records.map(({ dynamodb }: DynamoDBRecord) => String(dynamodb?.Keys?.pk?.S)))
      return answer
    })
    const told: (string | undefined)[][] = [[], [], []]
    const pumps = await Promise.all(
      told.map(async (all, n) => {
        const directory = join(place.directory, String(n))
        await mkdir(directory)
        return startPump({ ...place, call, directory }, async (event) => {
          all.push(...names(event))
          // One is slow, and comes later to what the others have read.
          if (n === 0) await new Promise((over) => setTimeout(over, 30))
          return undefined
        })
      }),
    )
    for (const name of ['a', 'b', 'c']) {
      await put(name)
      await vi.waitFor(() => expect(told.map((all) => all.at(-1))).toEqual([name, name, name]), { timeout: 5000 })
    }
    await Promise.all(pumps.map((pump) => pump.stop()))
    expect(told).toEqual(Array(3).fill(['a', 'b', 'c']))
    expect(read).toEqual(['a', 'b', 'c'])
  })

  test('after a restart it goes on where it stood', async () => {
    await put('a')
    await pumped(
      () => all,
      (batches) => expect(batches).toEqual([['a']]),
    )
    await put('b')
    await pumped(
      () => all,
      (batches) => expect(batches).toEqual([['b']]),
    )
  })

  test('a batch is tried again from the record that failed', async () => {
    await put('a', 'b', 'c')
    const failing = (event: DynamoDBStreamEvent, turn: number) =>
      turn === 1 ? { batchItemFailures: [{ itemIdentifier: event.Records[1]?.dynamodb?.SequenceNumber ?? '' }] } : all
    await pumped(failing, (batches) =>
      expect(batches).toEqual([
        ['a', 'b', 'c'],
        ['b', 'c'],
      ]),
    )
  })

  test('a change that fails six times is set aside, and those behind it go on', async () => {
    const silent = vi.spyOn(console, 'error').mockReturnValue(undefined)
    await put('bad', 'good')
    const batches = await pumped(
      (event) => {
        if (names(event).includes('bad')) throw new Error('no')
        return all
      },
      (seen) => expect(seen.at(-1)).toEqual(['good']),
    )
    expect(batches.filter((batch) => batch.includes('bad'))).toHaveLength(6)
    expect(JSON.parse(await readFile(join(place.directory, 'dead-letters.jsonl'), 'utf8'))).toMatchObject({
      dynamodb: { Keys: { pk: { S: 'bad' } } },
    })
    expect(silent).toHaveBeenCalledOnce()
    silent.mockRestore()
  })
})

describe('the identity provider', () => {
  const ask = (issuer: string, path: string, form: Record<string, string>) =>
    fetch(`${issuer}${path}`, { method: 'POST', body: new URLSearchParams(form) })

  test.each(['openid', 'openid opaque'])(
    'userinfo and introspection know the bearer of a token (%s)',
    async (scope) => {
      const provider = await startIdp(0)
      const answer = await ask(provider.issuer, '/token', {
        grant_type: 'password',
        username: 'sita.rai@example.org',
        scope,
      })
      const { access_token } = v.parse(v.object({ access_token: v.string() }), await answer.json())
      const person = await fetch(`${provider.issuer}/userinfo`, {
        headers: { authorization: `Bearer ${access_token}` },
      })
      expect(await person.json()).toMatchObject({
        email: 'sita.rai@example.org',
        email_verified: true,
        given_name: 'Sita',
        family_name: 'Rai',
      })
      const told = await ask(provider.issuer, '/introspection', { token: access_token })
      expect(await told.json()).toMatchObject({ active: true, aud: 'heritage-local', client_id: 'heritage-local' })
      await provider.stop()
    },
  )

  test('a token that it did not issue is refused', async () => {
    const provider = await startIdp(0)
    const person = await fetch(`${provider.issuer}/userinfo`, { headers: { authorization: 'Bearer made-up' } })
    expect(person.status).toBe(401)
    expect(await (await ask(provider.issuer, '/introspection', { token: 'made-up' })).json()).toEqual({ active: false })
    await provider.stop()
  })
})

test('a busy port is named, with its purpose', async () => {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  await expect(ensureFree({ API: port })).rejects.toThrow(`port ${port} (API) is busy`)
  server.close()
})

test('the local stage takes its ports and endpoints from the environment', () => {
  const { environment, offline } = loadStack({ PORT: '9001', DYNAMODB_ENDPOINT: 'http://127.0.0.1:9002' })
  expect(offline.httpPort).toBe('9001')
  expect(environment).toMatchObject({
    STAGE: 'local',
    TABLE_NAME: 'heritage-local',
    DYNAMODB_ENDPOINT: 'http://127.0.0.1:9002',
    IDP_CLIENT_ID: 'heritage-local',
    CORS_ORIGINS: 'http://localhost:3000',
  })
  expect(loadStack({ DYNAMODB_PORT: '9003' }).environment.DYNAMODB_ENDPOINT).toBe('http://127.0.0.1:9003')
  expect(loadStack({}).environment.DYNAMODB_ENDPOINT).toBe('http://127.0.0.1:8001')
})

test('an archive holds the file as it was, readable for everyone, and is the same at any time', async () => {
  const content = Buffer.from('export const handler = 1\n'.repeat(50))
  const archive = Buffer.from(await zip({ 'functions/x.mjs': content }))
  const start = 30 + 'functions/x.mjs'.length
  expect(inflateRawSync(archive.subarray(start, start + archive.readUInt32LE(18)))).toEqual(content)
  const entry = archive.subarray(archive.indexOf('PK\x01\x02'))
  expect([entry[5], entry.readUInt16LE(40).toString(8)]).toEqual([UNIX, '100644'])
  vi.useFakeTimers({ now: new Date('2031-02-03T04:05:06Z'), toFake: ['Date'] })
  const later = await zip({ 'functions/x.mjs': content })
  vi.useRealTimers()
  expect(archive.equals(later)).toBe(true)
})

/** What an archive calls the system whose modes it holds. */
const UNIX = 3
