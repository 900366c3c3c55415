import { readFileSync } from 'node:fs'
import type { DynamoDBRecord } from 'aws-lambda'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { loadProjector } from '../../../local/service/followers.ts'
import { type App, openApp } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { contribute, publish, sure } from '../../harness/make.ts'
import { move, projectIn } from '../../harness/projects.ts'

let app: App
let stream: Following
beforeAll(async () => {
  app = await openApp({ env: { LOG_LEVEL: 'silent' } })
  stream = await followTable()
})

/** Gives the projector what the table has told since the last time; answers what it says of each batch. */
async function projected(records: readonly DynamoDBRecord[]) {
  const { handler } = await import('../../../functions/projector.ts')
  const answers: string[] = []
  const { batchSize } = loadProjector()
  for (let start = 0; start < records.length; start += batchSize) {
    const { batchItemFailures } = await handler({ Records: records.slice(start, start + batchSize) })
    answers.push(...batchItemFailures.map((it) => it.itemIdentifier))
  }
  return answers
}

/** Every write of an item of which this holds fails like that, until the test is over. */
async function failing(holds: (item: { pk: string; sk: string }) => boolean, error: () => Error) {
  const { db } = await import('../../../lib/engines/table/client.ts')
  db.middlewareStack.add(
    (next) => (args) => {
      const { TransactItems = [] }: { TransactItems?: { Put?: { Item: { pk: string; sk: string } } }[] } = Object(
        args.input,
      )
      if (TransactItems.some(({ Put }) => Put && holds(Put.Item))) throw error()
      return next(args)
    },
    { step: 'initialize', name: 'broken' },
  )
}
const mended = async () => {
  const { db } = await import('../../../lib/engines/table/client.ts')
  db.middlewareStack.remove('broken')
}
afterEach(mended)

const health = async () => {
  const { status, body } = await app.anon.get('/health/detailed/')
  return [status, body.stream]
}
const unreadOf = async () => sure(200, await app.contributor.get('/data/notifications/unread_count/')).unread_count

/** An event that names a structure, both published: their links are kept by the projector. */
async function linked() {
  const place = await publish(app, 'structures', { name: `Place ${crypto.randomUUID()}` })
  const event = await publish(app, 'events', {
    name: `Feast ${crypto.randomUUID()}`,
    architectural_structures: place.id,
  })
  return { place, event }
}
const linksTo = async (it: { cultural_entity_id: string }) => {
  const { queryAll } = await import('../../../lib/engines/table/read.ts')
  return (await queryAll(`RELATED#${it.cultural_entity_id}`, '')).length
}

/** Whether the feed holds the record: OAI-PMH and hooks follow the same feed. */
async function isInFeed({ cultural_entity_id }: { cultural_entity_id: string }): Promise<boolean> {
  for (let after = 0; ; ) {
    const { changes, until, next } = sure(200, await app.anon.get('/data/changes/', { query: { after, limit: 100 } }))
    if (JSON.stringify(changes).includes(cultural_entity_id)) return true
    if (next === null) return false
    after = until
  }
}

