import { parseArgs } from 'node:util'
import type { replayParked } from '../../lib/domain/effects/replay.ts'
import { nameTable } from './environment.ts'

const usage = `npm run replay -- --parked [--discard] [--only ID]...
npm run replay -- [--type TYPE]... [--kind KIND] [--prefix KEY] [--since TIME] [--messages] | --all

Applies the effects of stored items again: links between records, audiences of comments, figures, boards and search documents.
Run it at any time, and again: nothing is done twice.

  --parked     the changes that the projector has parked, with the notifications that people did not get; what was deleted
               since is skipped
  --discard    with --parked: forgets these changes instead. What follows from them is missing until \`npm run recount\`
  --only       with --parked: only the change of this id, as a run names it; may be given several times
  --type       items of this type, such as record, project or user; may be given several times
  --kind       records of this kind, such as structure
  --prefix     items whose partition key begins with KEY, such as ENTITY#04000000-0006
  --since      items that were created or changed since TIME, such as 2026-01-31 or 2026-01-31T12:00
  --messages   also sends notifications and webhooks that were not sent yet
  --all        all items

Without TABLE_NAME it works on the local service. For a deployed stage set TABLE_NAME, AWS_REGION and credentials,
and REVIEW_WEBHOOK_URL if the stage has one.`

const options = {
  parked: { type: 'boolean', default: false },
  discard: { type: 'boolean', default: false },
  only: { type: 'string', multiple: true },
  type: { type: 'string', multiple: true },
  kind: { type: 'string' },
  prefix: { type: 'string' },
  since: { type: 'string' },
  messages: { type: 'boolean', default: false },
  all: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

try {
  process.exitCode = await run()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

async function run(): Promise<number> {
  const { values } = parseArgs({ options })
  const { parked, discard, only, type: types, kind, prefix, since, messages, all, help } = values
  const isPart = types !== undefined || kind !== undefined || prefix !== undefined || since !== undefined
  const isAboutParked = discard || only !== undefined
  if (help || [parked, isPart, all].filter(Boolean).length !== 1 || (isAboutParked && !parked)) {
    console.error(usage)
    return help ? 0 : 2
  }
  if (since !== undefined && Number.isNaN(Date.parse(since))) throw new Error(`--since ${since} is no time.`)
  nameTable()
  // Imported here, since these modules read the configuration, which is now set.
  const { followedTypes } = await import('../../lib/domain/effects/project.ts')
  const { discardParked, replay, replayParked } = await import('../../lib/domain/effects/replay.ts')
  if (discard) return tellDiscarded(await discardParked(only))
  if (parked) return tell(await replayParked(only))
  const unknown = types?.find((it) => !followedTypes.includes(it))
  if (unknown)
    throw new Error(`Nothing follows from items of the type ${unknown}. There are ${followedTypes.join(', ')}.`)
  const part = { types, kind, prefix, messages, since: since && new Date(since).toISOString() }
  const count = await replay(part, (so_far) => console.log(`${so_far} so far`))
  console.log(`Applied ${count} items.`)
  return 0
}

function tell({ applied, skipped, failures }: Awaited<ReturnType<typeof replayParked>>): number {
  console.log(`Applied ${applied} changes.`)
  if (skipped > 0) console.log(`Skipped ${skipped} changes of what was deleted since.`)
  for (const it of failures) console.error(`Not applied: ${it}`)
  return failures.length > 0 ? 1 : 0
}

function tellDiscarded(discarded: readonly string[]): number {
  for (const it of discarded) console.log(`Discarded: ${it}`)
  console.log(`Discarded ${discarded.length} changes.`)
  return 0
}
