import { ACMClient, DescribeCertificateCommand } from '@aws-sdk/client-acm'
import {
  CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation'
import { CloudWatchLogsClient, DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs'
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { GetAccountSettingsCommand, LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda'
import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { GetAccountCommand, GetEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2'
import { GetParametersCommand, SSMClient } from '@aws-sdk/client-ssm'
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'

/** The members of a packaged template that are read here. */
export type Template = { Resources: Record<string, { Type: string; Properties: Record<string, unknown> }> }

/**
 * `stack` holds the logical ids of what is deployed already, and `deployed` its template. `lacking` has a line for each thing that must
 * be mended first.
 */
export type Readiness = { stack: ReadonlySet<string>; deployed: Template; lacking: readonly string[] }

/** Checks whether an account can take a stack. Only reads. */
export async function readinessOf(name: string, region: string, template: Template): Promise<Readiness> {
  const client = { region }
  const { Account = '' } = await new STSClient(client).send(new GetCallerIdentityCommand({}))
  const { state, resources, deployed } = await stackOf(new CloudFormationClient(client), name)
  const missing = Object.fromEntries(Object.entries(template.Resources).filter(([id]) => !resources.has(id)))
  const lines = await Promise.all([
    edgeElsewhere(region, template),
    stuck(name, state),
    parameters(new SSMClient(client), template),
    concurrency(new LambdaClient(client), template),
    certificates(new ACMClient(client), template),
    sender(new SESv2Client(client), template),
    tablesTaken(new DynamoDBClient(client), { Resources: missing }),
    bucketsTaken(new S3Client(client), { Resources: missing }, Account),
    functionsTaken(new LambdaClient(client), { Resources: missing }),
    logGroupsTaken(new CloudWatchLogsClient(client), { Resources: missing }),
  ])
  return { stack: resources, deployed, lacking: lines.flat() }
}

async function stackOf(client: CloudFormationClient, StackName: string) {
  const resources = new Set<string>()
  const none: Template = { Resources: {} }
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }))
    for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName }))
      for (const { LogicalResourceId = '', ResourceStatus = '' } of StackResourceSummaries)
        if (!ResourceStatus.startsWith('DELETE_COMPLETE')) resources.add(LogicalResourceId)
    const { TemplateBody = '' } = await client.send(new GetTemplateCommand({ StackName }))
    const deployed: Template = TemplateBody === '' ? none : JSON.parse(TemplateBody)
    return { state: Stacks[0]?.StackStatus ?? '', resources, deployed }
  } catch (error) {
    // AWS answers a missing stack with a general ValidationError, so the message decides.
    if (error instanceof Error && error.message.includes('does not exist'))
      return { state: '', resources, deployed: none }
    throw error
  }
}

/** States in which a stack cannot be deployed, and the command that ends each. */
const ends: Readonly<Record<string, string>> = {
  ROLLBACK_COMPLETE: 'delete-stack',
  ROLLBACK_FAILED: 'delete-stack',
  DELETE_FAILED: 'delete-stack',
  REVIEW_IN_PROGRESS: 'delete-stack',
  UPDATE_ROLLBACK_FAILED: 'continue-update-rollback',
}

/** CloudFront takes certificates and firewalls of one region only. */
function edgeElsewhere(region: string, template: Template): string[] {
  const hasEdge = propertiesOf(template, 'AWS::CloudFront::Distribution').length > 0
  return hasEdge && region !== 'us-east-1'
    ? [`The stage has an edge, so its region must be us-east-1, not ${region}.`]
    : []
}

function stuck(name: string, state: string): string[] {
  const end = ends[state]
  if (end) return [`The stack ${name} is in ${state}: aws cloudformation ${end} --stack-name ${name}`]
  return state.endsWith('_IN_PROGRESS') ? [`The stack ${name} is in ${state}: wait until that has ended.`] : []
}

const propertiesOf = ({ Resources }: Template, type: string) =>
  Object.values(Resources).flatMap(({ Type, Properties }) => (Type === type ? [Properties] : []))
const namesOf = (template: Template, type: string, name: string) => propertiesOf(template, type).map((it) => it[name])

