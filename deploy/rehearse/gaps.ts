import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { marshall } from '@aws-sdk/util-dynamodb'
import { functionArn } from '../access/requests.ts'
import { nameOf, visit, type World } from './aws/background.ts'
import type { Runtime } from './aws/runtime.ts'
import { graphsGone } from './graphs.ts'
import { largeMerge } from './large-merge.ts'
import { somebodyLeaves } from './leaver.ts'
import { parkedToTheEnd } from './parked.ts'
import { picture } from './pictures.ts'
import { poisonedJob } from './poisoned.ts'
import { throttleReply } from './replies.ts'
import { type Around, type Door, searchDoors } from './smoke.ts'
import { expectStatus, formOf, good, type Speaker, signedIn } from './speaker.ts'
import { tables, tableWaits } from './tables.ts'

export type Scene = {
  world: World
  runtime: Runtime
  origin: string
  targetOf: (path: string, method: string) => string | undefined
  bucket: Around['bucket']
}

/**
 * What seldom happens, brought about with the rights of the account's owner: unreadable snapshots of search, missing files, two-phase
 * commits that were stopped, a table that refuses at the wrong moment. No function may fail because of it. Returns what went wrong.
 */
export async function gaps(scene: Scene): Promise<string[]> {
  const failed: string[] = []
  const chapter = async (name: string, work: (scene: Scene) => Promise<unknown>) => {
    await work(scene).catch((error: unknown) =>
      failed.push(`${name}: ${error instanceof Error ? error.message : error}`),
    )
    scene.world.meddle = undefined
  }
  await chapter('what was stopped holds nobody up any more', deleteLeases)
  await chapter('tables that become records', tables)
  await chapter('no snapshot can be read', noSnapshots)
  await chapter('files of old exports', oldExports)
  await chapter('files that are gone', filesGone)
  await chapter('a file is stored and its source refused', (it) => refuseCommit(it, source))
  await chapter('a table is stored and its import refused', (it) => refuseCommit(it, table))
  await chapter('a file that no item names', sweepLooseFile)
  await chapter('lists of one record or one person', readListsOfOne)
  await chapter('a transaction was stopped', repeatEvents)
  await chapter('a transaction was stopped after its switch', stoppedLate)
  await chapter('a large merge', largeMerge)
  await chapter('the graphs are gone', graphsGone)
  await chapter('somebody leaves', somebodyLeaves)
  await chapter('changes are parked', parkedToTheEnd)
  await chapter('a job that ends its workers', poisonedJob)
  return failed
}

/** Deletes all leases, as if a quarter of an hour had passed. Functions that were killed at work have left some. */
async function deleteLeases(): Promise<void> {
  const [{ removeItems }, { keyOf }] = await Promise.all([
    import('../../lib/engines/table/write.ts'),
    import('../../lib/engines/table/keys.ts'),
  ])
  const locks = await inTable((it) => it.type === 'lock')
  await removeItems(locks.map(keyOf))
}

/** Each function that searches starts while no snapshot can be read, and has to build one. */
async function noSnapshots(scene: Scene): Promise<void> {
  const { world, runtime, origin, targetOf } = scene
  const staff = await signedIn(origin, 'staff')
  const doors = await searchDoors(await signedIn(origin, 'dev'))
  const searching = [...world.roles].filter(([, all]) => all.some(({ Action }) => Action.includes('dynamodb:Scan')))
  for (const [name] of searching) {
    if (name === 'importer') await tableWaits(scene)
    await spoilSnapshots()
    runtime.cool(name)
    for (const schedule of world.stack.schedules().filter(({ target }) => nameOf(target) === name))
      await visit(world, schedule)
    for (const { method, path, body } of doors.filter(
      (it: Door) => nameOf(targetOf(it.path.split('?')[0] ?? '', it.method) ?? '') === name,
    )) {
      const { status, text } = await staff(method, path, body)
      if (status >= 500) throw new Error(`${name}: ${status} ${text.slice(0, 200)}`)
      if (hasScanned(world, name)) break
    }
    if (!hasScanned(world, name)) throw new Error(`${name} has made no snapshot`)
  }
}

