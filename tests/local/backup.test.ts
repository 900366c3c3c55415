import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BatchWriteItemCommandInput, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import type { DynamoDBRecord } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportTo, restoreFrom } from '../../local/commands/backup/backup.ts'
import { readBackupLines, sorter } from '../../local/commands/backup/lines.ts'
import { open, type Place } from '../../local/commands/backup/place.ts'
import { type App, openApp, type Persona } from '../harness/app.ts'
import { createTestTable } from '../harness/emulator.ts'
import { contribute, publish, sure } from '../harness/make.ts'

let app: App
let original: Place
let folder: string
let backup: string
let made: { id: number; cultural_entity_id: string }
let places = 0
const opened: Place[] = []

/** Every value that the table can hold. */
const everything = {
  text: { S: 'line one\nline two\u2028line three \ud83d\udd49 "quoted"' },
  empty: { S: '' },
  number: { N: '12345678901234567890.123456789' },
  yes: { BOOL: true },
  nothing: { NULL: true as const },
  bytes: { B: Buffer.from([0, 255, 10, 13]) },
  texts: { SS: ['b', 'a', 'c'] },
  numbers: { NS: ['10', '9', '-1.5'] },
  manyBytes: { BS: [Buffer.from([2, 0]), Buffer.from([1])] },
  list: { L: [{ S: 'x' }, { M: { z: { N: '1' }, a: { B: Buffer.from('deep') } } }, { L: [] }] },
}

async function emptyPlace(table = true): Promise<Place> {
  places += 1
  const name = `test-backup-${process.pid}-${Date.now()}-${places}`
  if (table) await createTestTable(name)
  const place = open({
    table: name,
    bucket: `${name}-files`,
    dynamodb: process.env.DYNAMODB_ENDPOINT,
    files: process.env.S3_ENDPOINT,
  })
  opened.push(place)
  await place.s3.send(new CreateBucketCommand({ Bucket: place.bucket }))
  return place
}

const putObject = ({ s3, bucket }: Place, Key: string, Body: string) =>
  s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body, ContentType: 'text/plain', Metadata: { by: 'test' } }))
const put = ({ db, table }: Place, pk: string, sk: string, more: object = {}) =>
  db.send(new PutItemCommand({ TableName: table, Item: { ...more, pk: { S: pk }, sk: { S: sk } } }))
const itemsIn = async ({ db, table }: Place) => (await db.send(new ScanCommand({ TableName: table }))).Items ?? []
const within = (name: string) => join(folder, name)

beforeAll(async () => {
  app = await openApp()
  made = await publish(app, 'structures', { name: 'Kept Temple', coordinates: '27.6722, 85.4279' })
  await contribute(app.contributor, 'deities', { name: 'Waiting Deity' })
  original = { ...(await emptyPlace(false)), table: process.env.TABLE_NAME ?? '' }
  await put(original, 'TEST#types', 'HEAD', everything)
  await putObject(original, 'sources/a.txt', 'first file')
  await putObject(original, 'sources/ž b.txt', 'second file')
  await putObject(original, 'exports/of-a-job.csv', 'made anew')
  folder = mkdtempSync(join(tmpdir(), 'heritage-backup-'))
  backup = within('first')
  await exportTo(backup, original, { objects: true })
})
afterAll(() => {
  for (const place of opened) place.close()
  rmSync(folder, { recursive: true, force: true })
})

test('export, restore, export gives the same files and hashes', async () => {
  const place = await emptyPlace()
  const restored = await restoreFrom(backup, place, { over: false })
  const again = await exportTo(within('again'), place, { objects: true })
  expect(again).toEqual(restored)
  for (const file of ['manifest.json', 'table.jsonl', 'bucket.jsonl'])
    expect(readFileSync(join(within('again'), file)).equals(readFileSync(join(backup, file)))).toBe(true)
})

test('every type of value survives', async () => {
  const place = await emptyPlace()
  await restoreFrom(backup, place, { over: false })
  const { pk: _, sk: __, ...values } = (await itemsIn(place)).find(({ pk }) => pk?.S === 'TEST#types') ?? {}
  const bytes = (list: Uint8Array[] = []) => list.map((each) => Buffer.from(each).toString('hex')).sort()
  expect(values.text).toEqual(everything.text)
  expect(values.empty).toEqual(everything.empty)
  expect(values.number).toEqual(everything.number)
  expect([values.yes, values.nothing]).toEqual([everything.yes, everything.nothing])
  expect(Buffer.from(values.bytes?.B ?? [])).toEqual(everything.bytes.B)
  expect(values.texts?.SS?.sort()).toEqual(['a', 'b', 'c'])
  expect(values.numbers?.NS?.sort()).toEqual(['-1.5', '10', '9'])
  expect(bytes(values.manyBytes?.BS)).toEqual(['01', '0200'])
  expect(values.list?.L?.[1]?.M?.a?.B && Buffer.from(values.list.L[1].M.a.B).toString()).toBe('deep')
})

