import { nameTable } from './environment.ts'

const usage = `npm run migrate
npm run migrate -- status
npm run migrate -- undo

Brings the table to the layout of this version, step by step, while the service works. The sweeper does the same work, so this command may
be interrupted. status says which layout the table has. undo takes the last step back, so that the earlier version can be deployed.

Without TABLE_NAME it works on the local service. For a deployed stage set TABLE_NAME, AWS_REGION and credentials, and IDP_ISSUER and
SECONDARY_ISSUER as the stage has them.`

const [command = 'forward', ...others] = process.argv.slice(2)
if (!['forward', 'status', 'undo'].includes(command) || others.length > 0) {
  console.error(usage)
  process.exit(command === '--help' ? 0 : 2)
}
nameTable()
try {
  // Imported here, since these modules read the configuration, which is now set.
  const { beginMigration, beginUndo, migrationState, workOnMigration } = await import(
    '../../lib/domain/migrations/migrate.ts'
  )
  const tell = async () => {
    const { layout, newest, task } = await migrationState()
    const under =
      task && `; ${task.direction} over step ${task.step} since ${task.began_at}, ${task.total} items so far`
    console.log(`The table has layout ${layout}; this version makes layout ${newest}${under ?? ''}.`)
  }
  const isUnderWay = async () => (await migrationState()).task !== null
  if (command === 'undo' && !(await beginUndo())) throw new Error('There is no step that this version could take back.')
  for (let more = command !== 'status'; more; ) {
    more = command === 'undo' ? await isUnderWay() : await beginMigration()
    if (more) await workOnMigration(performance.now() + 5000)
    if (more) await tell()
  }
  if (command === 'status') await tell()
  else console.log('Done.')
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