const hasScanned = ({ record }: World, name: string) =>
  [...record.used].some((it) => it.startsWith(`${name} dynamodb:Scan `))

/** Makes the pointer name two snapshots that do not exist. Two changes go into the change log first. */
async function spoilSnapshots(): Promise<void> {
  const [{ searchKey: key }, { rawMany }, { db, TableName }, { appendToLog, loadLogEnd }, { PutCommand }] =
    await Promise.all([
      import('../../lib/engines/search/keys.ts'),
      import('../../lib/engines/table/two-phase/staged.ts'),
      import('../../lib/engines/table/client.ts'),
      import('../../lib/engines/search/log.ts'),
      import('@aws-sdk/lib-dynamodb'),
    ])
  for (let entry = 0; entry < 2; entry += 1) await appendToLog([{ id: `gone:${randomUUID()}`, gone: true, version: 1 }])
  const [pointer] = (await rawMany([key.searchSnapshot()])).values()
  if (!pointer) throw new Error('nobody has searched')
  const { number, changes } = await loadLogEnd()
  const missing = () => {
    const id = randomUUID()
    return { ...Object(pointer.current), id, key: `search/${id}.sqlite.zst`, position: number, changes }
  }
  const Item = {
    ...pointer,
    current: missing(),
    previous: missing(),
    unreadable: true,
    version: Number(pointer.version) + 1,
  }
  await db.send(new PutCommand({ TableName, Item }))
}

/** The exporter deletes files that an earlier run has left. */
async function oldExports({ world }: Scene): Promise<void> {
  const { listKeys, putObject } = await import('../../lib/engines/bucket/blobs.ts')
  const key = 'exports/20200101T000000000Z-old/structures.jsonl'
  await putObject(key, Buffer.from('{}\n'), 'application/x-ndjson')
  for (const schedule of world.stack.schedules().filter(({ target }) => nameOf(target) === 'exporter'))
    await visit(world, schedule)
  if ((await listKeys('exports/')).includes(key)) throw new Error('they are still there')
}

/** Files that clients never uploaded, or that somebody has deleted from the bucket. */
async function filesGone({ origin }: Scene): Promise<void> {
  const { deleteObject, listKeys } = await import('../../lib/engines/bucket/blobs.ts')
  const lose = async (folder: string) => {
    for (const key of await listKeys(folder)) await deleteObject(key)
  }
  const dev = await signedIn(origin, 'dev')
  good(await dev('POST', '/data/user/profile-image/', formOf({ profile_image: await picture() })))
  const { body: me } = good(await dev('GET', '/data/user/me/'))
  await lose('profile-images/')
  expectStatus(await dev('GET', `/data/user/${me.user_id}/image/`), 404)

  const text = new File(['A chronicle.'], 'chronicle.txt', { type: 'text/plain' })
  const { body: source } = good(
    await dev('POST', '/cidoc/data_sources/', formOf({ name: 'A lost chronicle', uploaded_file: text })),
  )
  await lose('data-sources/')
  expectStatus(await dev('GET', `/cidoc/data_sources/${source.id}/file/`), 404)

  const { body: scan } = good(
    await dev('POST', '/data/ocr-documents/upload/', formOf({ file: await picture(), standalone_ingestion: 'true' })),
  )
  await lose('scans/')
  expectStatus(await dev('GET', `/data/ocr-documents/${scan.uploaded_document_id}/asset/`), 404)

  const at = await newProject(dev)
  const { size, type: media_type, name: file_name } = await picture()
  const { body: form } = good(await dev('POST', `${at}assets/uploads/`, { file_name, size, media_type }))
  expectStatus(await dev('POST', `${at}assets/uploads/${form.asset_id}/complete/`), 400)
}

