import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { drawing } from '../harness/media-files.ts'
import { type Job, sentTable } from './background.ts'
import { type Base, move, publish } from './base.ts'
import { at, fileForm, post } from './operation.ts'
import { sure } from './requests.ts'
import { taken } from './steps.ts'
import { PROCESSES } from './world/actors.ts'
import { forget, moduleIn } from './world/processes.ts'
import { type Called, type Fault, WORKERS, type World } from './world/world.ts'

/** What operators run, and what comes seldom: repairs, the end of a month, merges that cannot be, files that nobody needs any more. */
const command =
  (path: string, name: string, ...args: unknown[]) =>
  async (): Promise<unknown> =>
    (await moduleIn(WORKERS, path))[name](...args)
const repair = command('lib/domain/effects/repair.ts', 'repairAll')
const DAY_MS = 86_400_000

/** Items as they are stored, by their key. */
const keysOf = (world: World, fits: (it: { pk: string; sk: string; type: string }) => boolean) =>
  world
    .items()
    .map((it) => ({ pk: String(it.pk?.S), sk: String(it.sk?.S), type: String(it.type?.S) }))
    .filter(fits)

/** Takes things out of the table behind the service's back, as a fault of its past may have. */
function lose(world: World, fits: Parameters<typeof keysOf>[1]): void {
  const lost = keysOf(world, fits)
  if (lost.length === 0) throw new Error('there was nothing to lose')
  for (const it of lost) world.table.cells.set(it, undefined, world.time.now)
}

const ask = (world: World, who: string, path: string) => sure(world, 200, { who, method: 'GET', path })
/** What search finds by a word. */
const found = async (world: World, word: string) => {
  const { results } = await ask(world, 'dev', `/data/search/?q=${word}`)
  return results.map((it: Record<string, unknown>) => it.name ?? it.title).sort()
}

/** A merge that nobody waits for. */
export async function mergeLater(world: World, slug: string, waitedFor = 0): Promise<void> {
  const [{ mergeLimits }, { partLimits }] = await Promise.all([
    moduleIn(0, 'lib/domain/projects/merge.ts'),
    moduleIn(0, 'lib/domain/projects/merge-work.ts'),
  ])
  const [{ waitedForMs }, { recordsInPart }] = [mergeLimits, partLimits]
  mergeLimits.waitedForMs = waitedFor
  partLimits.recordsInPart = 1
  await sure(world, 202, move('expert', slug, 'merged'))
  mergeLimits.waitedForMs = waitedForMs
  partLimits.recordsInPart = recordsInPart
}

/** A merge of two records that nobody waits for, and that cannot be any more. */
async function mergeLaterAndDispute(world: World, b: Base): Promise<void> {
  await mergeLater(world, await approvedTwo(world, b))
  const disputed = { flag_type: 'contradiction', reason: 'It is said otherwise.' }
  for (const { cultural_entity_id } of [b.pending, b.waiting])
    await taken(world, [post('reviewer', '/data/review-flags/', { entity: cultural_entity_id, ...disputed })])
}

/** A project about two records that wait, approved. */
async function approvedTwo(world: World, b: Base): Promise<string> {
  const slug = b.projects.ready
  const steps = [b.pending, b.waiting].map((it) =>
    post('dev', at(slug, 'entities/'), { entity: it.cultural_entity_id }),
  )
  await taken(world, [...steps, move('dev', slug, 'in_review'), move('reviewer', slug, 'approved')])
  return slug
}
const stateOf = async (world: World, b: Base) => {
  const { state, merge } = await ask(world, 'dev', at(b.projects.ready))
  return { state, merge }
}

const picture = async (name: string, more: Record<string, string>) =>
  fileForm(
    await sharp(drawing(64, 48, 'Old'))
      .png()
      .toBuffer(),
    name,
    'image/png',
    more,
  )

/** How much is kept of what was before merges. */
const keptByMerges = (world: World): number =>
  [...world.bucket.objects.keys()].filter((it) => it.startsWith('snapshots/')).length

/** A request that waits for so long has staged the first of two parts. */
const ONE_PART_MS = 22

