import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { BatchWriteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Item, itemOf, writeTable } from '../../../local/commands/backup/items.ts'
import { readBackupLines } from '../../../local/commands/backup/lines.ts'
import { open, type Place } from '../../../local/commands/backup/place.ts'
import { type App, openApp } from '../../harness/app.ts'
import { bareEnvironment } from '../../harness/bare-environment.ts'
import { sure } from '../../harness/make.ts'
import { openProvider, type Provider, START } from '../../harness/provider.ts'

/** A table of version 0.2: seeded people, five who signed in by a provider, two records, a key, and an imported claim about no record. */
const STORED = join(import.meta.dirname, 'stored-0.2.jsonl')

let app: App
let idp: Provider
let place: Place
let migrations: typeof import('../../../lib/domain/migrations/migrate.ts')
let users: typeof import('../../../lib/platform/users/users.ts')
beforeAll(async () => {
  idp = await openProvider()
  app = await openApp({ env: idp.env })
  const { TABLE_NAME: table = '', BUCKET_NAME: bucket = '', DYNAMODB_ENDPOINT, S3_ENDPOINT } = process.env
  place = open({ table, bucket, dynamodb: DYNAMODB_ENDPOINT, files: S3_ENDPOINT })
  migrations = await import('../../../lib/domain/migrations/migrate.ts')
  users = await import('../../../lib/platform/users/users.ts')
})
afterAll(async () => {
  await idp.stop()
  place.close()
})

/** All items of the table, with their keys. */
async function items(): Promise<Item[]> {
  const { Items = [] } = await place.db.send(new ScanCommand({ TableName: place.table }))
  return Items as Item[]
}

async function empty(): Promise<void> {
  const all = await items()
  for (let start = 0; start < all.length; start += 25) {
    const requests = all.slice(start, start + 25).map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }))
    await place.db.send(new BatchWriteItemCommand({ RequestItems: { [place.table]: requests as never } }))
  }
}

async function restore(): Promise<void> {
  await empty()
  async function* stored() {
    for await (const line of readBackupLines(STORED)) yield itemOf(line)
  }
  await writeTable(place, stored())
}

/** The caller with this subject and address at the provider. */
let tokens = 0
function signedIn(sub: string, email: string) {
  const token = `ya29.${sub}-${++tokens}`
  const tokeninfo = { active: true, aud: 'heritage-test', exp: START + 3600 }
  idp.tokens.set(token, { userinfo: { sub, email, email_verified: true }, tokeninfo })
  return app.as(token)
}
const idOf = async (sub: string, email: string) =>
  sure(200, await signedIn(sub, email).get('/data/user/me/')).user_id as string
const idOfAddress = async (email: string) => (await users.loadUserByEmail(email))?.id
const people = ['maya', 'hari', 'sita', 'gita', 'ram']
const subjectsOf = async () =>
  Promise.all(people.map(async (it) => (await users.loadUserByEmail(`${it}@example.org`))?.subjects))
const claims = async () => (await items()).flatMap(({ pk }) => (pk?.S?.startsWith('SUBJECT#') ? [pk.S] : [])).sort()
/** The note of the imported claim: a line of its own says which row of a table it comes from. */
const NOTE = 'page as given: 12\nrow: kg:claim/7'
const oneLot = () => migrations.workOnMigration(0, 4)
/** Works on ten lots, while somebody else changes the item whose write holds this text. */
async function lotsBesideOthers(text: string) {
  const { db } = await import('../../../lib/engines/table/client.ts')
  const { TransactionCanceledException } = await import('@aws-sdk/client-dynamodb')
  const send = db.send.bind(db)
  const CancellationReasons = [{ Code: 'ConditionalCheckFailed' }]
  const racing = vi
    .spyOn(db, 'send')
    .mockImplementation(((command: { input: { TransactItems?: object[] } }) =>
      JSON.stringify(command.input.TransactItems ?? '').includes(text)
        ? Promise.reject(new TransactionCanceledException({ message: 'changed', $metadata: {}, CancellationReasons }))
        : send(command as never)) as never)
  for (let lots = 0; lots < 10; lots += 1) await oneLot()
  racing.mockRestore()
}
async function workToTheEnd() {
  for (let lots = 0; (await migrations.migrationState()).task; lots += 1) {
    await oneLot()
    expect(lots).toBeLessThan(200)
  }
}

