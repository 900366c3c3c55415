import { loadStack } from '../../deploy/stack.ts'
import type { Place } from './place.ts'

/** Says so when what follows from changes, such as links and figures, is not yet what the backup's other items ask for. */
export async function warnIfBehind({ table }: Pick<Place, 'table'>): Promise<void> {
  const local = loadStack().environment
  Object.assign(process.env, table === local.TABLE_NAME ? local : { TABLE_NAME: table })
  // They read the configuration, which is complete from here on.
  const { lag } = await import('../../../lib/health/stream-lag.ts')
  const { countParked } = await import('../../../lib/effects/parked.ts')
  const [{ late, seconds }, aside] = await Promise.all([lag(), countParked()])
  if (late)
    console.error(
      `Warning: the projector is ${seconds} s behind. Links, figures and notices of the last changes are not in this backup; npm run replay brings them up once it is restored.`,
    )
  if (aside > 0)
    console.error(`Warning: ${aside} changes were put aside and not applied. See npm run replay -- --parked.`)
}
