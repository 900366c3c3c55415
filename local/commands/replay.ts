import { parseArgs } from 'node:util'
import { loadStack } from '../../deploy/stack.ts'

const usage = `npm run replay -- --parked
npm run replay -- [--type TYPE]... [--kind KIND] [--prefix KEY] [--since TIME] [--messages] | --all

Applies the effects of stored items again: links between records, audiences of comments, figures, boards and search documents.
Run it at any time, and again: nothing is done twice.

  --parked     the changes that the projector has parked, with the notifications that people did not get
  --type       items of this type, such as record, project or user; may be given several times
  --kind       records of this kind, such as structure
  --prefix     items whose partition key begins with KEY, such as ENTITY#04000000-0006
  --since      items that were created or changed since TIME, such as 2026-01-31 or 2026-01-31T12:00
  --messages   also sends notifications and webhooks that were not sent yet
  --all        all items

Without TABLE_NAME it works on the local service. For a deployed stage set TABLE_NAME, AWS_REGION and credentials.`

const options = {
  parked: { type: 'boolean', default: false },
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
  const { parked, type: types, kind, prefix, since, messages, all, help } = values
  const isPart = types !== undefined || kind !== undefined || prefix !== undefined || since !== undefined
  if (help || [parked, isPart, all].filter(Boolean).length !== 1) {
    console.error(usage)
    return help ? 0 : 2
  }
  if (since !== undefined && Number.isNaN(Date.parse(since))) throw new Error(`--since ${since} is no time.`)
  if (!process.env.TABLE_NAME) Object.assign(process.env, loadStack().environment)
  // Imported here, since these modules read the configuration, which is now set.
  const { followedTypes } = await import('../../lib/domain/effects/project.ts')
  const { replay, replayParked } = await import('../../lib/domain/effects/replay.ts')
  if (parked) return tell(await replayParked())
  const unknown = types?.find((it) => !followedTypes.includes(it))
  if (unknown)
    throw new Error(`Nothing follows from items of the type ${unknown}. There are ${followedTypes.join(', ')}.`)
  const part = { types, kind, prefix, messages, since: since && new Date(since).toISOString() }
  const count = await replay(part, (so_far) => console.log(`${so_far} so far`))
  console.log(`Applied ${count} items.`)
  return 0
}

function tell({ applied, failures }: { applied: number; failures: readonly string[] }): number {
  console.log(`Applied ${applied} changes.`)
  for (const it of failures) console.error(`Not applied: ${it}`)
  return failures.length > 0 ? 1 : 0
}
