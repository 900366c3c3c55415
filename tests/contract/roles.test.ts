import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BatchGetItemCommand, DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { CopyObjectCommand, GetObjectCommand, HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAccessRecord, type Roles, refusal } from '../../deploy/access/judge.ts'
import { grantFor, type PolicyStatement } from '../../deploy/access/policy.ts'
import { needsOfTarget } from '../../deploy/access/requests.ts'
import { startTableGate, type TableGate } from '../../deploy/access/table-gate.ts'
import { resolveReference } from '../../deploy/access/template.ts'
import { type FileServer, startS3 } from '../../deploy/stand-ins/s3.ts'
import { postFields, presignedGet } from '../../lib/engines/bucket/presign.ts'
import { createTestTable } from '../harness/emulator.ts'

const allow = (Action: string[], Resource: string[], more: Partial<PolicyStatement> = {}): PolicyStatement => ({
  ...{ Effect: 'Allow', Action, Resource },
  ...more,
})

describe('a policy', () => {
  const need = { action: 's3:GetObject', resource: 'arn:aws:s3:::files/assets/1' }

  test('allows what one of its statements names, by stars too, and nothing else', () => {
    const statements = [allow(['s3:GetObject'], ['arn:aws:s3:::files/assets/*'])]
    expect(grantFor(statements, need)).toEqual({ action: 's3:GetObject', resource: 'arn:aws:s3:::files/assets/*' })
    expect(grantFor(statements, { ...need, resource: 'arn:aws:s3:::files/assetsx' })).toBeUndefined()
    expect(grantFor(statements, { ...need, action: 's3:PutObject' })).toBeUndefined()
    expect(grantFor([], need)).toBeUndefined()
  })

  test('that denies wins over one that allows', () => {
    const denies = allow(['s3:*'], ['arn:aws:s3:::files/assets/1'], { Effect: 'Deny' })
    expect(grantFor([allow(['s3:GetObject'], ['*']), denies], need)).toBeUndefined()
  })

  test('with a condition holds where the request says so; an unknown one is no policy at all', () => {
    const on = (Condition: PolicyStatement['Condition']) => [
      allow(['s3:GetObject'], ['*'], Condition ? { Condition } : {}),
    ]
    const by = { StringEquals: { 'aws:SourceAccount': ['1', '2'] } }
    expect(grantFor(on(by), { ...need, context: { 'aws:SourceAccount': '2' } })).toBeDefined()
    expect(grantFor(on(by), { ...need, context: { 'aws:SourceAccount': '3' } })).toBeUndefined()
    expect(grantFor(on(by), need)).toBeUndefined()
    expect(() => grantFor(on({ IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } }), need)).toThrow('IpAddress')
  })

  test('whose references cannot be followed is no policy at all', () => {
    expect(
      resolveReference(
        { 'Fn::Join': ['', [{ 'Fn::GetAtt': ['T', 'Arn'] }, '/index/a']] },
        {
          T: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: { 'Fn::Sub': `x-\${AWS::Region}` } } },
        },
      ),
    ).toBe('arn:aws:dynamodb:us-east-1:000000000000:table/x-us-east-1/index/a')
    expect(() => resolveReference({ 'Fn::ImportValue': 'x' }, {})).toThrow('Fn::ImportValue')
  })
})

