import { parseArgs } from 'node:util'
import { lambdaIn, listReleases, moveTraffic, releasedFunctions, stepsBackTo } from './releases.ts'
import { isStage } from './stages.ts'

/**
 * `npm run rollback -- --stage prod [--to RELEASE]`: lists the releases; with `--to`, all requests reach that release again. It moves the
 * alias of each function, which takes seconds and changes nothing of the stack. Safe to repeat.
 */
const { values } = parseArgs({
  options: {
    stage: { type: 'string', default: '' },
    region: { type: 'string', default: 'us-east-1' },
    to: { type: 'string' },
  },
})
const { stage, region, to } = values
if (!isStage(stage)) {
  console.error('Which stage? npm run rollback -- --stage prod [--to RELEASE]')
  process.exit(1)
}
const client = lambdaIn(region)
const names = releasedFunctions(`heritage-${stage}`)
if (to === undefined) {
  for (const { release, live } of await listReleases(client, names)) console.log(live ? `${release}  (live)` : release)
} else {
  const steps = await stepsBackTo(client, names, to).catch((error: unknown) => {
    console.error(`Nothing was changed. ${error instanceof Error ? error.message : error}`)
    process.exit(1)
  })
  await moveTraffic(client, steps)
  console.log(`${steps.length} functions answer as in ${to} again.`)
}
