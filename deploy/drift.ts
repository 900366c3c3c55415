import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  CloudFormationClient,
  DescribeStackDriftDetectionStatusCommand,
  DescribeStackResourceDriftsCommand,
  DetectStackDriftCommand,
} from '@aws-sdk/client-cloudformation'
import { isStage } from './stages.ts'

/**
 * `npm run drift -- --stage prod [--region us-east-1]`: has CloudFormation compare the stack with what is there. Prints a line for each
 * resource that somebody has changed or deleted by hand. The exit code is 1 if there is any, or if not all could be compared. Changes
 * nothing.
 */
const { values } = parseArgs({
  options: { stage: { type: 'string', default: '' }, region: { type: 'string', default: 'us-east-1' } },
})
const { stage, region } = values
if (!isStage(stage)) {
  console.error('Which stage? npm run drift -- --stage prod')
  process.exit(1)
}
const StackName = `heritage-${stage}`
const client = new CloudFormationClient({ region })
const lines = await findDrift()
console.log(lines.length > 0 ? lines.join('\n') : `${StackName} is as its template says.`)
process.exitCode = lines.length > 0 ? 1 : 0

async function findDrift(): Promise<string[]> {
  const { StackDriftDetectionId } = await client.send(new DetectStackDriftCommand({ StackName }))
  const found: string[] = []
  for (;;) {
    const asked = new DescribeStackDriftDetectionStatusCommand({ StackDriftDetectionId })
    const { DetectionStatus, DetectionStatusReason = '' } = await client.send(asked)
    if (DetectionStatus === 'DETECTION_COMPLETE') break
    if (DetectionStatus === 'DETECTION_FAILED') {
      found.push(`Not all could be compared: ${DetectionStatusReason}`)
      break
    }
    await sleep(2000)
  }
  for (let NextToken: string | undefined, more = true; more; more = NextToken !== undefined) {
    const filter = { StackName, StackResourceDriftStatusFilters: ['MODIFIED' as const, 'DELETED' as const] }
    const page = await client.send(new DescribeStackResourceDriftsCommand({ ...filter, NextToken }))
    for (const { LogicalResourceId, StackResourceDriftStatus, PropertyDifferences = [] } of page.StackResourceDrifts ??
      []) {
      const changed = PropertyDifferences.map(
        ({ PropertyPath, ExpectedValue, ActualValue }) => `${PropertyPath}: ${ExpectedValue} is ${ActualValue}`,
      )
      found.push([`${LogicalResourceId} is ${StackResourceDriftStatus}`, ...changed].join('; '))
    }
    NextToken = page.NextToken
  }
  return found
}
