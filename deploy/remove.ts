import { parseArgs } from 'node:util'
import { CloudFormationClient, DescribeStackResourceCommand } from '@aws-sdk/client-cloudformation'
import { DeleteObjectsCommand, ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3'
import { runFramework } from './framework.ts'
import { isOfPullRequest } from './stages.ts'

/**
 * `npm run remove -- --stage pr12 [--region us-east-1]`: removes the stage of a pull request, with its table and its files. Other stages
 * are refused. Safe to repeat.
 */
const { values } = parseArgs({
  options: { stage: { type: 'string' }, region: { type: 'string', default: 'us-east-1' } },
})
const { stage = '', region } = values
if (!isOfPullRequest(stage)) {
  console.error('Not removed. Only stages of pull requests are removed by this command: npm run remove -- --stage pr12')
  process.exit(1)
}
const bucket = await bucketOf(`heritage-${stage}`)
if (bucket) {
  await emptyBucket(bucket)
  runFramework(['remove', '--stage', stage, '--region', region])
} else console.log(`There is no stack heritage-${stage}.`)

/** Deletes every file and version in a bucket: CloudFormation removes empty buckets only. */
async function emptyBucket(Bucket: string): Promise<void> {
  const client = new S3Client({ region })
  for (;;) {
    const { Versions = [], DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket }))
    const Objects = [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({ Key, VersionId }))
    if (Objects.length === 0) return
    await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }))
  }
}

/** The name of the bucket for files. Undefined if the stack, or its bucket, is not there. */
async function bucketOf(StackName: string): Promise<string | undefined> {
  const asked = new DescribeStackResourceCommand({ StackName, LogicalResourceId: 'Bucket' })
  try {
    const { StackResourceDetail } = await new CloudFormationClient({ region }).send(asked)
    return StackResourceDetail?.PhysicalResourceId
  } catch (error) {
    if (error instanceof Error && error.message.includes('does not exist')) return undefined
    throw error
  }
}
