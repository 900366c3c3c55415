import { loadStack } from '../deploy/stack.ts'

const usage = `npm run recount

Brings the figures and boards of everyone up to what the table holds: after a change of how points are reckoned, or when
the projector has given up on changes. It may be run at any time, and again. Without TABLE_NAME it means the service
that runs here; for a deployed one set TABLE_NAME, AWS_REGION and credentials.`

if (process.argv.length > 2) {
  console.error(usage)
  process.exit(2)
}
if (!process.env.TABLE_NAME) Object.assign(process.env, loadStack().environment)
try {
  // It reads the configuration, which is complete from here on.
  const { recountAll } = await import('../../lib/leaderboard/sweep.ts')
  const looked = await recountAll((so_far) => {
    if (so_far % 10_000 === 0 && so_far > 0) console.log(`${so_far} so far`)
  })
  console.log(`Looked at ${looked} people.`)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
