import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { DeleteCommand, PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { beforeAll, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { withRepliesLost } from '../../harness/faults.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { contribute, publish, sure } from '../../harness/make.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
})

type Item = Record<string, unknown>
const db = async () => (await import('../../../lib/engines/table/client.ts')).db
const TableName = () => process.env.TABLE_NAME ?? ''

/** What follows from other things: entries of indexes, the queue, cards, comments, boards; and the sizes of lists, summed over their shards. */
async function derived(): Promise<Map<string, string>> {
  const { Items = [] } = await (await db()).send(new ScanCommand({ TableName: TableName(), ConsistentRead: true }))
  const following = Items.filter((it) => /^(entry|link|queue_by_|comment$|board)/.test(String(it.type)))
  const sizes = new Map<string, number>()
  const { sizesIn } = await import('../../../lib/engines/table/counters.ts')
  for (const it of Items.filter(({ pk }) => String(pk).startsWith('COUNT#')))
    for (const [at, n] of sizesIn(it)) sizes.set(JSON.stringify(at), (sizes.get(JSON.stringify(at)) ?? 0) + n)
  return new Map([
    ...following.map(({ request_id: _, version: __, ...it }): [string, string] => [
      `${it.pk} ${it.sk}`,
      JSON.stringify(it, Object.keys(it).sort()),
    ]),
    ...[...sizes].filter(([, n]) => n !== 0).map(([list, n]): [string, string] => [`size ${list}`, String(n)]),
  ])
}

test('everything that follows from other things is as before, whatever of it was lost, changed or made up', async () => {
  const temple = await publish(app, 'structures', {
    name: 'Recounted temple',
    coordinates: '27.67, 85.42',
    identifier: 'wd:Q5',
  })
  const deity = await publish(app, 'deities', { name: 'Recounted deity' })
  await publish(app, 'enshrinements', {
    ...{ name: 'Recounted rite', enshrined_in_structure: temple.id, enshrined_deity: deity.id },
  })
  const person = await publish(app, 'persons', { name: 'Recounted patron' })
  const body = {
    ...{ entity_type: 'structure', entity_id: `${temple.id}`, asserted_property: 'relationship.commissioned_by' },
    ...{ object_entity_type: 'person', object_entity_id: `${person.id}` },
  }
  const claim = sure(201, await app.other.post('/cidoc/assertions/', { body }))
  sure(200, await app.domain.patch(`/cidoc/assertions/${claim.id}/`, { body: { reconciliation_status: 'accepted' } }))
  // Claims about no record are found by their identifier.
  for (const identifier of ['t:loose-1', 't:loose-2'])
    sure(
      201,
      await app.other.post('/cidoc/assertions/', {
        body: { asserted_property: 'note', asserted_value: 'x', identifier },
      }),
    )
  await contribute(app.contributor, 'structures', { name: 'Recounted and waiting' })
  const said = { entity_id: temple.cultural_entity_id, comment: 'Seen last year.' }
  sure(201, await app.other.post('/data/comments/', { body: said }))
  sure(201, await app.contributor.post('/data/projects/', { body: { slug: 'recounted', title: 'Recounted survey' } }))
  await following.settled()

  const { repairAll } = await import('../../../lib/domain/effects/repair.ts')
  const untouched = await repairAll()
  expect(untouched).toMatchObject({ mended: 0, sizes: 0 })
  const whole = await derived()

  await damage()
  const damaged = await derived()
  expect([...whole].filter(([at, it]) => damaged.get(at) !== it).length).toBeGreaterThan(15)
  const repaired = await repairAll()
  expect(repaired.mended).toBeGreaterThan(5)
  expect(repaired.sizes).toBeGreaterThan(2)
  const after = await derived()
  expect([...after.keys()].toSorted()).toEqual([...whole.keys()].toSorted())
  expect(after).toEqual(whole)
  expect(await repairAll()).toMatchObject({ mended: 0, sizes: 0 })
})

test('a size is put right once, though the reply is lost', async () => {
  const { repairAll } = await import('../../../lib/domain/effects/repair.ts')
  const { addToNumbers } = await import('../../../lib/engines/table/write.ts')
  const { countKeys, sizeOf } = await import('../../../lib/engines/table/counters.ts')
  const list = 'QUEUE#of nobody'
  const [at] = countKeys([list])
  if (!at) throw new Error('a list is counted somewhere')
  await addToNumbers(at, { [sizeOf(list).attribute]: 3 })
  expect(await withRepliesLost(2, repairAll)).toMatchObject({ mended: 0, sizes: 1 })
  expect(await repairAll()).toMatchObject({ mended: 0, sizes: 0 })
})

/** Of each sort of thing that follows from a record every other item is lost, one is made up; every third size is wrong. */
async function damage(): Promise<void> {
  const client = await db()
  const { Items = [] } = await client.send(new ScanCommand({ TableName: TableName(), ConsistentRead: true }))
  const keyOf = ({ pk, sk }: Item) => ({ pk: String(pk), sk: String(sk) })
  const of = (fits: (it: Item) => boolean) => Items.filter(fits)
  const lost = [
    ...['NAME#structure#', 'ALIKE#', 'GRID#', 'IDENTIFIER#', 'RELATED#'].flatMap((list) =>
      of((it) => String(it.pk).startsWith(list)).filter((_, i) => i % 2 === 0),
    ),
    ...of((it) => /^(link|queue_by_age|queue_by_urgency)$/.test(String(it.type))),
  ]
  expect(lost.length).toBeGreaterThan(10)
  for (const it of lost) await client.send(new DeleteCommand({ TableName: TableName(), Key: keyOf(it) }))
  const [name] = of((it) => String(it.pk).startsWith('NAME#structure#'))
  const [related] = of((it) => String(it.pk).startsWith('RELATED#'))
  const made = [
    { ...name, sk: `made up#${name?.entity_id}` },
    { ...related, sk: String(related?.sk).replace(/#[^#]+$/, '#made_up') },
  ]
  for (const Item of made) await client.send(new PutCommand({ TableName: TableName(), Item }))
  for (const it of of((it) => it.type === 'comment'))
    await client.send(
      new UpdateCommand({
        ...{ TableName: TableName(), Key: keyOf(it), UpdateExpression: 'SET standing = :wrong' },
        ExpressionAttributeValues: { ':wrong': 'withheld' },
      }),
    )
  for (const it of of((it) => String(it.pk).startsWith('COUNT#')).filter((_, i) => i % 3 === 0))
    await client.send(
      new UpdateCommand({
        ...{ TableName: TableName(), Key: keyOf(it), UpdateExpression: 'ADD #size :three' },
        ExpressionAttributeNames: { '#size': Object.keys(it).find((name) => name.startsWith('=')) ?? '' },
        ExpressionAttributeValues: { ':three': 3 },
      }),
    )
}

test('the command, a process that has loaded nothing else, knows every list that is counted', async () => {
  await contribute(app.contributor, 'structures', { name: 'Counted by a process of its own' })
  await following.settled()
  const told = await app.curator.get('/data/notifications/')
  expect(told.body.count).toBeGreaterThan(0)
  const { stdout } = await promisify(execFile)(process.execPath, ['local/commands/recount.ts'])
  expect(stdout).toContain('0 items that follow from records, 0 sizes of lists')
  expect((await app.curator.get('/data/notifications/')).body.count).toBe(told.body.count)
})
