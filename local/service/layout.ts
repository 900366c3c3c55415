import { access, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { directory } from './paths.ts'

/** The first layout whose table says its own. Data of earlier ones cannot be migrated. */
const STAMPED = '2'

/** Notes that the table of the local data says its own layout. Fails if a version before that has left its data. */
export async function checkFolder(): Promise<void> {
  const file = join(directory, 'layout')
  const isFilled = await access(join(directory, 'dynamodb.sqlite')).then(
    () => true,
    () => false,
  )
  const found = await readFile(file, 'utf8').catch(() => '')
  if (isFilled && found !== STAMPED)
    throw new Error(
      `${directory} holds data of a version before 0.2, which this version cannot migrate. To keep them, start that version and run \`npm run export -- DIR\`. Then \`npm run reset\` empties the folder.`,
    )
  await writeFile(file, STAMPED)
}

/**
 * Brings the table to the layout of this version, and says so unless the table is new. Fails with a sentence if a newer version has made it.
 * Reads the configuration.
 */
export async function migrateTable(): Promise<void> {
  const { beginMigration, migrationState, workOnMigration } = await import('../../lib/domain/migrations/migrate.ts')
  // A new table is stamped, and a step under way is finished.
  await workOnMigration(Number.POSITIVE_INFINITY)
  const before = (await migrationState()).layout
  while (await beginMigration()) await workOnMigration(Number.POSITIVE_INFINITY)
  const { layout } = await migrationState()
  if (layout !== before) console.log(`The table had layout ${before}; it has layout ${layout} now.`)
}