describe('what comes to the projector', () => {
  test('is every item with effects or for search, and nothing else of what a contribution writes', async () => {
    const { followedTypes } = await import('../../../lib/domain/effects/project.ts')
    const { wants } = loadProjector()
    const record = (NewImage: object | undefined, OldImage?: object) =>
      ({ dynamodb: { NewImage, OldImage } }) as DynamoDBRecord
    const related = { M: { object_entity_type: { S: 'location' } } }
    const of = (type: string, more: object = {}) => ({ type: { S: type }, common: related, ...more })
    for (const type of followedTypes) {
      // Nothing follows from a notification but from its end: time alone takes them away.
      const isNew = type !== 'notification'
      expect([type, wants(record(of(type))), wants(record(undefined, of(type)))]).toEqual([type, isNew, true])
      expect([type, wants(record(undefined, of('staged', { staged_type: { S: type } })))]).toEqual([type, true])
    }
    await stream.settled()
    await contribute(app.contributor, 'structures', {
      name: 'Filtered',
      description: 'Eight',
      note: 'values',
      condition: 'Good',
    })
    const told = await stream.take()
    const left = told.filter(wants)
    expect(told.filter((it) => /^(COUNT|NAME|SEQUENCE)#/.test(it.dynamodb?.Keys?.pk?.S ?? '')).length).toBeGreaterThan(
      5,
    )
    expect([...new Set(left.map((it) => it.dynamodb?.NewImage?.type?.S))].sort()).toEqual([
      'activity',
      'queue_by_age',
      'record',
      'revision',
    ])
    expect(left.length).toBeLessThan(told.length / 3)
    await projected(left)
  })

  test('is a claim that relates two records, as it is stored', async () => {
    const { place, event } = await linked()
    await stream.settled()
    const body = {
      ...{ entity_type: 'event', entity_id: String(event.id), asserted_property: 'relationship.located_in' },
      ...{ object_entity_type: 'structure', object_entity_id: String(place.id), asserted_value: 'There' },
    }
    sure(201, await app.contributor.post('/cidoc/assertions/', { body }))
    const told = (await stream.take()).filter(loadProjector().wants)
    expect(told.map((it) => it.dynamodb?.NewImage?.type?.S)).toContain('claims')
    await projected(told)
  })

  test('is tried for as long as the stream keeps it', () => {
    const file = readFileSync(new URL('../../../serverless.yml', import.meta.url), 'utf8')
    expect(file).toContain('maximumRetryAttempts: -1\n          maximumRecordAgeInSeconds: 86400')
  })
})

describe('a change that cannot be applied', () => {
  test('for a reason that passes is answered as failed, and is applied when it comes again', async () => {
    await stream.settled()
    const { place } = await linked()
    const records = await stream.take()
    await failing(
      ({ pk }) => pk.startsWith('RELATED#'),
      () => Object.assign(new Error('no room'), { name: 'ThrottlingException' }),
    )
    const failed = await projected(records)
    expect(failed).toHaveLength(1)
    expect(await linksTo(place)).toBe(0)
    await mended()
    expect(await projected(records)).toEqual([])
    expect(await linksTo(place)).toBe(1)
  })

  test('for a reason of its own is put aside whole, others go on, and it is applied once that is mended', async () => {
    await stream.settled()
    const [bad, good] = [await linked(), await linked()]
    const records = await stream.take()
    await failing(
      ({ pk }) => pk === `RELATED#${bad.place.cultural_entity_id}`,
      () => new TypeError('of its own'),
    )
    expect(await projected(records)).toEqual([])
    expect([await linksTo(bad.place), await linksTo(good.place)]).toEqual([0, 1])
    expect(await health()).toEqual([
      503,
      { healthy: false, message: expect.stringContaining('1 changes were put aside.') },
    ])
    const { listParked } = await import('../../../lib/domain/effects/parked.ts')
    const [kept] = await listParked()
    const of = records.find((it) => it.dynamodb?.SequenceNumber === kept?.id)
    expect(kept).toMatchObject({ error: 'TypeError: of its own', images: { after: { type: 'record', public: true } } })
    expect(kept?.images.after?.entity_id).toBe(of?.dynamodb?.NewImage?.entity_id?.S)

    const { replayParked } = await import('../../../lib/domain/effects/replay.ts')
    expect(await replayParked()).toMatchObject({ applied: 0, failures: [expect.stringContaining('of its own')] })
    expect(await listParked()).toHaveLength(1)
    await mended()
    expect([await isInFeed(good.event), await isInFeed(bad.event)]).toEqual([true, false])
    expect(await replayParked()).toEqual({ applied: 1, skipped: 0, failures: [] })
    expect([await linksTo(bad.place), await listParked()]).toEqual([1, []])
    expect(await isInFeed(bad.event)).toBe(true)
  })

  test('of what was deleted since is skipped, and one that nobody can mend is discarded', async () => {
    const { parkChange, listParked } = await import('../../../lib/domain/effects/parked.ts')
    const { discardParked, replayParked } = await import('../../../lib/domain/effects/replay.ts')
    const gone = { pk: 'ENTITY#gone', sk: 'HEAD', type: 'record', id: 'not even a record' }
    await parkChange('1', { before: undefined, after: gone }, 'TypeError: broken')
    const { loadUserByUsername, keyOf } = await import('../../../lib/platform/users/users.ts')
    const { id = '' } = (await loadUserByUsername('dev')) ?? {}
    const unreadable = { ...keyOf(id), type: 'user', id: 7 }
    await parkChange('2', { before: undefined, after: unreadable }, 'ValiError: unreadable')
    expect(await replayParked(['1'])).toEqual({ applied: 0, skipped: 1, failures: [] })
    expect(await replayParked()).toEqual({ applied: 0, skipped: 0, failures: [expect.stringMatching(/^2: ValiError/)] })
    expect(await discardParked(['3'])).toEqual([])
    expect(await discardParked()).toEqual(['2: ValiError: unreadable'])
    expect(await listParked()).toEqual([])
    expect((await health())[0]).toBe(200)
  })

  test('and was staged is applied as it is after the switch, or skipped if its commit was undone', async () => {
    const { parkChange, listParked } = await import('../../../lib/domain/effects/parked.ts')
    const { replayParked } = await import('../../../lib/domain/effects/replay.ts')
    const { rawImagesOf } = await import('../../../lib/engines/table/index.ts')
    const place = await publish(app, 'structures', { name: `Place ${crypto.randomUUID()}` })
    const feast = { name: `Feast ${crypto.randomUUID()}`, architectural_structures: place.id }
    const event = await contribute(app.contributor, 'events', feast)
    const slug = await projectIn(app, 'approved', [event])
    await stream.settled()
    sure(200, await move(app.domain, slug, 'merged'))
    const records = await stream.take()
    const isLate = ({ dynamodb }: DynamoDBRecord) =>
      !dynamodb?.NewImage && ['staged', 'large_part'].includes(dynamodb?.OldImage?.type?.S ?? '')
    const late = records.filter(isLate)
    const other = { staged_by: { S: 'never-switched' }, staged_as: { S: 'new' }, type: { S: 'record' } }
    late.push({ dynamodb: { SequenceNumber: '0', OldImage: { ...other, pk: { S: 'ENTITY#x' }, sk: { S: 'HEAD' } } } })
    expect(await projected(records.filter((it) => !isLate(it)))).toEqual([])
    for (const record of late) await parkChange(record.dynamodb?.SequenceNumber ?? '', rawImagesOf(record), 'ended')
    expect([await linksTo(place), await isInFeed(event)]).toEqual([0, false])
    expect(await replayParked()).toMatchObject({ failures: [] })
    expect([await linksTo(place), await isInFeed(event), await listParked()]).toEqual([1, true, []])
  })

  test('is kept when the first change of its record of the stream is applied or discarded', async () => {
    const { parkChange, listParked } = await import('../../../lib/domain/effects/parked.ts')
    const { discardParked, replayParked } = await import('../../../lib/domain/effects/replay.ts')
    const gone = { pk: 'ENTITY#gone', sk: 'HEAD', type: 'record', id: 'not even a record' }
    const park = (id: string) => parkChange(id, { before: undefined, after: gone }, 'TypeError: broken')
    const left = async () => (await listParked()).map(({ id }) => id)
    for (const id of ['4711', '4711#1', '4711#10', '47110']) await park(id)
    expect(await replayParked(['4711'])).toEqual({ applied: 0, skipped: 1, failures: [] })
    expect(await left()).toEqual(['4711#1', '4711#10', '47110'])
    await park('4711')
    expect(await discardParked(['4711', '4711#1'])).toHaveLength(2)
    expect(await left()).toEqual(['4711#10', '47110'])
    await discardParked()
  })

  test('that is larger than an item is put aside in pieces, and comes back whole', async () => {
    const { parkChange, listParked, unparkChange, countParked } = await import('../../../lib/domain/effects/parked.ts')
    const { randomBytes } = await import('node:crypto')
    const images = {
      before: undefined,
      after: { pk: 'a', sk: 'b', type: 'record', text: randomBytes(400_000).toString('hex') },
    }
    await parkChange('large', images, 'too much')
    expect(await countParked()).toEqual({ parked: 1, isAll: true })
    expect((await listParked()).map((it) => it.images.after?.text === images.after.text)).toEqual([true])
    await unparkChange('large')
    expect(await countParked()).toEqual({ parked: 0, isAll: true })
  })
})

describe('a replay', () => {
  test('brings back what follows from a part of the table, tells nobody, and changes nothing when it is repeated', async () => {
    const { place, event } = await linked()
    await stream.settled()
    const before = await linksTo(place)
    const { queryAll } = await import('../../../lib/engines/table/read.ts')
    const { removeItems } = await import('../../../lib/engines/table/write.ts')
    const { replay } = await import('../../../lib/domain/effects/replay.ts')
    const lost = await queryAll(`RELATED#${place.cultural_entity_id}`, '')
    await removeItems(lost.map((it) => ({ pk: String(it.pk), sk: String(it.sk) })))
    expect([before, await linksTo(place)]).toEqual([1, 0])
    const unread = await unreadOf()
    // Each part that does not hold the event leaves it lost.
    expect(await replay({ kind: 'structure' })).toBeGreaterThan(0)
    expect(await replay({ types: ['user'] })).toBe(6)
    expect(await replay({ since: '2099-01-01T00:00:00.000Z' })).toBe(0)
    expect(await linksTo(place)).toBe(0)
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await replay({ types: ['record'], prefix: `ENTITY#${event.cultural_entity_id}` })).toBe(1)
      expect(await linksTo(place)).toBe(1)
    }
    expect(await unreadOf()).toBe(unread)
  })
})