/** A file is stored, then the table refuses the commit that names it. The function must delete the file. */
async function refuseCommit(scene: Scene, { name, folder, send }: Refused): Promise<void> {
  const { world, origin } = scene
  const { listKeys } = await import('../../lib/engines/bucket/blobs.ts')
  const before = await listKeys(folder)
  // Only this commit deletes an item: the note of the stored file.
  world.meddle = async (signer, operation, body) =>
    signer === name && operation === 'TransactWriteItems' && body.includes('"Delete"') ? throttleReply : undefined
  expectStatus(await send(await signedIn(origin, 'dev')), 503)
  const left = (await listKeys(folder)).filter((key) => !before.includes(key))
  if (left.length > 0) throw new Error(`its file is still there: ${left}`)
}

/** A request that stores a file in the folder, by the function `name`. */
type Refused = { name: string; folder: string; send: (who: Speaker) => ReturnType<Speaker> }

const source: Refused = {
  name: 'sources',
  folder: 'data-sources/',
  send: (who) => {
    const uploaded_file = new File(['Another chronicle.'], 'chronicle.txt', { type: 'text/plain' })
    return who('POST', '/cidoc/data_sources/', formOf({ name: 'A chronicle too many', uploaded_file }))
  },
}

const table: Refused = {
  name: 'imports',
  folder: 'imports/',
  send: (who) => who('POST', '/data/imports/', formOf({ file: new File(['name\nShrine'], 'shrine.csv') })),
}

/** A function ended before it could delete a file that no item names. The sweeper deletes it. */
async function sweepLooseFile({ world }: Scene): Promise<void> {
  const [{ listKeys, markLoose, putObject }, { commitWrites }] = await Promise.all([
    import('../../lib/engines/bucket/index.ts'),
    import('../../lib/engines/table/immediate.ts'),
  ])
  const key = `data-sources/${randomUUID()}`
  await putObject(key, Buffer.from('A chronicle.'), 'text/plain')
  await commitWrites([markLoose(key)])
  await sweep(world)
  if ((await listKeys(key)).length > 0) throw new Error('it is still there')
}

/** Lists that are read from the table itself, and not from an index. */
async function readListsOfOne({ origin }: Scene): Promise<void> {
  const [dev, reviewer] = await Promise.all([signedIn(origin, 'dev'), signedIn(origin, 'reviewer')])
  const record = await dev('POST', '/cidoc/structures/', { name: 'Shrine of lists', existence_status: 'Extant' })
  const entity = good(record).body.cultural_entity_id
  good(await reviewer('GET', `/data/activities/?entity=${entity}`))
  good(await reviewer('GET', `/data/review-flags/?entity=${entity}`))
  for (let turn = 0; turn < 40; turn += 1) {
    const { results } = good(await reviewer('GET', '/data/notifications/')).body
    if (Array.isArray(results) && results.some((it) => JSON.stringify(it).includes('Shrine of lists'))) return
    await sleep(250)
  }
  throw new Error('the reviewer is not told of a record that waits')
}

/** Workers get events again: first while a two-phase commit is open on their items, then when the files are gone. */
async function repeatEvents({ world }: Scene): Promise<void> {
  const isPicture = (it: Item) => it.type === 'project_asset' && it.media_type === 'image'
  const assets = (await inTable(isPicture)).slice(0, 2)
  if (assets.length === 0) throw new Error('there is no picture')
  const event = { Records: assets.map(asNew) }
  const deliver = async (name: string, sent: object) => {
    const found = world.stack.functions().find((it) => it.name === name)
    await world.invoke(functionArn(found?.fullName ?? name), sent).catch(() => undefined)
  }
  await whileStaged([...assets, ...(await inTable((it) => it.type === 'delivery'))], async () => {
    await deliver('asset-files', event)
    for (const { project_id, id } of assets) await deliver('ocr', { project_id, id })
    await deliver('webhooks', {})
  })
  const [{ deleteObject }, { putItems }] = await Promise.all([
    import('../../lib/engines/bucket/blobs.ts'),
    import('../../lib/engines/table/write.ts'),
  ])
  for (const { object_key } of assets) await deleteObject(String(object_key))
  // Nothing was drawn of them yet, so that their files are asked for.
  const undrawn = { thumbnail_key: null, thumbnail_error: '', thumbnail_takes: 0 }
  await putItems(assets.map((it) => ({ ...waitingForOcr(it), ...undrawn, version: Number(it.version) + 1 })))
  await deliver('asset-files', event)
  for (const { project_id, id } of assets) await deliver('ocr', { project_id, id })
}