describe('a table of version 0.2', () => {
  beforeAll(restore)

  test('is read as it is: records, keys of people, and sign-ins by a provider', async () => {
    expect(await migrations.migrationState()).toEqual({ layout: 2, newest: 4, task: null })
    const list = sure(200, await app.anon.get('/cidoc/structures/'))
    expect(list.results.map((it: { name: string }) => it.name)).toEqual(['Manga Hiti'])
    sure(200, await app.contributor.get('/data/user/me/'))
    expect(await idOf('sub-maya', 'maya@example.org')).toBe(await idOfAddress('maya@example.org'))
  })

  test('without a step begun nothing is rewritten', async () => {
    expect(await migrations.workOnMigration(0)).toBe(0)
    expect((await subjectsOf()).slice(1)).toEqual(people.slice(1).map((it) => ({ idp: `sub-${it}` })))
  })

  test('is rewritten in lots while people sign in; a worker that dies loses no more than its lot', async () => {
    expect(await migrations.beginMigration()).toBe(true)
    await oneLot()
    const { task } = await migrations.migrationState()
    expect(task).toMatchObject({ step: 3, direction: 'forward', position: expect.stringContaining('#') })
    // The worker dies in its next lot.
    const { db } = await import('../../../lib/engines/table/client.ts')
    const send = db.send.bind(db)
    let calls = 0
    const dying = vi.spyOn(db, 'send').mockImplementation(((command: never) => {
      calls += 1
      return calls === 4 ? Promise.reject(new TypeError('dead')) : send(command)
    }) as never)
    await expect(oneLot()).rejects.toThrow('dead')
    dying.mockRestore()
    expect((await migrations.migrationState()).task).toMatchObject({ position: task?.position })
    expect(await idOf('sub-hari', 'hari@example.org')).toBe(await idOfAddress('hari@example.org'))
    // Going on with a step that is under way begins nothing anew.
    expect(await migrations.beginMigration()).toBe(true)
    expect((await migrations.migrationState()).task).toMatchObject({ position: task?.position })
    await workToTheEnd()
    expect(await migrations.migrationState()).toMatchObject({ layout: 3, task: null })
    expect(await subjectsOf()).toEqual(people.map((it) => ({ [idp.url]: `sub-${it}` })))
    expect(await claims()).toEqual(people.map((it) => `SUBJECT#${idp.url}#sub-${it}`).sort())
  })

  test('then finds people by their subject, whatever their address is by now', async () => {
    const ram = await idOfAddress('ram@example.org')
    expect(await idOf('sub-ram', 'ram.new@example.org')).toBe(ram)
    // The address of the account follows the provider, there and back.
    expect(await idOf('sub-ram', 'ram@example.org')).toBe(ram)
  })

  /** The imported claim, by its row. Of two pages of the list one is told by its note. */
  const byRow = async () => {
    const { results } = sure(200, await app.curator.get('/cidoc/assertions/', { query: { identifier: 'kg:claim/7' } }))
    return results.map((it: { identifier: string; asserted_value: string }) => [it.identifier, it.asserted_value])
  }
  const claim = async () => {
    const { results } = sure(200, await app.curator.get('/cidoc/assertions/', { query: { status: 'pending' } }))
    return results.find((it: { asserted_value: string }) => it.asserted_value === 'Seven steps')
  }

  test('then gives claims about no record the identifiers that their notes tell, each once, whatever others change meanwhile', async () => {
    const before = await claim()
    expect([before.identifier, before.data_quality_note, await byRow()]).toEqual([undefined, NOTE, []])
    await migrations.beginMigration()
    await lotsBesideOthers('kg:claim/7')
    await workToTheEnd()
    expect(await migrations.migrationState()).toMatchObject({ layout: 4, task: null })
    expect(await byRow()).toEqual([['kg:claim/7', 'Seven steps']])
    expect(await claim()).toEqual({ ...before, identifier: 'kg:claim/7' })
  })

  test('has nothing left to do', async () => {
    expect([await migrations.beginMigration(), await migrations.workOnMigration(0)]).toEqual([false, 0])
  })

  test('takes identifiers back. A claim that was made with one gets the line by which the earlier version finds it', async () => {
    const body = { asserted_property: 'condition', asserted_value: 'Worn', identifier: 'kg:claim/8' }
    const made = sure(201, await app.contributor.post('/cidoc/assertions/', { body }))
    await migrations.beginUndo()
    await workToTheEnd()
    expect(await migrations.migrationState()).toMatchObject({ layout: 3, task: null })
    const back = sure(200, await app.contributor.get(`/cidoc/assertions/${made.id}/`))
    expect([back.identifier, back.data_quality_note, await byRow()]).toEqual([undefined, 'row: kg:claim/8', []])
    expect((await claim()).data_quality_note).toBe(NOTE)
    await migrations.beginMigration()
    await workToTheEnd()
    expect(await byRow()).toEqual([['kg:claim/7', 'Seven steps']])
    await migrations.beginUndo()
    await workToTheEnd()
  })

  test('goes back to the layout before, and forward again, also in the middle', async () => {
    expect(await migrations.beginUndo()).toBe(true)
    await oneLot()
    expect(await migrations.beginMigration()).toBe(true)
    await oneLot()
    expect(await migrations.beginUndo()).toBe(true)
    await workToTheEnd()
    expect(await migrations.migrationState()).toMatchObject({ layout: 2, task: null })
    expect(await subjectsOf()).toEqual(people.map((it) => ({ idp: `sub-${it}` })))
    expect(await claims()).toEqual([])
    expect(await migrations.beginUndo()).toBe(false)
    await migrations.beginMigration()
    await workToTheEnd()
    expect(await subjectsOf()).toEqual(people.map((it) => ({ [idp.url]: `sub-${it}` })))
  })

  test('is rewritten wholly, though others change a person each time in the passes before the last', async () => {
    await restore()
    await migrations.beginMigration()
    await lotsBesideOthers('sub-ram')
    await workToTheEnd()
    expect(await subjectsOf()).toEqual(people.map((it) => ({ [idp.url]: `sub-${it}` })))
  })

  test('a subject that another account claims stays for staff to settle', async () => {
    await restore()
    const [dev, ram] = await Promise.all(
      ['dev@heritage.test', 'ram@example.org'].map((address) => users.loadUserByEmail(address)),
    )
    const { inUnit } = await import('../../../lib/platform/unit-of-work.ts')
    const subjects = { [idp.url]: 'sub-ram' }
    await inUnit((unit) =>
      users.amendUserByPlan(unit, dev?.id ?? '', async (it) => ({
        changes: { subjects },
        also: users.subjectWrites(it, subjects),
      })),
    )
    await migrations.beginMigration()
    await workToTheEnd()
    expect((await users.loadUser(ram?.id ?? ''))?.subjects).toEqual({ idp: 'sub-ram' })
  })
})

