import { createHash } from 'node:crypto'
import { drawing } from '../harness/media-files.ts'
import { type Base, publish } from './base.ts'
import { sure } from './requests.ts'
import { moduleIn } from './world/processes.ts'
import type { World } from './world/world.ts'

/**
 * Work that nobody waits for: which function does it, what there is for it to do, and what must come of it. `outcome` is the
 * same whatever failed on the way, as soon as the work has been taken up again.
 */
export type Job = {
  name: string
  /** A function's name, or a command of operators. */
  does: string | (() => Promise<unknown>)
  event?: unknown
  /** It puts right what was wrong before it. */
  mends?: boolean
  /** By how many minutes later it is taken up at the latest after it has failed. */
  minutes: number
  before: (world: World, base: Base) => Promise<unknown>
  outcome: (world: World, base: Base) => Promise<unknown>
}

const ask = (world: World, who: string, path: string) => sure(world, 200, { who, method: 'GET', path })
const tell = (world: World, who: string, status: number, path: string, body: unknown = {}) =>
  sure(world, status, { who, method: 'POST', path, sent: { body } })

const TABLE = [
  'Temple name,Latitude,Longitude,Year built,Location,Source',
  'Chyasilin Mandap,27.6722,85.4279,1990~,Bhaktapur,Field notes 1991',
  'Yaksheshvara Temple,27.6718,85.4281,1482,Bhaktapur,Slusser 1982',
  'Nyatapola,27.6713,85.4293,1702,Taumadhi Square,Slusser 1982',
].join('\r\n')

export async function sentTable(world: World, table = TABLE): Promise<string> {
  const body = new FormData()
  body.set('file', new File([table], 'temples.csv', { type: 'text/csv' }))
  const path = '/data/imports/'
  const { id } = await sure(world, 201, { who: 'dev', method: 'POST', path, sent: { body } })
  return id
}

const STAGES = ['check', 'run', 'decide', 'withdraw'] as const
type Stage = (typeof STAGES)[number] | 'take-back'
const ORDERED: Readonly<Record<Stage, { who: string; body: object }>> = {
  check: { who: 'dev', body: {} },
  run: { who: 'dev', body: { doubtful: 'create' } },
  decide: { who: 'curator', body: { verdict: 'accept', rows: [2] } },
  withdraw: { who: 'dev', body: {} },
  'take-back': { who: 'staff', body: {} },
}

/** An import at the point where a task is ordered and not begun. Answers its id. */
export async function ordered(world: World, stages: readonly Stage[], table?: string): Promise<string> {
  const id = await sentTable(world, table)
  for (const stage of stages) {
    await world.function('importer')
    await tell(world, ORDERED[stage].who, 200, `/data/imports/${id}/${stage}/`, ORDERED[stage].body)
  }
  // What was done so far has been told.
  await world.settle()
  return id
}

/** All imports of the contributor and what has become of each row. */
export async function imports(world: World): Promise<readonly { state: string }[]> {
  const { results } = await ask(world, 'dev', '/data/imports/')
  const all = []
  for (const { id } of results) {
    const { state, failed, counts, made, waiting, progress } = await ask(world, 'dev', `/data/imports/${id}/`)
    const rows = await ask(world, 'dev', `/data/imports/${id}/rows/?limit=100`)
    all.push({
      ...{ state, failed, counts, made, waiting, progress },
      rows: rows.results.map((row: Row) => [row.row, row.outcome, row.record?.status]),
      report: linesOf(world, id, rows.count),
    })
  }
  return all
}

/** The lines of the report of a dry run; it has one for each row, below the names of the columns. */
function linesOf(world: World, id: string, rows: number): string[] {
  const report = [...world.bucket.objects].find(
    ([key]) => key.startsWith(`imports/${id}/`) && key.endsWith('report.csv'),
  )
  const lines = report?.[1].bytes.toString().trimEnd().split('\r\n') ?? []
  if (lines.length > 0 && lines.length !== rows + 1)
    throw new Error(`the report of ${rows} rows is ${lines.join(' | ')}`)
  return lines
}
type Row = { row: number; outcome: string; record?: { status: string } | null }

const importing = (name: string, stages: readonly Stage[]): Job => ({
  name,
  does: 'importer',
  minutes: 3,
  before: (world) => ordered(world, stages),
  outcome: imports,
})

/** What the current exports hold, each file by what it is, with the digest of its bytes. */
export function exported(world: World): { name: string; rows: number; sha256: string; real: string | undefined }[] {
  const listing = world.bucket.objects.get('exports/current.json')
  if (!listing) return []
  const { files }: { files: { key: string; name: string; rows: number; sha256: string }[] } = JSON.parse(
    listing.bytes.toString(),
  )
  return files.map(({ key, name, rows, sha256 }) => {
    const bytes = world.bucket.objects.get(key)?.bytes
    return { name, rows, sha256, real: bytes && createHash('sha256').update(bytes).digest('hex') }
  })
}

/**
 * What each hook has been told, in the order in which it was first told, each message once; and what reviewers' systems have been
 * told of projects, each of which has messages of its own, in no order among each other.
 */