/** A two-phase commit stops after its switch. The sweeper must settle it. */
async function stoppedLate({ world }: Scene): Promise<void> {
  const [{ TableName }, transaction, { stageCounters, stagePart }, { rawMany }] = await Promise.all([
    import('../../lib/engines/table/client.ts'),
    import('../../lib/engines/table/two-phase/transaction.ts'),
    import('../../lib/engines/table/two-phase/stage.ts'),
    import('../../lib/engines/table/two-phase/staged.ts'),
  ])
  const id = randomUUID()
  const at = { pk: `REHEARSAL#${id}`, sk: 'A' }
  await transaction.openTransaction(id)
  await stagePart(id, 1, async () => [{ action: { Put: { TableName, Item: at } }, counts: { [at.pk]: 1 } }])
  await stageCounters(id)
  await transaction.switchOver(id, [])
  await sweep(world)
  const [item] = (await rawMany([at])).values()
  const ended = await transaction.findTransaction(id)
  if (!item || !ended?.settled) throw new Error('it is not in its place')
}

/** Runs all schedules of the sweeper. */
export async function sweep(world: World): Promise<void> {
  for (const schedule of world.stack.schedules().filter(({ target }) => nameOf(target) === 'sweeper'))
    await visit(world, schedule)
}

/** A picture that waits for OCR. */
const waitingForOcr = (picture: Item) => ({ ...picture, ocr_status: 'pending', ocr_since: new Date().toISOString() })

type Item = Record<string, unknown>

/** The stream's record of a new picture that waits for OCR. */
function asNew(picture: Item) {
  const item = waitingForOcr(picture)
  const { pk, sk } = picture
  const keys = marshall({ pk, sk })
  return {
    eventName: 'INSERT',
    dynamodb: { Keys: keys, NewImage: marshall(item, { removeUndefinedValues: true }), SequenceNumber: randomUUID() },
  }
}

/** Reads all items of the table that are wanted. */
export async function inTable(isWanted: (item: Item) => boolean): Promise<Item[]> {
  const [{ db, TableName }, { ScanCommand }] = await Promise.all([
    import('../../lib/engines/table/client.ts'),
    import('@aws-sdk/lib-dynamodb'),
  ])
  const found: Item[] = []
  for (let ExclusiveStartKey: Item | undefined, more = true; more; more = ExclusiveStartKey !== undefined) {
    const page = await db.send(new ScanCommand({ TableName, ConsistentRead: true, ExclusiveStartKey }))
    found.push(...(page.Items ?? []).filter(isWanted))
    ExclusiveStartKey = page.LastEvaluatedKey
  }
  return found
}

/** Does some work while a two-phase commit is open on these items. It changes nothing and is called off afterwards. */
async function whileStaged(items: readonly Item[], work: () => Promise<void>): Promise<void> {
  const [{ TableName }, transaction, { stagePart }, { settle }] = await Promise.all([
    import('../../lib/engines/table/client.ts'),
    import('../../lib/engines/table/two-phase/transaction.ts'),
    import('../../lib/engines/table/two-phase/stage.ts'),
    import('../../lib/engines/table/two-phase/settle.ts'),
  ])
  const id = randomUUID()
  await transaction.openTransaction(id)
  await stagePart(id, 1, async () => items.map((Item) => ({ action: { Put: { TableName, Item } }, counts: {} })))
  await work()
  await transaction.callOff(id)
  await settle(id)
}

/** Opens a project. Returns its address. */
export async function newProject(who: Speaker): Promise<string> {
  const slug = `gap-${randomUUID().slice(0, 8)}`
  good(await who('POST', '/data/projects/', { slug, title: 'Gaps', visibility: 'public' }))
  return `/data/projects/${slug}/`
}
