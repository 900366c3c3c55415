import { randomUUID } from 'node:crypto'
import { nameOf, visit } from './aws/background.ts'
import type { Scene } from './gaps.ts'
import { type Answer, formOf, good, type Speaker, signedIn } from './speaker.ts'

/** How often the importer may run for one task. */
const VISITS = 10

/** A table of two rows. Each names its location in words, so search has to look it up. */
const table = (mark: string) => {
  const rows = ['A', 'B'].map((one) => `Shrine ${one} of ${mark},Extant,Square of ${mark}`)
  return new File([['name,existence_status,has_current_location', ...rows].join('\n')], 'shrines.csv')
}

/**
 * A table is sent in a form, mapped, checked, run, accepted and taken back. Another is uploaded to the bucket, run and withdrawn. Then
 * the time of all their files is over.
 */
export async function tables(scene: Scene): Promise<void> {
  const [dev, reviewer, staff] = await Promise.all(['dev', 'reviewer', 'staff'].map((it) => signedIn(scene.origin, it)))
  if (!dev || !reviewer || !staff) throw new Error('nobody can sign in')
  const come = worker(scene, dev)
  const at = await sendTable(dev)
  await come(at, 'read')
  good(await dev('PATCH', at, { kind: 'structure' }))
  for (const [who, task, state, body] of [
    [dev, 'check', 'checked'],
    [dev, 'run', 'done', {}],
    [reviewer, 'decide', 'done', { verdict: 'accept' }],
  ] as const) {
    good(await who('POST', `${at}${task}/`, body))
    await come(at, state)
  }
  good(await dev('GET', `${at}rows/`))
  good(await staff('POST', `${at}take-back/`))
  await come(at, 'taken_back')

  const other = await sentToBucket(dev, scene)
  await come(other, 'read')
  good(await dev('POST', `${other}check/`))
  await come(other, 'checked')
  good(await dev('POST', `${other}run/`, {}))
  await come(other, 'done')
  good(await dev('POST', `${other}withdraw/`))
  await come(other, 'withdrawn')
  await grownOld(scene)
}

/** Leaves a table that waits for its check, so that the importer has to search. */
export async function tableWaits(scene: Scene): Promise<void> {
  const dev = await signedIn(scene.origin, 'dev')
  const at = await sendTable(dev)
  await worker(scene, dev)(at, 'read')
  good(await dev('POST', `${at}check/`))
}

async function sendTable(dev: Speaker): Promise<string> {
  const { body } = good(await dev('POST', '/data/imports/', formOf({ file: table(randomUUID().slice(0, 8)) })))
  return `/data/imports/${body.id}/`
}

async function sentToBucket(dev: Speaker, { bucket }: Scene): Promise<string> {
  const file = table(randomUUID().slice(0, 8))
  const place = '/data/imports/uploads/'
  const { body } = good(await dev('POST', place, { file_name: file.name, size: file.size }))
  const { url, fields }: { url: string; fields: Record<string, string> } = Object(body.upload)
  const address = url.replace(/^https:\/\/[^/]+/, `${bucket.endpoint}/${bucket.name}`)
  const answer = await fetch(address, { method: 'POST', body: formOf({ ...fields, file }) })
  if (!answer.ok) throw new Error(`the bucket answers a form with ${answer.status}`)
  good(await dev('POST', `${place}${body.import_id}/complete/`))
  return `/data/imports/${body.import_id}/`
}

/** Runs the importer until an import is in a state. */
const worker =
  ({ world }: Scene, dev: Speaker) =>
  async (at: string, state: string): Promise<void> => {
    let last: Answer['body'] = {}
    for (let turn = 0; turn < VISITS; turn += 1) {
      for (const schedule of world.stack.schedules().filter(({ target }) => nameOf(target) === 'importer'))
        await visit(world, schedule)
      last = good(await dev('GET', at)).body
      if (last.state === state && last.progress === null) return
    }
    throw new Error(`${at} is ${last.state}, not ${state}: ${JSON.stringify(last).slice(0, 300)}`)
  }

/** Lets the time of all files pass. The sweeper deletes them. */
async function grownOld({ world }: Scene): Promise<void> {
  const [{ walk }, { putItems }] = await Promise.all([
    import('../../lib/engines/table/read.ts'),
    import('../../lib/engines/table/write.ts'),
  ])
  const { importLists } = await import('../../lib/domain/imports/items.ts')
  const items = await walk({ index: 'gsi4', pk: importLists.files, forward: true, limit: 50 })
  const files_until = '2020-01-01T00:00:00.000Z'
  await putItems(items.map((it) => ({ ...it, files_until })))
  for (const schedule of world.stack.schedules().filter(({ target }) => nameOf(target) === 'sweeper'))
    await visit(world, schedule)
}
