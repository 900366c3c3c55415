import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { open as openPlace, type Place } from '../../local/commands/backup/place.ts'
import { startTableGate } from '../access/table-gate.ts'
import { loadStack } from '../stack.ts'
import { startEmulator } from '../stand-ins/emulator.ts'
import { freePort } from '../stand-ins/free-port.ts'
import { startS3 } from '../stand-ins/s3.ts'
import { createTable } from '../stand-ins/table.ts'
import type { World } from './aws/background.ts'
import type { Gateway } from './aws/gateway.ts'
import type { Release } from './aws/processes.ts'
import type { Around } from './smoke.ts'
import { ask, expectStatus, formOf, good, signedIn } from './speaker.ts'

/** What a restore takes: `doors` starts a gateway of functions that have other surroundings. */
export type Grounds = {
  world: World
  origin: string
  bucket: Around['bucket']
  doors: (release: Release) => Promise<Gateway>
}
/** What somebody has made at a moment: a record, and a source with a file. */
type Made = { record: string; file: string }

/**
 * An operator's third walk: the table is lost, and comes back into an empty stage by the commands of a backup. Functions of the packages
 * then answer from it: people sign in, records and files are there, and search finds them.
 *
 * There are three sorts: a copy of the night, a point in time, and an export. For the first two AWS brings a table back. Here its items
 * are copied at that moment instead, and the operator exports that table. What was made after the moment is lost, and nothing before it.
 * `short` plays the export alone. Prints how long each took. Returns what went wrong.
 */
export async function tableLost(grounds: Grounds, { short }: { short: boolean }): Promise<string[]> {
  const { exportTo } = await import('../../local/commands/backup/backup.ts')
  const { world, bucket } = grounds
  const place = (name: string, dynamodb = world.table.endpoint, files = bucket.endpoint) =>
    openPlace({ table: name, bucket: bucket.name, dynamodb, files })
  const folderOf = (sort: string) => join(world.folder, `backup of ${sort}`)
  const failed: string[] = []
  const made: Made[] = []
  const sorts = short ? ['an export'] : ['a copy of the night', 'a point in time', 'an export']
  for (const sort of sorts) {
    made.push(await make(grounds.origin, sort))
    const source = place(sort === 'an export' ? world.table.name : `${world.table.name}-${made.length}`)
    if (sort !== 'an export') await copyTable(place(world.table.name), source)
    await timeStep(`${sort} is exported`, () => exportTo(folderOf(sort), source, { objects: true }))
    source.close()
  }
  made.push(await make(grounds.origin, 'what came last'))
  for (const [n, sort] of sorts.entries())
    await comesBack(grounds, sort, folderOf(sort), { kept: made.slice(0, n + 1), lost: made.slice(n + 1) }).catch(
      (error: unknown) =>
        void failed.push(`the table is lost, ${sort}: ${error instanceof Error ? error.message : error}`),
    )
  return failed
}

async function make(origin: string, moment: string): Promise<Made> {
  const dev = await signedIn(origin, 'dev')
  const { body } = good(await dev('POST', '/cidoc/structures/', { name: `Pati before ${moment}` }))
  const uploaded_file = new File([moment], 'chronicle.txt', { type: 'text/plain' })
  const source = good(await dev('POST', '/cidoc/data_sources/', formOf({ name: `Before ${moment}`, uploaded_file })))
  return { record: `/cidoc/structures/${body.id}/`, file: `/cidoc/data_sources/${source.body.id}/file/` }
}

/** Copies the items of a table into a new one, in the part of AWS. */
async function copyTable(from: Place, to: Place): Promise<void> {
  const { readTable, writeTable } = await import('../../local/commands/backup/items.ts')
  const endpoint = await from.db.config.endpoint?.()
  await createTable(`http://${endpoint?.hostname}:${endpoint?.port}`, to.table, loadStack().table)
  const items: Parameters<Parameters<typeof readTable>[1]>[0][] = []
  await readTable(from, (item) => void items.push(item))
  await writeTable(
    to,
    (async function* () {
      yield* items
    })(),
  )
  from.close()
}

type Expected = { kept: readonly Made[]; lost: readonly Made[] }

/** Restores a backup into an empty stage, and asks its functions. Another export of it must equal the first. */
async function comesBack(
  { world, bucket, doors }: Grounds,
  sort: string,
  folder: string,
  expected: Expected,
): Promise<void> {
  const { exportTo, restoreFrom } = await import('../../local/commands/backup/backup.ts')
  const { roles, record } = world
  const emulator = await startEmulator({ port: await freePort(), file: `${folder}.sqlite` })
  await createTable(emulator.endpoint, world.table.name, loadStack().table)
  const gate = await startTableGate(emulator.endpoint, roles, record)
  const access = { roles: () => roles, record }
  const files = await startS3({ port: 0, directory: `${folder} files`, bucket: bucket.name, access })
  const place = openPlace({
    ...{ table: world.table.name, bucket: bucket.name },
    ...{ dynamodb: emulator.endpoint, files: files.endpoint },
  })
  const variables = { AWS_ENDPOINT_URL_DYNAMODB: gate.endpoint, AWS_ENDPOINT_URL_S3: files.endpoint }
  const gateway = await doors({ name: `the stage after ${sort}`, variables })
  try {
    await timeStep(`${sort} is restored`, () => restoreFrom(folder, place, { over: false }))
    const again = `${folder} again`
    await exportTo(again, place, { objects: false })
    const [sent, came] = await Promise.all([folder, again].map((it) => readFile(join(it, 'table.jsonl'), 'utf8')))
    if (sent !== came) throw new Error(`of ${sent?.split('\n').length} items ${came?.split('\n').length} came back`)
    await timeStep(`the stage after ${sort} answers`, () => answers(gateway.origin, expected))
  } finally {
    place.close()
    await gateway.stop()
    await files.stop()
    await gate.stop()
    await emulator.stop()
  }
}

/** What was made until the moment is there, its files included, and nothing of what was made after it. */
async function answers(origin: string, { kept, lost }: Expected): Promise<void> {
  const dev = await signedIn(origin, 'dev')
  for (const { record, file } of kept) {
    good(await dev('GET', record))
    good(await dev('GET', file))
  }
  for (const { record, file } of lost) {
    expectStatus(await dev('GET', record), 404)
    expectStatus(await dev('GET', file), 404)
  }
  const { text } = good(await ask(origin, 'GET', '/data/search/?q=chyasilin'))
  if (!text.includes('Chyasilin')) throw new Error('search does not find what was accepted before')
}

async function timeStep(what: string, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now()
  await work()
  console.log(`         ${what} in ${((performance.now() - began) / 1000).toFixed(1)} s`)
}
