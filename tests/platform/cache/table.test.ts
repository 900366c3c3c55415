import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { cacheTests } from '../../harness/cache-rules.ts'

cacheTests({ url: async () => 'dynamodb:', shared: true })

test('an answer that no item can hold is given and not kept', async () => {
  const { cacheAnswer } = await import('../../../lib/platform/cache/cached.ts')
  const large = async () => ({ text: randomBytes(400_000).toString('base64') })
  expect((await cacheAnswer('leaderboard', 'large', large)).hit).toBe(false)
  expect((await cacheAnswer('leaderboard', 'large', large)).hit).toBe(false)
})

test('an answer that repeats itself is kept, however long', async () => {
  const { cacheAnswer } = await import('../../../lib/platform/cache/cached.ts')
  const long = async () => ({ text: 'Āśoka '.repeat(100_000) })
  await cacheAnswer('leaderboard', 'long', long)
  expect(await cacheAnswer('leaderboard', 'long', long)).toEqual({ value: await long(), hit: true })
})

test('a store that cannot be written to is a miss', async () => {
  const { cacheAnswer } = await import('../../../lib/platform/cache/cached.ts')
  const { db } = await import('../../../lib/engines/table/client.ts')
  db.middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName === 'PutItemCommand' || context.commandName === 'PutCommand') throw new Error('full')
      return next(args)
    },
    { step: 'initialize', name: 'full' },
  )
  try {
    const work = async () => ({ n: 1 })
    expect(await cacheAnswer('leaderboard', 'full', work)).toEqual({ value: { n: 1 }, hit: false })
    expect(await cacheAnswer('leaderboard', 'full', work)).toEqual({ value: { n: 1 }, hit: false })
  } finally {
    db.middlewareStack.remove('full')
  }
})

test('kept answers go by themselves, and are not there when their time is over', async () => {
  const { cacheAnswer } = await import('../../../lib/platform/cache/cached.ts')
  const { walkTable } = await import('../../../lib/engines/table/read.ts')
  const { DynamoDBClient, ScanCommand } = await import('@aws-sdk/client-dynamodb')
  await cacheAnswer('leaderboard', 'expiring', async () => ({ n: 1 }))
  const client = new DynamoDBClient({
    region: 'us-east-1',
    endpoint: process.env.DYNAMODB_ENDPOINT ?? '',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })
  const { Items = [] } = await client.send(
    new ScanCommand({
      TableName: process.env.TABLE_NAME,
      FilterExpression: 'begins_with(pk, :cache)',
      ExpressionAttributeValues: { ':cache': { S: 'CACHE#' } },
    }),
  )
  expect(Items.length).toBeGreaterThan(0)
  expect(Items.every((it) => Number(it.expires_at?.N) > Date.parse('2025-01-15T10:00:00Z') / 1000)).toBe(true)
  expect(
    Items.every((it) => it.pk?.S?.startsWith(`CACHE#${process.pid}:`) || it.pk?.S?.startsWith('CACHE#apart:')),
  ).toBe(true)
  expect(await walkTable({ pk: 'CACHE#', forward: true, limit: 1 })).toEqual([])
})
