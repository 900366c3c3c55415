import { nameTable, requireBucket } from './environment.ts'

const usage = `npm run search -- COMMAND

  rebuild   builds the search model from the table, stores it and makes it the one that counts; texts that were read
            from assets before search knew of them are taken in
  compact   makes a snapshot of the present model now, due or not
  rollback  goes back to the index before the last rebuild (with SEARCH_URL; the embedded engine does so by itself)
  status    says which snapshots there are and how much has changed since

Without TABLE_NAME in the environment it means the local service, which must run. Elsewhere set TABLE_NAME, BUCKET_NAME,
AWS_REGION and credentials. The service goes on meanwhile; its processes take the new snapshot when they next open one.`

nameTable()
const engine = async () => {
  requireBucket()
  await import('../../lib/domain/composition.ts')
  return import('../../lib/engines/search/index.ts')
}

const commands: Readonly<Record<string, () => Promise<string>>> = {
  rebuild: async () => {
    const { rebuildSearch } = await engine()
    const { renewTexts } = await import('../../lib/domain/projects/assets/texts.ts')
    await renewTexts()
    let reportedAt = 0
    const { report } = await rebuildSearch((items, documents) => {
      if (performance.now() - reportedAt < 1000) return
      reportedAt = performance.now()
      process.stderr.write(`${items} items read, ${documents} documents\n`)
    })
    return report
  },
  compact: async () => (await engine()).compactSearch(),
  rollback: async () => (await engine()).rollBackSearch(),
  status: async () => (await engine()).describeSearch(),
}

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