describe('a role', () => {
  const roles: Roles = new Map([
    ['reader', [allow(['dynamodb:GetItem'], ['arn:aws:dynamodb:us-east-1:000000000000:table/t'])]],
  ])
  const call = (operation: string, input: object) =>
    needsOfTarget({
      ...{ method: 'POST', path: '/', query: {}, body: JSON.stringify(input) },
      headers: { 'x-amz-target': `DynamoDB_20120810.${operation}` },
    })

  test('is asked for every table of a batch, every part of a transaction, and the index', () => {
    const places = (operation: string, input: object) =>
      call(operation, input).map(({ action, resource }) => `${action} ${resource.split(':').at(-1)}`)
    expect(places('BatchGetItem', { RequestItems: { a: {}, b: {} } })).toEqual([
      'dynamodb:BatchGetItem table/a',
      'dynamodb:BatchGetItem table/b',
    ])
    const TransactItems = [{ Put: { TableName: 'a' } }, { ConditionCheck: { TableName: 'b' } }]
    expect(places('TransactWriteItems', { TransactItems })).toEqual([
      'dynamodb:PutItem table/a',
      'dynamodb:ConditionCheckItem table/b',
    ])
    expect(places('Query', { TableName: 'a', IndexName: 'i' })).toEqual(['dynamodb:Query table/a/index/i'])
  })

  test('holds back who has it, and a name without one altogether; both are noted', () => {
    const record = newAccessRecord()
    expect(refusal(roles, 'reader', call('GetItem', { TableName: 't' }), record)).toBeUndefined()
    expect(refusal(roles, 'reader', call('PutItem', { TableName: 't' }), record)?.action).toBe('dynamodb:PutItem')
    expect(refusal(roles, 'stranger', call('GetItem', { TableName: 't' }), record)).toBeDefined()
    expect(refusal(roles, undefined, call('GetItem', { TableName: 't' }), record)).toBeDefined()
    expect([...record.used]).toEqual(['reader dynamodb:GetItem arn:aws:dynamodb:us-east-1:000000000000:table/t'])
    expect(record.denied.size).toBe(3)
  })
})

const credentials = (accessKeyId: string) => ({ accessKeyId, secretAccessKey: 'local' })
const region = 'us-east-1'

describe('the table', () => {
  const table = `test-roles-${process.pid}`
  const arn = `arn:aws:dynamodb:us-east-1:000000000000:table/${table}`
  let gate: TableGate
  beforeAll(async () => {
    await createTestTable(table)
    const roles: Roles = new Map([['putter', [allow(['dynamodb:PutItem'], [arn])]]])
    gate = await startTableGate(process.env.DYNAMODB_ENDPOINT ?? '', roles, newAccessRecord())
  })
  afterAll(() => gate.stop())

  const as = (name: string) => new DynamoDBClient({ region, endpoint: gate.endpoint, credentials: credentials(name) })
  const Item = { pk: { S: 'a' }, sk: { S: 'b' } }

  test('answers what is granted, and refuses the rest as AWS does', async () => {
    const RequestItems = { [table]: { Keys: [Item] } }
    await as('putter').send(new TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName: table, Item } }] }))
    expect((await as('local').send(new BatchGetItemCommand({ RequestItems }))).Responses?.[table]).toEqual([Item])
    await expect(as('putter').send(new BatchGetItemCommand({ RequestItems }))).rejects.toMatchObject({
      name: 'AccessDeniedException',
      $metadata: { httpStatusCode: 400, attempts: 1 },
      message: `User: arn:aws:sts::000000000000:assumed-role/putter/putter is not authorized to perform: dynamodb:BatchGetItem on resource: ${arn} because no identity-based policy allows the dynamodb:BatchGetItem action`,
    })
  })

  test('refuses a transaction of which one part is not granted, whole', async () => {
    const other = { pk: { S: 'a' }, sk: { S: 'c' } }
    const TransactItems = [{ Put: { TableName: table, Item: other } }, { Delete: { TableName: table, Key: Item } }]
    await expect(as('putter').send(new TransactWriteItemsCommand({ TransactItems }))).rejects.toMatchObject({
      name: 'AccessDeniedException',
    })
    const { Responses } = await as('local').send(
      new BatchGetItemCommand({ RequestItems: { [table]: { Keys: [other] } } }),
    )
    expect(Responses?.[table]).toEqual([])
  })
})