test('the service reads from the restored table what it read from the first', async () => {
  const paths = ['/cidoc/structures/', `/cidoc/structures/${made.id}/`, '/cidoc/assertions/', '/data/review-queue/']
  const read = (who: Persona) => Promise.all(paths.map(async (path) => sure(200, await who.get(path))))
  const before = await read(app.curator)
  const place = await emptyPlace()
  await restoreFrom(backup, place, { over: false })
  // A service that stands on it has roles for it.
  process.env.TABLE_NAME = place.table
  const { db } = await import('../../lib/engines/table/client.ts')
  db.middlewareStack.add(
    (next) => async (args) => {
      const input = renamed(args.input, original.table, place.table) as typeof args.input
      const result = await next({ ...args, input })
      const { Responses }: { Responses?: Record<string, unknown> } = Object(result.output)
      if (Responses) Object.assign(Responses, { [original.table]: Responses[place.table] })
      return result
    },
    { step: 'initialize', name: 'elsewhere' },
  )
  try {
    // Sessions are not kept: whoever was signed in signs in again.
    const body = { username: 'curator', password: 'heritage-local' }
    const { access } = sure(200, await app.anon.post('/api/token/', { body }))
    expect(await read(app.as(access))).toEqual(before)
  } finally {
    db.middlewareStack.remove('elsewhere')
    process.env.TABLE_NAME = original.table
  }
})

/** An input of a command, with one table's name in the place of another's. */
const renamed = (input: unknown, from: string, to: string): unknown =>
  JSON.parse(JSON.stringify(input).replaceAll(from, to))

test('the projector meets a restored table as if all were new, and changes nothing', async () => {
  const { handler } = await import('../../functions/projector.ts')
  const everyItemIsNew = async () => {
    const Records = (await itemsIn(original))
      .filter(({ pk }) => !pk?.S?.startsWith('TEST#'))
      .map(
        (NewImage, i) =>
          ({
            eventName: 'INSERT',
            dynamodb: { Keys: { pk: NewImage.pk, sk: NewImage.sk }, NewImage, SequenceNumber: String(i) },
          }) as DynamoDBRecord,
      )
    expect(await handler({ Records })).toEqual({ batchItemFailures: [] })
  }
  // Once for what the tests have done so far, which no stream has told it.
  await everyItemIsNew()
  const before = await exportTo(within('before-projector'), original, { objects: false })
  await everyItemIsNew()
  const after = await exportTo(within('after-projector'), original, { objects: false })
  expect(after).toEqual(before)
})

test('what the projector makes of others is written before them, so that it counts nothing twice', async () => {
  const place = await emptyPlace()
  const written: { made: boolean; began: number; ended: number }[] = []
  let moment = 0
  place.db.middlewareStack.add(
    (next) => async (args) => {
      const items = Object.values((args.input as BatchWriteItemCommandInput).RequestItems ?? {}).flat()
      const began = moment++
      const result = await next(args)
      const ended = moment++
      for (const { PutRequest } of items) {
        const { pk, sk } = PutRequest?.Item ?? {}
        const made = /^(COUNT|BOARD|INBOX|NOTIFICATION|RELATED)#/.test(pk?.S ?? '') || sk?.S?.startsWith('HEAD#LINK#')
        written.push({ made: made === true, began, ended })
      }
      return result
    },
    { step: 'initialize', name: 'order' },
  )
  await restoreFrom(backup, place, { over: false })
  const [first, second] = [written.filter(({ made }) => made), written.filter(({ made }) => !made)]
  expect(first.length).toBeGreaterThan(10)
  expect(second.length).toBeGreaterThan(20)
  expect(Math.max(...first.map(({ ended }) => ended))).toBeLessThan(Math.min(...second.map(({ began }) => began)))
})

test('objects come back with bytes, type and metadata; what a job makes is left out', async () => {
  const place = await emptyPlace()
  await restoreFrom(backup, place, { over: false })
  const read = (Key: string) => place.s3.send(new GetObjectCommand({ Bucket: place.bucket, Key }))
  const { Body, ContentType, Metadata } = await read('sources/ž b.txt')
  expect([await Body?.transformToString(), ContentType, Metadata]).toEqual([
    'second file',
    'text/plain',
    { by: 'test' },
  ])
  await expect(read('exports/of-a-job.csv')).rejects.toThrow()
})

