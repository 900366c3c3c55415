import { nameTable } from './environment.ts'

const usage = `npm run estimate

Learns from the decisions of reviewers how probable it is that a claim is kept, and stores the model. The sweeper does so once a
day. It may be run at any time, and again. Without TABLE_NAME it means the service that runs here; for a deployed one set
TABLE_NAME, AWS_REGION and credentials.`

if (process.argv.length > 2) {
  console.error(usage)
  process.exit(2)
}
nameTable()
try {
  // Imported here, since these modules read the configuration, which is now set.
  const { estimateAnew } = await import('../../lib/domain/doubt/fit.ts')
  const { number, decided, base, weights, judged } = await estimateAnew()
  const kept = `${(100 * base).toFixed(1)} % were kept`
  console.log(`Model ${number}: ${decided} decided claims, of which ${kept}; ${Object.keys(weights).length} weights.`)
  if (judged)
    console.log(
      `On the latest ${judged.count}: Brier score ${judged.brier.toFixed(4)}, of the base rate ${judged.base_brier.toFixed(4)}; calibration error ${judged.calibration_error.toFixed(3)}.`,
    )
  else console.log('Too little was decided to estimate anything.')
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