describe('the bucket', () => {
  const Bucket = 'files'
  let directory: string
  let files: FileServer
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'heritage-gate-'))
    const at = (place: string) => `arn:aws:s3:::${Bucket}${place}`
    const roles: Roles = new Map([
      ['reader', [allow(['s3:GetObject'], [at('/assets/*')])]],
      ['lister', [allow(['s3:GetObject'], [at('/assets/*')]), allow(['s3:ListBucket'], [at('')])]],
      ['copier', [allow(['s3:GetObject'], [at('/assets/*')]), allow(['s3:PutObject'], [at('/copies/*')])]],
      ['writer', [allow(['s3:PutObject'], [at('/assets/*')])]],
    ])
    files = await startS3({
      port: 0,
      directory,
      bucket: Bucket,
      access: { roles: () => roles, record: newAccessRecord() },
    })
    await as('writer').send(new PutObjectCommand({ Bucket, Key: 'assets/1', Body: 'one' }))
  })
  afterAll(async () => {
    await files.stop()
    await rm(directory, { recursive: true })
  })

  const as = (name: string) =>
    new S3Client({
      ...{ region, endpoint: files.endpoint, forcePathStyle: true, credentials: credentials(name) },
      ...{ requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' },
    })
  const denied = { name: 'AccessDenied', $metadata: { httpStatusCode: 403 } }

  test('gives what is granted and refuses the rest with 403', async () => {
    const { Body } = await as('reader').send(new GetObjectCommand({ Bucket, Key: 'assets/1' }))
    expect(await Body?.transformToString()).toBe('one')
    await expect(as('writer').send(new GetObjectCommand({ Bucket, Key: 'assets/1' }))).rejects.toMatchObject(denied)
    await expect(as('reader').send(new GetObjectCommand({ Bucket, Key: 'other/1' }))).rejects.toMatchObject(denied)
  })

  test('says 404 for what is not there to those who may list it, and 403 to others', async () => {
    const missing = new GetObjectCommand({ Bucket, Key: 'assets/none' })
    await expect(as('lister').send(missing)).rejects.toMatchObject({ name: 'NoSuchKey' })
    await expect(as('reader').send(missing)).rejects.toMatchObject(denied)
    const head = new HeadObjectCommand({ Bucket, Key: 'assets/none' })
    await expect(as('lister').send(head)).rejects.toMatchObject({ $metadata: { httpStatusCode: 404 } })
    await expect(as('reader').send(head)).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } })
  })

  test('asks for both rights of a copy', async () => {
    const copy = (Key: string) => new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/assets/1` })
    await as('copier').send(copy('copies/1'))
    await expect(as('copier').send(copy('assets/2'))).rejects.toMatchObject(denied)
    await expect(as('writer').send(copy('assets/2'))).rejects.toMatchObject(denied)
  })

  test('judges an address and a form by the rights of who signed them, and takes nothing unsigned', async () => {
    const by = (name: string) => ({ region, credentials: credentials(name), at: new Date() })
    const at = new URL(`${files.endpoint}/${Bucket}/assets/1`)
    const get = async (address: string | URL) => (await fetch(address)).status
    expect(await get(await presignedGet(at, {}, 60, by('reader')))).toBe(200)
    expect(await get(await presignedGet(at, {}, 60, by('writer')))).toBe(403)
    expect(await get(at)).toBe(403)
    const post = async (name: string, key: string) => {
      const rule = { bucket: Bucket, key, type: 'text/plain', size: 3, until: new Date(Date.now() + 60_000) }
      const body = new FormData()
      for (const [member, value] of Object.entries(await postFields(rule, by(name)))) body.set(member, value)
      body.set('file', new File(['two'], 'two.txt'))
      return (await fetch(`${files.endpoint}/${Bucket}`, { method: 'POST', body })).status
    }
    expect(await post('writer', 'assets/3')).toBe(204)
    expect(await get(await presignedGet(new URL(`${files.endpoint}/${Bucket}/assets/3`), {}, 60, by('reader')))).toBe(
      200,
    )
    expect(await post('writer', 'other/3')).toBe(403)
    expect(await post('reader', 'assets/3')).toBe(403)
  })
})
