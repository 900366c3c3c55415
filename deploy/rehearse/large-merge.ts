import { randomUUID } from 'node:crypto'
import { nameOf, visit } from './aws/background.ts'
import { inTable, type Scene, sweep } from './gaps.ts'
import { picture } from './pictures.ts'
import { throttleReply } from './replies.ts'
import { formOf, good, type Speaker, signedIn } from './speaker.ts'

/** Enough records for several parts of the two-phase commit. */
const RECORDS = 25
/** For how long the table refuses the first part's writes, in milliseconds: longer than a request waits. */
const HELD_MS = 21_000

/**
 * 1. A merge takes longer than a request waits, so the merger finishes it in the background.
 * 2. The sweeper looks through the merge's folder: it deletes what no rollback needs, and keeps the project's snapshot.
 * 3. Its rollback goes to the background too. The snapshot is deleted meanwhile, so it gives up: the project stays merged.
 * 4. A rollback that a request can wait for meets the same and is answered 400.
 */
export async function largeMerge({ world, origin }: Scene): Promise<void> {
  const [dev, reviewer, expert] = await Promise.all(['dev', 'reviewer', 'expert'].map((it) => signedIn(origin, it)))
  if (!dev || !reviewer || !expert) throw new Error('nobody can sign in')
  const at = await makeApprovedProject(dev, reviewer)
  const late = async (work: () => Promise<{ status: number; text: string }>) => {
    const until = performance.now() + HELD_MS
    world.meddle = async (signer, operation) =>
      signer === 'projects' && operation === 'BatchWriteItem' && performance.now() < until ? throttleReply : undefined
    const { status, text } = await work()
    world.meddle = undefined
    if (status !== 202) throw new Error(`${status} instead of 202: ${text.slice(0, 200)}`)
  }
  const ended = async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      for (const schedule of world.stack.schedules().filter(({ target }) => nameOf(target) === 'merger'))
        await visit(world, schedule)
      const { body } = good(await dev('GET', at))
      if (body.merge === null) return body.state
    }
    throw new Error('it comes to no end')
  }
  await late(() => expert('POST', `${at}transition/`, { target_state: 'merged', comment: '' }))
  is(await ended(), 'merged')
  await sweepFolders(world)
  await late(() => expert('POST', `${at}rollback-merge/`))
  const { deleteObject, listKeys } = await import('../../lib/engines/bucket/blobs.ts')
  for (const key of await listKeys('snapshots/')) await deleteObject(key)
  is(await ended(), 'merged')
  const { status, text } = await expert('POST', `${at}rollback-merge/`)
  if (status !== 400) throw new Error(`without a snapshot it is answered ${status}: ${text.slice(0, 200)}`)
}

/** Makes each folder of a merge due for the sweeper, with an object more that no snapshot names. */
async function sweepFolders(world: Scene['world']): Promise<void> {
  const [{ listKeys, putObject }, { putAlways }, { commitWrites }, { mergeFolder }, { folderOf }] = await Promise.all([
    import('../../lib/engines/bucket/index.ts'),
    import('../../lib/engines/table/index.ts'),
    import('../../lib/engines/table/immediate.ts'),
    import('../../lib/domain/projects/merge-folder.ts'),
    import('../../lib/domain/projects/snapshots.ts'),
  ])
  const folders = await inTable((it) => it.type === 'merge_folder')
  const before = await listKeys('snapshots/')
  for (const { id, project_id } of folders) {
    await putObject(`${folderOf(String(id))}unused`, Buffer.from('{}'), 'application/json')
    const due = { id: String(id), project_id: String(project_id), until: '2020-01-01T00:00:00.000Z', version: 1 }
    await commitWrites([putAlways(mergeFolder, due)])
  }
  await sweep(world)
  const left = await listKeys('snapshots/')
  if (folders.length === 0 || left.some((it) => it.endsWith('/unused'))) throw new Error('no folder was looked through')
  if (left.length === 0 || before.length === 0) throw new Error('the snapshot is gone')
}

function is(found: unknown, wanted: string): void {
  if (found !== wanted) throw new Error(`it is ${found}, not ${wanted}`)
}

/** Makes an approved project with waiting records, one of them with a picture. Returns its address. */
async function makeApprovedProject(dev: Speaker, reviewer: Speaker): Promise<string> {
  const slug = `large-${randomUUID().slice(0, 8)}`
  good(await dev('POST', '/data/projects/', { slug, title: 'Large', abstract: 'Many.', visibility: 'public' }))
  const at = `/data/projects/${slug}/`
  let depicts = ''
  for (let n = 1; n <= RECORDS; n += 1) {
    const { body } = good(await dev('POST', '/cidoc/structures/', { name: `Wayside shrine ${n} of ${slug}` }))
    good(await dev('POST', `${at}entities/`, { entity: body.cultural_entity_id, role_in_project: '' }))
    depicts = String(body.cultural_entity_id)
  }
  const form = formOf({ file: await picture(), role: 'evidence', run_ocr: 'false', depicts, licence: 'CC-BY-4.0' })
  good(await dev('POST', `${at}assets/upload/`, form))
  for (const [who, target_state] of [[dev, 'in_review'] as const, [reviewer, 'approved'] as const])
    good(await who('POST', `${at}transition/`, { target_state, comment: '' }))
  return at
}
