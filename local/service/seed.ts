import { config } from '../../lib/config.ts'
import { identified } from '../../lib/records/lists.ts'
import { last } from '../commands/demo/things.ts'
import { seedUsers } from './users.ts'

/**
 * Makes the users of the local stage and the demonstration records, those that are missing. Where all are there it
 * costs a few small reads. Fails when a demonstration record is not taken, and says which.
 */
export async function seed(): Promise<void> {
  await seedUsers()
  const found = await identified('monument', last.id, {}, null, { limit: 1, offset: 0 })
  if (found.count > 0) return
  const level = config.LOG_LEVEL
  config.LOG_LEVEL = 'silent'
  try {
    const { demonstrate } = await import('../commands/demo/demonstrate.ts')
    await demonstrate()
  } finally {
    config.LOG_LEVEL = level
  }
}