test('sessions, throttles, claims on work, progress and what can be worked out again are not in a backup', async () => {
  const place = await emptyPlace()
  await put(place, 'USER#1', 'HEAD', { expires_at: { N: '1' } })
  const passing = [
    'TOKEN#session#1',
    'TOKEN#idp#1',
    'RATE#token#1',
    'STUB#place#asan',
    'PROJECTOR',
    'SEARCH',
    'SEARCH#LOG',
    'VERSIONS',
    'CACHE#1',
  ]
  for (const pk of passing) await put(place, pk, 'HEAD')
  await put(place, 'ENTITY#1', 'LEASE')
  const { table } = await exportTo(within('passing'), place, { objects: false })
  expect(table.lines).toBe(1)
  expect(readFileSync(join(within('passing'), 'table.jsonl'), 'utf8')).toBe(
    '{"pk":{"S":"USER#1"},"sk":{"S":"HEAD"},"expires_at":{"N":"1"}}\n',
  )
})

test('without the objects it is their index with hashes', async () => {
  const { objects, bucket } = await exportTo(within('index'), original, { objects: false })
  const withObjects = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'))
  expect([objects, bucket]).toEqual([false, withObjects.bucket])
  const place = await emptyPlace()
  await restoreFrom(within('index'), place, { over: false })
  expect((await itemsIn(place)).length).toBeGreaterThan(10)
})

test('only the operator may read the files', () => {
  for (const file of ['manifest.json', 'table.jsonl', 'bucket.jsonl'])
    expect(statSync(join(backup, file)).mode & 0o777).toBe(0o600)
  expect(statSync(backup).mode & 0o777).toBe(0o700)
})

test('a folder that is not empty is not exported into', async () => {
  await expect(exportTo(backup, original, { objects: false })).rejects.toThrow('is not empty. Name a new folder.')
})

describe('a bag', () => {
  test('is accepted by sha256sum and restores the same', async () => {
    const bag = within('bag')
    const manifest = await exportTo(bag, original, { objects: true, bag: true })
    for (const name of ['manifest-sha256.txt', 'tagmanifest-sha256.txt'])
      expect(spawnSync('sha256sum', ['-c', name], { cwd: bag }).status).toBe(0)
    const place = await emptyPlace()
    await restoreFrom(bag, place, { over: false })
    const again = await exportTo(within('bag-again'), place, { objects: true })
    expect(again).toEqual(manifest)
  })

  test.each<[string, string, (at: string) => void]>([
    [
      'was changed',
      'data/table.jsonl was changed since it was written.',
      (at) => appendFileSync(join(at, 'data/table.jsonl'), ' '),
    ],
    ['is missing', 'data/bucket.jsonl is missing.', (at) => rmSync(join(at, 'data/bucket.jsonl'))],
    ['is not named', 'data/more.txt is in no manifest.', (at) => writeFileSync(join(at, 'data/more.txt'), 'x')],
    [
      'lies outside',
      'manifest-sha256.txt names data/../../secret, which is not in data.',
      (at) => appendFileSync(join(at, 'manifest-sha256.txt'), `${'0'.repeat(64)}  data/../../secret\n`),
    ],
  ])('of which a file %s restores nothing', async (name, message, spoil) => {
    const bag = within(`bag ${name}`)
    cpSync(within('bag'), bag, { recursive: true })
    spoil(bag)
    const place = await emptyPlace()
    await expect(restoreFrom(bag, place, { over: false })).rejects.toThrow(message)
    expect(await itemsIn(place)).toEqual([])
  })
})

