import { seedUsers } from '../../deploy/stand-ins/users.ts'
import { config } from '../../lib/base/config.ts'
import { listByIdentifier } from '../../lib/domain/records/lists.ts'
import { last } from '../commands/demo/things.ts'

/**
 * Makes the seeded users and demonstration records that are missing. If none is missing, it costs a few small reads.
 * Fails if a record is refused, and says which.
 */
export async function seed(): Promise<void> {
  await seedUsers()
  const found = await listByIdentifier('monument', last.id, {}, null, { limit: 1, offset: 0 })
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