function heard(world: World): unknown {
  const each = [...new Map(world.received.map((it) => [`${it.url} ${it.id}`, it])).values()]
  const [toHooks, ofProjects] = [true, false].map((is) =>
    each.filter(({ body }) => 'changes' in JSON.parse(body) === is),
  )
  const changes = [...Map.groupBy(toHooks ?? [], ({ url }) => url)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([url, all]) => [url, all.flatMap(({ body }) => JSON.parse(body).changes)])
  const unsigned = world.received.filter((it) => toHooks?.some(({ url }) => url === it.url) && !isSigned(it)).length
  return { changes, projects: ofProjects?.map(({ body }) => body).toSorted(), unsigned }
}
const isSigned = ({ signature }: World['received'][number]) => signature?.startsWith('sha256=') === true

async function image(world: World): Promise<void> {
  const { default: sharp } = await import('sharp')
  const body = new FormData()
  const png = await sharp(drawing(64, 48, 'Stone'))
    .png()
    .toBuffer()
  body.set('file', new File([Uint8Array.from(png)], 'stone.png', { type: 'image/png' }))
  body.set('run_ocr', 'true')
  const path = '/data/projects/draft-survey/assets/upload/'
  await sure(world, 201, { who: 'dev', method: 'POST', path, sent: { body } })
  while (await world.time.until(world.deliver()));
}

export const commonJobs: readonly Job[] = [
  importing('read a table', []),
  importing('try a table', ['check']),
  importing('run a table', ['check', 'run']),
  importing('decide on a table', ['check', 'run', 'decide']),
  importing('withdraw a table', ['check', 'run', 'withdraw']),
  importing('take a table back', ['check', 'run', 'decide', 'take-back']),
  {
    name: 'export',
    does: 'exporter',
    minutes: 24 * 60,
    before: async (world) => {
      await publish(world, 'structures', { name: 'New since the last export', construction_date: '1655' })
      await publish(world, 'deities', { name: 'New deity' })
      await world.settle()
    },
    outcome: async (world) => exported(world),
  },
  {
    name: 'tell hooks',
    does: 'webhooks',
    minutes: 30,
    before: async (world, base) => {
      await tell(world, 'other', 201, '/api/user/hooks/', { url: 'http://receiver.example/hook' })
      await publish(world, 'structures', { name: 'Told of' })
      const path = `/cidoc/structures/${base.second.id}/`
      await sure(world, 204, { who: 'staff', method: 'DELETE', path })
      await world.settle()
    },
    outcome: async (world) => heard(world),
  },
  {
    name: 'write letters',
    does: 'letters',
    minutes: 6,
    // One is asked whose address it is, others are told of what has come of their contributions.
    before: async (world, base) => {
      world.time.advance(6 * 60_000)
      const path = '/data/notifications/letters/'
      await sure(world, 200, { who: 'reviewer', method: 'PUT', path, sent: { body: { mode: 'at_once' } } })
      const verdict = { verdict: 'accept' }
      await tell(world, 'curator', 201, `/data/review-workspace/${base.pending.cultural_entity_id}/decide/`, verdict)
      while (await world.time.until(world.deliver()));
    },
    // At most once: where nobody can tell whether it was taken, it is not sent again, and nothing is due.
    outcome: async (world) => {
      const due = world.items().filter((it) => it.gsi2_pk?.S === 'INBOX#DUE' || it.gsi2_pk?.S === 'LETTERS#CONFIRM')
      return due.map((it) => it.pk?.S)
    },
  },
  {
    name: 'read an image',
    does: 'ocr',
    minutes: 31,
    before: (world) => image(world),
    outcome: async (world) => {
      const { results } = await ask(world, 'dev', '/data/projects/draft-survey/assets/')
      const isRead = results.some((it: Record<string, unknown>) => it.ocr_status === 'completed')
      if (!isRead) throw new Error('nothing has been read')
      return results.map((it: Record<string, unknown>) => [it.file_name, it.ocr_status, it.ocr_text, it.ocr_error])
    },
  },
  {
    name: 'sweep often',
    does: 'sweeper',
    event: { chores: 'often' },
    minutes: 16,
    // A day later what waits is older, and a claim is over.
    before: async (world, base) => {
      await tell(world, 'reviewer', 200, `/data/review-queue/${base.pending.cultural_entity_id}/claim/`)
      await world.settle()
      world.time.advance(8 * 86_400_000)
    },
    outcome: async (world) => (await ask(world, 'curator', '/data/review-queue/?limit=50')).count,
  },
  {
    name: 'sweep seldom',
    does: 'sweeper',
    event: { chores: 'seldom' },
    minutes: 16,
    before: async (world) => {
      await publish(world, 'structures', { name: 'Since the last packing' })
      await world.settle()
      world.time.advance(2 * 86_400_000)
    },
    outcome: async (world) => {
      const found = await ask(world, 'dev', '/data/search/?q=packing')
      return found.results.map((it: Record<string, unknown>) => it.name ?? it.title)
    },
  },
  {
    name: 'merge later',
    does: 'merger',
    minutes: 16,
    before: async (world, base) => {
      const { mergeLimits } = await moduleIn(0, 'lib/domain/projects/merge.ts')
      const { waitedForMs } = mergeLimits
      // No request waits for it: the merger has all of it to do.
      mergeLimits.waitedForMs = 0
      const body = { target_state: 'merged', comment: 'Done.' }
      await tell(world, 'expert', 202, `/data/projects/${base.projects.approved}/transition/`, body)
      mergeLimits.waitedForMs = waitedForMs
    },
    outcome: async (world, base) => (await ask(world, 'dev', `/data/projects/${base.projects.approved}/`)).state,
  },
]