/** The snapshot that counts is another one than was stored, and no process has a copy. */
function damage(world: World): void {
  const [pointer] = world.items().filter((it) => it.type?.S === 'search-snapshot')
  const key = String(Object(pointer?.current?.M).key?.S)
  const stored = world.bucket.objects.get(key)
  if (!stored) throw new Error(`there is no snapshot ${key}`)
  world.bucket.objects.set(key, { ...stored, bytes: Buffer.from('damaged') })
  for (const name of readdirSync(world.directory)) rmSync(join(world.directory, name), { recursive: true })
  for (const process of PROCESSES) forget(process)
}

/** Publishes a record, and lets time pass until search is to be packed. */
async function due(world: World, name: string): Promise<void> {
  await publish(world, 'structures', { name })
  await world.settle()
  world.time.advance(2 * DAY_MS)
}

/** The same, and search is packed. */
async function pack(world: World, name: string): Promise<void> {
  await due(world, name)
  await world.function('sweeper', { chores: 'seldom' })
}

export const rareJobs: readonly Job[] = [
  {
    name: 'repair',
    does: repair,
    mends: true,
    minutes: 16,
    before: async (world, b) => {
      await taken(world, [
        post('dev', at(b.projects.draft, 'assets/upload/'), await picture('a.png', { run_ocr: 'true' })),
      ])
      await world.settle()
      lose(world, ({ type, pk }) => type === 'link' || pk.startsWith('NAME#') || type === 'project_asset_text')
      lose(world, ({ pk }) => pk.startsWith('COUNT#'))
    },
    outcome: (world) => found(world, 'Nyatapola'),
  },
  {
    name: 'put right what was put aside',
    does: command('lib/domain/effects/replay.ts', 'replayParked'),
    mends: true,
    minutes: 16,
    // The projector cannot apply a change, and puts it aside.
    before: async (world) => {
      await publish(world, 'structures', { name: 'Followed late' })
      // What it asks for while it follows a change cannot be; that it puts the change aside can.
      const cannot = ({ command, attempt }: Called): Fault | undefined =>
        attempt > 0 && command === 'Query' ? 'malformed' : undefined
      for (let batch = 0; batch < 12 && (await world.time.until(world.deliver(cannot))); batch += 1);
      if (keysOf(world, ({ type }) => type === 'parked_change').length === 0) throw new Error('nothing was put aside')
    },
    outcome: (world) => found(world, 'Followed'),
  },
  {
    name: 'apply everything anew',
    does: command('lib/domain/effects/replay.ts', 'replay', { messages: true }),
    minutes: 16,
    // Nothing has followed yet.
    before: (world) => publish(world, 'structures', { name: 'Applied anew' }),
    outcome: (world) => found(world, 'anew'),
  },
  {
    name: 'close a month',
    does: 'sweeper',
    event: { chores: 'seldom' },
    minutes: 16,
    before: async (world) => world.time.advance(31 * DAY_MS),
    outcome: async (world) => keysOf(world, ({ pk }) => pk.startsWith('BOARD#TREE#') && pk.includes('@')).length,
  },
  {
    name: 'grow old in the queue',
    does: 'sweeper',
    event: { chores: 'often' },
    minutes: 16,
    before: async (world) => world.time.advance(31 * DAY_MS),
    outcome: async (world) => (await ask(world, 'curator', '/data/review-queue/?type=expiring&limit=50')).count,
  },
  {
    name: 'clear away uploads',
    does: 'sweeper',
    event: { chores: 'often' },
    minutes: 16,
    before: async (world, b) => {
      const announced = { file_name: 'a.mp3', content_type: 'audio/mpeg', size: 1000 }
      await taken(world, [post('dev', at(b.projects.draft, 'assets/uploads/'), announced)])
      await world.settle()
      world.time.advance(2 * DAY_MS)
    },
    outcome: async (world) => keysOf(world, ({ type }) => type === 'upload').length,
  },
  {
    name: 'clear away files',
    does: 'sweeper',
    event: { chores: 'seldom' },
    minutes: 16,
    before: async (world) => {
      await taken(world, [
        post('dev', '/data/pictures/', await picture('old.png', {})),
        post('dev', '/data/pictures/uploads/', { file_name: 'a.jpg', size: 1000 }),
      ])
      await sentTable(world)
      await world.function('importer')
      await world.settle()
      world.time.advance(100 * DAY_MS)
    },
    outcome: async (world) => [...world.bucket.objects.keys()].filter((it) => /^(pictures|imports)\//.test(it)).length,
  },
  {
    name: 'merge later in parts',
    does: 'merger',
    minutes: 16,
    before: async (world, b) => mergeLater(world, await approvedTwo(world, b)),
    outcome: stateOf,
  },
  {
    name: 'merge later what is disputed since',
    does: 'merger',
    minutes: 16,
    before: mergeLaterAndDispute,
    // All that stands in the way is named, in whatever part it is.
    outcome: async (world, b) => {
      const told = world.items().filter((it) => it.action?.S === 'merge_failed')
      const named = told.flatMap((it) => Object(it.payload?.M).blockers?.L ?? [])
      if (named.length !== 2) throw new Error(`two records stand in the way, and these are named: ${named.join()}`)
      return stateOf(world, b)
    },
  },
  {
    name: 'merge later after a part',
    does: 'merger',
    minutes: 16,
    before: async (world, b) => {
      await mergeLater(world, await approvedTwo(world, b), ONE_PART_MS)
      const parts = world.items().filter((it) => it.type?.S === 'merge_part').length
      if (parts !== 1) throw new Error(`the request has staged ${parts} parts: correct ONE_PART_MS`)
    },
    outcome: stateOf,
  },
  {
    name: 'merge later after the counters',
    does: 'merger',
    minutes: 16,
    // Whoever has staged all parts, and written down which counters change, goes.
    before: async (world, b) => {
      await mergeLater(world, await approvedTwo(world, b))
      const areNoted = () =>
        keysOf(world, ({ type, sk }) => type === 'large_part' && Number(sk.split('#')[1]) === 0).length > 0
      await world.function('merger', undefined, () => (areNoted() ? 'gone before' : undefined)).catch(() => undefined)
      if (!areNoted()) throw new Error('no counters were written down')
      world.time.advance(2 * 60_000)
    },
    outcome: stateOf,
  },
  {
    name: 'clear away what a merge kept',
    does: 'sweeper',
    event: { chores: 'seldom' },
    minutes: 16,
    before: async (world, b) => {
      const before = keptByMerges(world)
      await mergeLaterAndDispute(world, b)
      await world.function('merger')
      await world.settle()
      if (keptByMerges(world) === before) throw new Error('the merge has kept nothing')
      world.time.advance(DAY_MS)
    },
    outcome: async (world) => keptByMerges(world),
  },
  {
    name: 'forget old notices',
    does: 'sweeper',
    event: { chores: 'often' },
    minutes: 16,
    before: async (world) => {
      world.time.advance(200 * DAY_MS)
      const now = world.now().getTime() / 1000
      for (const it of keysOf(world, ({ type }) => type === 'notification'))
        if (Number(world.table.cells.get(it)?.expires_at?.N) < now) world.table.expire(it, world.time.now)
    },
    outcome: (world) => ask(world, 'dev', '/data/notifications/unread_count/'),
  },
  {
    name: 'open search where a snapshot is damaged',
    does: async () => (await moduleIn(WORKERS, 'lib/engines/search/open.ts')).openSearchModel(),
    minutes: 16,
    before: async (world) => {
      await pack(world, 'First packing')
      await pack(world, 'Second packing')
      damage(world)
    },
    outcome: (world) => found(world, 'packing'),
  },
  {
    name: 'build search anew',
    does: 'sweeper',
    event: { chores: 'seldom' },
    minutes: 16,
    // The snapshots are lost, and the table knows all that search does.
    before: async (world) => {
      for (const key of world.bucket.objects.keys()) if (key.startsWith('search/')) world.bucket.objects.delete(key)
      await due(world, 'Found again')
    },
    outcome: (world) => found(world, 'again'),
  },
  {
    name: 'pack search twice',
    does: 'sweeper',
    event: { chores: 'seldom' },
    minutes: 16,
    before: async (world) => {
      await pack(world, 'First packing')
      await due(world, 'Second packing')
    },
    outcome: (world) => found(world, 'packing'),
  },
]