describe('a table without people', () => {
  test('is stamped as new', async () => {
    await empty()
    expect(await migrations.workOnMigration(0)).toBe(0)
    expect(await migrations.migrationState()).toEqual({ layout: 4, newest: 4, task: null })
  })
})

describe('a table of another version', () => {
  const stampAs = (layout: number) =>
    writeTable(
      place,
      (async function* () {
        const keys = { pk: { S: 'LAYOUT' }, sk: { S: 'HEAD' } }
        yield { ...keys, layout: { N: String(layout) }, task: { NULL: true }, version: { N: '1' } }
      })(),
    )
  const newer =
    'The table has layout 9, which a newer version has made. This version reads layouts 2 to 4: deploy the newer version, or let it undo its step (npm run migrate -- undo).'
  const older =
    'The table has layout 1. This version reads layouts 2 to 4: deploy a version in between first, and migrate with it (npm run migrate).'

  test.each([
    [9, newer],
    [1, older],
  ])(
    'a process that meets layout %i answers 503, works on nothing, and says why in its log',
    async (layout, reason) => {
      await stampAs(layout)
      vi.resetModules()
      const lines: { message: string }[] = []
      const print = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(JSON.parse(line)))
      const { eventOf } = await import('../../harness/app.ts')
      const context = { getRemainingTimeInMillis: () => 14_000 } as never
      const { handler } = await import('../../../functions/records.ts')
      const reply = await handler(await eventOf('GET', '/cidoc/structures/', {}, {}), context)
      const { handler: sweep } = await import('../../../functions/sweeper.ts')
      await expect(sweep({ chores: 'often' })).rejects.toMatchObject({ code: 'unavailable' })
      print.mockRestore()
      expect([reply.statusCode, reply.body]).toEqual([503, '{"detail":"Temporarily unavailable. Try again."}'])
      expect(lines).toContainEqual(expect.objectContaining({ level: 'ERROR', message: 'layout', error: reason }))
    },
  )

  test('the command refuses it with the same sentence, and begins nothing', async () => {
    await stampAs(9)
    const { DYNAMODB_ENDPOINT = '' } = process.env
    const env = { ...bareEnvironment, DYNAMODB_ENDPOINT, TABLE_NAME: place.table, LOG_LEVEL: 'silent' }
    const { status, stderr } = spawnSync(process.execPath, ['local/commands/migrate.ts'], { env, encoding: 'utf8' })
    expect([status, stderr.trim()]).toEqual([1, newer])
    expect((await items()).map(({ layout }) => layout?.N)).toEqual(['9'])
  })
})
