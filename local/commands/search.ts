import { loadStack } from '../../deploy/stack.ts'

const usage = `npm run search -- COMMAND

  rebuild   builds the search model from the table, stores it and makes it the one that counts; texts that were read
            from assets before search knew of them are taken in
  compact   makes a snapshot of the present model now, due or not
  status    says which snapshots there are and how much has changed since

Without TABLE_NAME in the environment it means the local service, which must run. Elsewhere set TABLE_NAME, BUCKET_NAME,
AWS_REGION and credentials. The service goes on meanwhile; its processes take the new snapshot when they next open one.`

if (!process.env.TABLE_NAME) Object.assign(process.env, loadStack().environment)
await import('../../lib/domain/composition.ts')

const commands: Readonly<Record<string, () => Promise<string>>> = {
  rebuild: async () => {
    const [{ rebuildSnapshot }, { renewTexts }] = await Promise.all([
      import('../../lib/engines/search/model/rebuild.ts'),
      import('../../lib/domain/projects/assets/texts.ts'),
    ])
    await renewTexts()
    const started = performance.now()
    let told = 0
    const { snapshot, documents, position } = await rebuildSnapshot((looked, found) => {
      if (performance.now() - told < 1000) return
      told = performance.now()
      process.stderr.write(`${looked} items read, ${found} documents\n`)
    })
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    if (!snapshot) return 'Another process has made a snapshot meanwhile; that one counts.'
    return `${documents} documents in ${seconds} s: ${snapshot.key}, ${snapshot.bytes} bytes, at entry ${position} of the log.`
  },
  compact: async () => {
    const [{ compactNow }, { loadPointer }] = await Promise.all([
      import('../../lib/engines/search/model/compact.ts'),
      import('../../lib/engines/search/model/snapshot.ts'),
    ])
    const pointer = await loadPointer()
    if (!pointer) return 'There is no snapshot yet. Use rebuild.'
    const snapshot = await compactNow(pointer)
    return snapshot ? lineOf('now', snapshot) : 'Another process has made a snapshot meanwhile; that one counts.'
  },
  status: async () => {
    const [{ loadPointer }, { loadLogEnd }] = await Promise.all([
      import('../../lib/engines/search/model/snapshot.ts'),
      import('../../lib/engines/search/log.ts'),
    ])
    const [pointer, end] = await Promise.all([loadPointer(), loadLogEnd()])
    const log = `the log ends at entry ${end.number}`
    if (!pointer) return `No snapshot yet: the first search or the sweeper makes one; ${log}.`
    const { current, previous } = pointer
    const since = `${end.changes - current.changes} changes since; ${log}`
    return [lineOf('current', current), ...(previous ? [lineOf('previous', previous)] : []), since].join('\n')
  },
}

const lineOf = (
  which: string,
  it: { key: string; documents: number; bytes: number; position: number; made_at: string },
) => `${which}: ${it.key}, ${it.documents} documents, ${it.bytes} bytes, at entry ${it.position}, made ${it.made_at}`

const command = commands[process.argv[2] ?? '']
if (!command) {
  console.error(usage)
  process.exit(2)
}
try {
  console.log(await command())
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
