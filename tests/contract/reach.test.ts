import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { identifyingReach, reachOf } from '../../deploy/reach.ts'
import { events } from '../../deploy/routes.ts'
import { functionNames } from '../harness/functions.ts'

describe('the functions of the service', () => {
  const root = process.cwd()

  test('each reach something, and those behind the gateway all that it takes to find out who is calling', async () => {
    const reached = await reachOf(root, functionNames())
    const identifying = await identifyingReach(root)
    expect(identifying).toContain('dynamodb:BatchGetItem Table')
    expect([...reached.keys()].sort()).toEqual(functionNames().sort())
    for (const name of Object.keys(events))
      expect([name, identifying.filter((use) => !reached.get(name)?.includes(use))]).toEqual([name, []])
  })

  test('copy from where they read to where they write, and not back', async () => {
    const reached = await reachOf(root, ['projects', 'merger'])
    for (const uses of reached.values())
      expect(uses.filter((use) => /Object Bucket\/(pictures|assets)\//.test(use))).toEqual([
        's3:GetObject Bucket/assets/*',
        's3:PutObject Bucket/pictures/*',
      ])
  })

  test('reach what a handler leads to, however far, and no more', async () => {
    const reached = await reachOf(root, ['roles', 'assets', 'documents'])
    expect(reached.get('roles')).toContain('dynamodb:BatchWriteItem Table')
    expect(reached.get('assets')).toContain('s3:PutObject Bucket/uploads/*')
    expect(reached.get('assets')).not.toContain('s3:DeleteObject Bucket/uploads/*')
    expect(reached.get('documents')).not.toContain('dynamodb:Scan Table')
  })
})

describe('of code that is not ours', () => {
  let root: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'heritage-reach-'))
  })
  afterAll(() => rm(root, { recursive: true }))

  const reachOfCode = async (files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text)
    }
    return (await reachOf(root, ['one'])).get('one')
  }
  const table = `import { GetCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
    export const get = () => new GetCommand({})
    export const scan = () => new ScanCommand({})
    export const write = () => [{ Put: {} }, { ConditionCheck: {} }]`

  test('what nothing leads to is not granted', async () => {
    const one = `import { get } from '../lib/engines/table/table.ts'\nexport const handler = () => get()`
    expect(await reachOfCode({ 'lib/engines/table/table.ts': table, 'functions/one.ts': one })).toEqual([
      'dynamodb:GetItem Table',
    ])
  })

  test('a transaction is what is in it', async () => {
    const one = `import { write } from '../lib/engines/table/table.ts'\nexport const handler = () => write()`
    expect(await reachOfCode({ 'lib/engines/table/table.ts': table, 'functions/one.ts': one })).toEqual([
      'dynamodb:ConditionCheckItem Table',
      'dynamodb:PutItem Table',
    ])
  })

  test('a command that nobody has said the right of is refused', async () => {
    const one = `import { ExecuteStatementCommand } from '@aws-sdk/lib-dynamodb'
      export const handler = () => new ExecuteStatementCommand({})`
    await expect(reachOfCode({ 'functions/one.ts': one })).rejects.toThrow('functions/one.ts sends ExecuteStatement')
  })

  test('a file that works in a folder which nobody has named is refused', async () => {
    const blobs = 'export const getObject = (key) => key'
    const one = `import { getObject } from '../lib/engines/bucket/blobs.ts'\nexport const handler = () => getObject('x')`
    await expect(reachOfCode({ 'lib/engines/bucket/blobs.ts': blobs, 'functions/one.ts': one })).rejects.toThrow(
      'functions/one.ts calls getObject: say in deploy/folders.ts',
    )
  })
})
