import { loadStack } from '../../../deploy/stack.ts'
import { nameTable } from '../environment.ts'
import type { Place } from './place.ts'

/** Warns if the projector is behind, so that the backup's links and counts do not fit its other items. */
export async function warnIfBehind({ table }: Pick<Place, 'table'>): Promise<void> {
  const local = loadStack().environment
  Object.assign(process.env, table === local.TABLE_NAME ? local : { TABLE_NAME: table })
  nameTable()
  // Imported here, since these modules read the configuration, which is now set.
  const { measureLag } = await import('../../../lib/platform/health/stream-lag.ts')
  const { activityLists } = await import('../../../lib/domain/records/items.ts')
  const { countParked } = await import('../../../lib/domain/effects/parked.ts')
  const [{ late, seconds }, { parked, isAll }] = await Promise.all([measureLag(activityLists), countParked()])
  if (late)
    console.error(
      `Warning: the projector is ${seconds} s behind. Links, figures and notices of the last changes are not in this backup; npm run replay brings them up once it is restored.`,
    )
  if (parked > 0)
    console.error(
      `Warning: ${parked}${isAll ? '' : ' or more'} changes were put aside and not applied. See npm run replay -- --parked.`,
    )
}