describe('nothing is written when', () => {
  const cases: Readonly<Record<string, { harm: (at: string) => void; says: string }>> = {
    'the manifest is missing': {
      harm: (at) => rmSync(join(at, 'manifest.json')),
      says: 'manifest.json is missing',
    },
    'the manifest is no JSON': {
      harm: (at) => writeFileSync(join(at, 'manifest.json'), '{"format"'),
      says: 'manifest.json cannot be read',
    },
    'the manifest is changed': {
      harm: (at) => alter(join(at, 'manifest.json'), (text) => text.replace('"objects": true', '"objects": false')),
      says: 'manifest.json was changed since it was written.',
    },
    'the table is missing': { harm: (at) => rmSync(join(at, 'table.jsonl')), says: 'table.jsonl is missing.' },
    'the table is cut off': {
      harm: (at) => alter(join(at, 'table.jsonl'), (text) => text.slice(0, -100)),
      says: 'table.jsonl is cut off: ',
    },
    'one letter of the table is another': {
      harm: (at) => alter(join(at, 'table.jsonl'), (text) => text.replace('Kept Temple', 'Kent Temple')),
      says: 'table.jsonl was changed since it was written.',
    },
    'the index of the bucket is changed': {
      harm: (at) => alter(join(at, 'bucket.jsonl'), (text) => text.replace('a.txt', 'b.txt')),
      says: 'bucket.jsonl was changed since it was written.',
    },
    'an object is changed': {
      harm: (at) => writeFileSync(objectAt(at, 'sources/a.txt'), 'first fire'),
      says: '(sources/a.txt) was changed since it was written.',
    },
    'an object is missing': {
      harm: (at) => rmSync(objectAt(at, 'sources/a.txt')),
      says: '(sources/a.txt) is missing.',
    },
  }
  const alter = (path: string, change: (text: string) => string) => {
    chmodSync(path, 0o600)
    writeFileSync(path, change(readFileSync(path, 'utf8')))
  }
  const objectAt = (at: string, key: string) => {
    const lines = readFileSync(join(at, 'bucket.jsonl'), 'utf8').trimEnd().split('\n')
    const entry = lines.map((line) => JSON.parse(line)).find((each) => each.key === key)
    return join(at, 'objects', entry.sha256)
  }

  test.each(Object.entries(cases))('%s', async (name, { harm, says }) => {
    const at = within(name.replaceAll(' ', '-'))
    cpSync(backup, at, { recursive: true })
    harm(at)
    const place = await emptyPlace()
    await expect(restoreFrom(at, place, { over: true })).rejects.toThrow(says)
    expect(await itemsIn(place)).toEqual([])
  })

  test('the table or the bucket is not empty', async () => {
    const place = await emptyPlace()
    await putObject(place, 'sources/here.txt', 'already')
    await expect(restoreFrom(backup, place, { over: false })).rejects.toThrow(
      `The bucket ${place.bucket} is not empty.`,
    )
    await put(place, 'USER#here', 'HEAD')
    await expect(restoreFrom(backup, place, { over: false })).rejects.toThrow(`The table ${place.table} is not empty.`)
    expect(await itemsIn(place)).toHaveLength(1)
  })
})

test('a restore that was broken off is repeated with --over, and the whole is the same', async () => {
  const place = await emptyPlace()
  const [first = ''] = readFileSync(join(backup, 'table.jsonl'), 'utf8').split('\n')
  const { itemOf } = await import('../../local/commands/backup/items.ts')
  await place.db.send(new PutItemCommand({ TableName: place.table, Item: itemOf(first) }))
  const restored = await restoreFrom(backup, place, { over: true })
  expect(await exportTo(within('repeated'), place, { objects: true })).toEqual(restored)
})

test('what does not fit into memory is sorted in files, which gives the same', async () => {
  const { table } = await exportTo(within('small'), original, { objects: false, most: 2000 })
  const whole = await exportTo(within('large'), original, { objects: false })
  expect(table).toEqual(whole.table)
  const lines = sorter(within('runs'), 10)
  for (const line of ['pear', 'fig', 'quince', 'apple', 'plum', 'kiwi']) lines.add(line)
  expect(await Array.fromAsync(lines.sorted())).toEqual(['apple', 'fig', 'kiwi', 'pear', 'plum', 'quince'])
})

test('lines end in line feeds only, wherever chunks end', async () => {
  const path = within('lines.txt')
  const long = 'ž'.repeat(1_100_000)
  writeFileSync(path, `a\u2028b\r\n${long}\nend`)
  expect(await Array.fromAsync(readBackupLines(path))).toEqual(['a\u2028b\r', long, 'end'])
})

describe('on the command line', () => {
  const command = (name: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [`local/commands/${name}.ts`, ...args], {
      encoding: 'utf8',
    })
    return { status, said: `${stdout}${stderr}`.trim() }
  }

  test.each(['export', 'restore'])('%s without a folder explains itself', (name) => {
    const { status, said } = command(name)
    expect([status, said.startsWith(`npm run ${name} -- DIR`)]).toEqual([2, true])
  })

  test('a table without its bucket is refused', () => {
    expect(command('export', within('never'), '--table', 'one')).toEqual({
      status: 1,
      said: '--table and --bucket go together.',
    })
  })
})