async function parameters(client: SSMClient, template: Template): Promise<string[]> {
  const wanted = parametersOf(template)
  if (wanted.size === 0) return []
  const { Parameters = [], InvalidParameters = [] } = await client.send(
    new GetParametersCommand({ Names: [...wanted.keys()] }),
  )
  return parameterFaults(wanted, InvalidParameters, Parameters)
}

type ParameterType = 'String' | 'SecureString'

/**
 * The parameters that functions read when they start, in the order of their names, with the type of each. What CloudFormation puts into the
 * template itself must be a String: it resolves no encrypted parameter for CloudFront.
 */
export function parametersOf(template: Template): Map<string, ParameterType> {
  const values = propertiesOf(template, 'AWS::Lambda::Function').flatMap((it) =>
    Object.values(Object(Object(it.Environment).Variables)),
  )
  const names = values.flatMap((it) => /^ssm:(\/.+)$/.exec(String(it))?.[1] ?? [])
  const resolved = new Set(
    [...JSON.stringify(template).matchAll(/{{resolve:ssm:(\/[^:}]+)[^}]*}}/g)].map(([, name]) => name),
  )
  return new Map([...new Set(names)].sort().map((it) => [it, resolved.has(it) ? 'String' : 'SecureString']))
}

/** A line for each parameter that is missing, or encrypted where it must not be. Each has the command that mends it. */
export function parameterFaults(
  wanted: ReadonlyMap<string, ParameterType>,
  missing: readonly string[],
  found: readonly { Name?: string | undefined; Type?: string | undefined }[],
): string[] {
  const put = (name: string) => `aws ssm put-parameter --type ${wanted.get(name)} --name ${name} --value ...`
  const encrypted = found.flatMap(({ Name = '', Type }) =>
    Type === 'SecureString' && wanted.get(Name) === 'String' ? [Name] : [],
  )
  return [
    ...missing.map((it) => `The parameter ${it} is missing: ${put(it)}`),
    // The type of a parameter cannot be changed.
    ...encrypted.map(
      (it) => `The parameter ${it} must be of type String: aws ssm delete-parameter --name ${it}; ${put(it)}`,
    ),
  ]
}

/**
 * A request takes at most a tenth of a second. So 50 requests a second need 5 functions at once. Background work needs 5 more,
 * since at most 5 schedules begin in the same minute. A new account has 10, which is enough for dev.
 */
const SECONDS = 0.1
const BACKGROUND = 5

async function concurrency(client: LambdaClient, template: Template): Promise<string[]> {
  const [stage] = propertiesOf(template, 'AWS::ApiGatewayV2::Stage')
  const rate = Number(Object(stage?.DefaultRouteSettings).ThrottlingRateLimit ?? 0)
  const wanted = Math.ceil(rate * SECONDS) + BACKGROUND
  const { AccountLimit } = await client.send(new GetAccountSettingsCommand({}))
  const there = AccountLimit?.UnreservedConcurrentExecutions ?? 0
  const sum = `${rate} requests a second of ${SECONDS} s, and ${BACKGROUND} for background work`
  if (there >= wanted) {
    console.log(`Accepted: the account lets ${there} functions run at once, and the stage takes ${wanted} (${sum}).`)
    return []
  }
  return [
    `The account lets ${there} functions run at once, ${rate} requests a second take ${wanted}: aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000`,
  ]
}

/** Whether the certificate exists in this region, is issued, and covers the domain. */
async function certificates(client: ACMClient, template: Template): Promise<string[]> {
  const lines = propertiesOf(template, 'AWS::ApiGatewayV2::DomainName').map(async (it) => {
    const domain = String(it.DomainName)
    const CertificateArn = String(Object(it.DomainNameConfigurations)[0]?.CertificateArn)
    const found = await client.send(new DescribeCertificateCommand({ CertificateArn })).catch(() => undefined)
    const { Status, SubjectAlternativeNames = [] } = found?.Certificate ?? {}
    if (Status === undefined) return [`The certificate ${CertificateArn} is not there, or not in this region.`]
    if (Status !== 'ISSUED') return [`The certificate ${CertificateArn} is ${Status}, not ISSUED.`]
    const wildcard = domain.replace(/^[^.]+/, '*')
    if (SubjectAlternativeNames.some((name) => name === domain || name === wildcard)) return []
    return [`The certificate ${CertificateArn} is for ${SubjectAlternativeNames.join(', ')}, not for ${domain}.`]
  })
  return (await Promise.all(lines)).flat()
}

/** Whether SES has verified the sender's identity, and lets the account write to any address. */
async function sender(client: SESv2Client, template: Template): Promise<string[]> {
  const variables = propertiesOf(template, 'AWS::Lambda::Function').map((it) =>
    Object(Object(it.Environment).Variables),
  )
  const { LETTERS_SENDER = '', LETTERS_IDENTITY: EmailIdentity = '' }: Record<string, string> = Object(
    variables.find((it) => 'LETTERS_IDENTITY' in it),
  )
  if (LETTERS_SENDER === '') return []
  const address = /<(.*)>$/.exec(LETTERS_SENDER)?.[1] ?? LETTERS_SENDER
  if (EmailIdentity !== address && EmailIdentity !== address.split('@')[1])
    return [`LETTERS_SENDER is ${address}, and LETTERS_IDENTITY neither that nor its domain.`]
  const found = await client.send(new GetEmailIdentityCommand({ EmailIdentity })).catch(() => undefined)
  const verified = found?.VerifiedForSendingStatus
    ? []
    : [
        `The identity ${EmailIdentity} is not verified for letters: aws sesv2 create-email-identity --email-identity ${EmailIdentity}`,
      ]
  const { ProductionAccessEnabled } = await client.send(new GetAccountCommand({}))
  const open = ProductionAccessEnabled
    ? []
    : ['The account may send letters to verified addresses only: ask for production access in the console of SES.']
  return [...verified, ...open]
}

const nameTakenFault = (what: string, name: string) =>
  `The ${what} ${name} is there already and not in the stack: remove it, rename it, or import it into the stack.`

async function tablesTaken(client: DynamoDBClient, template: Template): Promise<string[]> {
  const lines = namesOf(template, 'AWS::DynamoDB::Table', 'TableName').map(async (name) => {
    const there = await isThere(client.send(new DescribeTableCommand({ TableName: String(name) })))
    return there ? [nameTakenFault('table', String(name))] : []
  })
  return (await Promise.all(lines)).flat()
}

/** Names of buckets are shared by all AWS accounts: a bucket of another account answers 403. */
async function bucketsTaken(client: S3Client, template: Template, account: string): Promise<string[]> {
  const names = namesOf(template, 'AWS::S3::Bucket', 'BucketName').filter((it) => it !== undefined)
  const lines = names.map(async (name) => {
    const Bucket = String(Object(name)['Fn::Sub'] ?? name).replace(`\${AWS::AccountId}`, account)
    return (await isThere(client.send(new HeadBucketCommand({ Bucket })))) ? [nameTakenFault('bucket', Bucket)] : []
  })
  return (await Promise.all(lines)).flat()
}

async function functionsTaken(client: LambdaClient, template: Template): Promise<string[]> {
  const wanted = new Set(namesOf(template, 'AWS::Lambda::Function', 'FunctionName').map(String))
  if (wanted.size === 0) return []
  const found: string[] = []
  for await (const { Functions = [] } of paginateListFunctions({ client }, {}))
    found.push(...Functions.flatMap(({ FunctionName = '' }) => (wanted.has(FunctionName) ? [FunctionName] : [])))
  return found.map((name) => nameTakenFault('function', name))
}

async function logGroupsTaken(client: CloudWatchLogsClient, template: Template): Promise<string[]> {
  const lines = namesOf(template, 'AWS::Logs::LogGroup', 'LogGroupName').map(async (name) => {
    const { logGroups = [] } = await client.send(new DescribeLogGroupsCommand({ logGroupNamePrefix: String(name) }))
    return logGroups.some(({ logGroupName }) => logGroupName === name)
      ? [nameTakenFault('log group', String(name))]
      : []
  })
  return (await Promise.all(lines)).flat()
}

/** Whether the call finds something. 403 means that it belongs to another account, so the name is taken. */
async function isThere(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked
    return true
  } catch (error) {
    const { $metadata, name }: { $metadata?: { httpStatusCode?: number }; name?: string } = Object(error)
    if ($metadata?.httpStatusCode === 403) return true
    if ($metadata?.httpStatusCode === 404 || name === 'ResourceNotFoundException') return false
    throw error
  }
}
