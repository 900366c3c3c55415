import { ACCOUNT, type Cloud, type Reply } from './cloud.ts'

/** The part of CloudFormation that the Serverless Framework calls. It creates the resources of a template, and rolls a failed operation back. */
export type StackResource = {
  Type: string
  Properties?: Record<string, unknown>
  DependsOn?: string | string[]
  DeletionPolicy?: string
}
export type Template = { Resources: Record<string, StackResource>; Outputs?: object }
type Event = { id: number; logical: string; type: string; status: string; reason: string }
export type Stack = {
  name: string
  status: string
  template: Template
  resources: Map<string, StackResource>
  changeSets: Map<string, Template>
  events: Event[]
}

const ROOT = 'AWS::CloudFormation::Stack'

/** Replies to an action of CloudFormation, or to `GetCallerIdentity` of STS. */
export function cloudFormation(cloud: Cloud, query: URLSearchParams): Reply {
  const action = query.get('Action') ?? ''
  if (action === 'GetCallerIdentity')
    return result(action, `<Account>${ACCOUNT}</Account><Arn>arn:aws:iam::${ACCOUNT}:user/x</Arn><UserId>x</UserId>`)
  if (action === 'ValidateTemplate') return result(action, '')
  if (action === 'DescribeStackDriftDetectionStatus') return result(action, comparison(cloud))
  const name = (query.get('StackName') ?? '').replace(/^.*:stack\/([\w-]+)\/.*$/, '$1')
  if (action === 'CreateChangeSet') return createChangeSet(cloud, name, query)
  const stack = cloud.stacks.get(name)
  if (!stack) return failure('ValidationError', `Stack with id ${name} does not exist`)
  const act = actions[action]
  return act ? act(stack, cloud, query) : failure('InvalidAction', `${action} is not answered here`)
}

type Act = (stack: Stack, cloud: Cloud, query: URLSearchParams) => Reply
const actions: Readonly<Record<string, Act>> = {
  DescribeStacks: (stack) =>
    result(
      'DescribeStacks',
      `<Stacks><member><StackName>${stack.name}</StackName><StackId>${idOf(stack)}</StackId><StackStatus>${stack.status}</StackStatus><CreationTime>2020-01-01T00:00:00Z</CreationTime><Outputs></Outputs></member></Stacks>`,
    ),
  ListStackResources: (stack) =>
    result('ListStackResources', `<StackResourceSummaries>${summaries(stack)}</StackResourceSummaries>`),
  DescribeStackResources: (stack) =>
    result('DescribeStackResources', `<StackResources>${summaries(stack)}</StackResources>`),
  DescribeStackResource: (stack, _, query) => {
    const id = query.get('LogicalResourceId') ?? ''
    const found = stack.resources.get(id)
    return found
      ? result('DescribeStackResource', `<StackResourceDetail>${summary(stack, id, found)}</StackResourceDetail>`)
      : failure('ValidationError', `Resource ${id} does not exist for stack ${stack.name}`)
  },
  DeleteChangeSet: (stack, _, query) => {
    stack.changeSets.delete(query.get('ChangeSetName') ?? '')
    return result('DeleteChangeSet', '')
  },
  DescribeChangeSet: (stack, _, query) =>
    result(
      'DescribeChangeSet',
      `<ChangeSetName>${query.get('ChangeSetName')}</ChangeSetName><StackName>${stack.name}</StackName><StackId>${idOf(stack)}</StackId><Status>CREATE_COMPLETE</Status><Changes></Changes>`,
    ),
  ExecuteChangeSet: (stack, cloud, query) => {
    const template = stack.changeSets.get(query.get('ChangeSetName') ?? '')
    if (!template) return failure('ChangeSetNotFound', 'no such change set')
    execute(stack, cloud, template)
    return result('ExecuteChangeSet', '')
  },
  DescribeStackEvents: ({ name, events }) =>
    result(
      'DescribeStackEvents',
      `<StackEvents>${[...events]
        .reverse()
        .map(
          (it) =>
            `<member><EventId>${it.id}</EventId><StackName>${name}</StackName><StackId>x</StackId><LogicalResourceId>${it.logical}</LogicalResourceId><ResourceType>${it.type}</ResourceType><ResourceStatus>${it.status}</ResourceStatus><ResourceStatusReason>${escaped(it.reason)}</ResourceStatusReason><Timestamp>2020-01-01T00:00:00Z</Timestamp></member>`,
        )
        .join('')}</StackEvents>`,
    ),
  DeleteStack: (stack, cloud) => {
    const faults = [...stack.resources].map(([id, it]) => removeResource(stack, cloud, id, it)).filter(Boolean)
    const status = faults.length > 0 ? 'DELETE_FAILED' : 'DELETE_COMPLETE'
    stack.events.push({
      id: stack.events.length + 1,
      logical: stack.name,
      type: ROOT,
      status,
      reason: faults.join('; '),
    })
    stack.status = status
    if (status === 'DELETE_COMPLETE') cloud.stacks.delete(stack.name)
    return result('DeleteStack', '')
  },
  DetectStackDrift: () => result('DetectStackDrift', '<StackDriftDetectionId>1</StackDriftDetectionId>'),
  // One resource on a page.
  DescribeStackResourceDrifts: (stack, cloud, query) => {
    const page = Number(query.get('NextToken') ?? 0)
    const [id] = [...cloud.byHand.keys()].slice(page)
    const next = page + 1 < cloud.byHand.size ? `<NextToken>${page + 1}</NextToken>` : ''
    const drifts = id === undefined ? '' : drift(stack, cloud, id)
    return result('DescribeStackResourceDrifts', `<StackResourceDrifts>${drifts}</StackResourceDrifts>${next}`)
  },
  GetTemplate: (stack) =>
    result('GetTemplate', `<TemplateBody>${escaped(JSON.stringify(stack.template))}</TemplateBody>`),
}

const comparison = ({ incomparable }: Cloud) =>
  `<StackId>x</StackId><StackDriftDetectionId>1</StackDriftDetectionId><DetectionStatus>${incomparable ? 'DETECTION_FAILED' : 'DETECTION_COMPLETE'}</DetectionStatus><DetectionStatusReason>${incomparable ?? ''}</DetectionStatusReason><Timestamp>2020-01-01T00:00:00Z</Timestamp>`

/** What CloudFormation tells of a resource that is not as its template says. */
function drift(stack: Stack, { byHand }: Cloud, id: string): string {
  const change = byHand.get(id)
  const expected = change && Object(stack.resources.get(id)?.Properties)[change.path.slice(1)]
  const difference = change
    ? `<member><PropertyPath>${change.path}</PropertyPath><ExpectedValue>${expected}</ExpectedValue><ActualValue>${change.actual}</ActualValue><DifferenceType>NOT_EQUAL</DifferenceType></member>`
    : ''
  return `<member><StackId>x</StackId><LogicalResourceId>${id}</LogicalResourceId><ResourceType>${stack.resources.get(id)?.Type}</ResourceType><StackResourceDriftStatus>${change ? 'MODIFIED' : 'DELETED'}</StackResourceDriftStatus><PropertyDifferences>${difference}</PropertyDifferences><Timestamp>2020-01-01T00:00:00Z</Timestamp></member>`
}

const idOf = ({ name }: Stack) => `arn:aws:cloudformation:us-east-1:${ACCOUNT}:stack/${name}/1`
const summaries = (stack: Stack) =>
  [...stack.resources].map(([id, it]) => `<member>${summary(stack, id, it)}</member>`).join('')
const summary = (stack: Stack, id: string, it: StackResource) =>
  `<StackName>${stack.name}</StackName><LogicalResourceId>${id}</LogicalResourceId><PhysicalResourceId>${nameOf(stack, id, it)}</PhysicalResourceId><ResourceType>${it.Type}</ResourceType><ResourceStatus>CREATE_COMPLETE</ResourceStatus><LastUpdatedTimestamp>2020-01-01T00:00:00Z</LastUpdatedTimestamp>`

function createChangeSet(cloud: Cloud, name: string, query: URLSearchParams): Reply {
  const url = query.get('TemplateURL')
  const text = url ? cloud.objects.get(new URL(url).pathname.slice(1))?.toString() : query.get('TemplateBody')
  if (!text) return failure('ValidationError', `no template at ${url}`)
  const template: Template = JSON.parse(text)
  const fault = faultOf(template)
  if (fault) return failure('ValidationError', fault)
  const stack = cloud.stacks.get(name) ?? {
    ...{ name, status: 'REVIEW_IN_PROGRESS', template: { Resources: {} } },
    ...{ resources: new Map(), changeSets: new Map(), events: [] },
  }
  if (!/^(REVIEW_IN_PROGRESS|CREATE_COMPLETE|UPDATE_COMPLETE|UPDATE_ROLLBACK_COMPLETE)$/.test(stack.status))
    return failure('ValidationError', `Stack:${idOf(stack)} is in ${stack.status} state and can not be updated.`)
  cloud.stacks.set(name, stack)
  stack.changeSets.set(query.get('ChangeSetName') ?? '', template)
  return result('CreateChangeSet', `<Id>x</Id><StackId>${idOf(stack)}</StackId>`)
}

/** The fault for which CloudFormation refuses a template at once. Undefined if there is none. */
function faultOf({ Resources }: Template): string | undefined {
  if (Object.keys(Resources).length > 500)
    return 'Template format error: Number of resources is greater than maximum allowed, 500'
  const lost = Object.values(Resources).flatMap((it) => needs(it).filter((id) => !(id in Resources)))
  if (lost.length > 0) return `Template format error: Unresolved resource dependencies [${lost.join(', ')}]`
  return inOrder(Resources) ? undefined : 'Template error: Circular dependency between resources'
}

/** The logical ids on which a resource depends. */
function needs({ Properties, DependsOn }: StackResource): string[] {
  const found = [...within(Properties ?? {})].flatMap((it) => {
    const {
      Ref,
      'Fn::GetAtt': got,
      'Fn::Sub': text,
    }: { Ref?: string; 'Fn::GetAtt'?: string | string[]; 'Fn::Sub'?: unknown } = Object(it)
    const named = typeof text === 'string' ? [...text.matchAll(/\$\{([^}!.]+)/g)].map(([, id = '']) => id) : []
    return [Ref, [got].flat()[0]?.split('.')[0], ...named]
  })
  return [...found, ...[DependsOn ?? []].flat()]
    .filter((id) => id !== undefined)
    .filter((id) => !id.startsWith('AWS::'))
}

function* within(value: unknown): Generator<unknown> {
  yield value
  if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) yield* within(each)
}

/** The logical ids in an order in which each follows its dependencies. Undefined if they form a circle. */
function inOrder(resources: Readonly<Record<string, StackResource>>): string[] | undefined {
  const done = new Set<string>()
  const open = new Set<string>()
  const visit = (id: string): boolean => {
    if (done.has(id)) return true
    const it = resources[id]
    if (open.has(id) || !it) return false
    open.add(id)
    if (!needs(it).every(visit)) return false
    done.add(id)
    return true
  }
  return Object.keys(resources).every(visit) ? [...done] : undefined
}

/** Creates new resources and changes the others. If one fails, all that this operation created is deleted. */
function execute(stack: Stack, cloud: Cloud, template: Template): void {
  const isNew = stack.status === 'REVIEW_IN_PROGRESS'
  const doing = isNew ? 'CREATE' : 'UPDATE'
  const note = (logical: string, type: string, status: string, reason = '') => {
    stack.events.push({ id: stack.events.length + 1, logical, type, status, reason })
    if (type === ROOT) stack.status = status
  }
  note(stack.name, ROOT, `${doing}_IN_PROGRESS`)
  const made: string[] = []
  for (const id of inOrder(template.Resources) ?? []) {
    const it = template.Resources[id]
    if (!it) continue
    const isThere = stack.resources.has(id)
    const fault = isThere ? undefined : make(stack, cloud, id, it)
    if (fault) {
      note(id, it.Type, 'CREATE_FAILED', fault)
      takeBack(stack, cloud, made, note)
      note(stack.name, ROOT, isNew ? 'ROLLBACK_COMPLETE' : 'UPDATE_ROLLBACK_COMPLETE')
      return
    }
    stack.resources.set(id, it)
    note(id, it.Type, `${isThere ? 'UPDATE' : 'CREATE'}_COMPLETE`)
    if (!isThere) made.push(id)
  }
  stack.template = template
  for (const [id, it] of [...stack.resources].filter(([id]) => !(id in template.Resources)))
    removeResource(stack, cloud, id, it)
  note(stack.name, ROOT, `${doing}_COMPLETE`)
}

/** Removes a resource from its stack, and from the account unless it is retained. Returns why it cannot be removed, or undefined. */
function removeResource(stack: Stack, cloud: Cloud, id: string, it: StackResource): string | undefined {
  const name = nameOf(stack, id, it)
  if (it.Type === 'AWS::S3::Bucket' && [...cloud.objects.keys()].some((key) => key.startsWith(`${name}/`)))
    return `The bucket ${name} is not empty`
  stack.resources.delete(id)
  if (!it.DeletionPolicy?.startsWith('Retain')) cloud.names.delete(`${it.Type} ${name}`)
  return undefined
}

/** Creates a resource. Returns the reason of a failure, or undefined. */
function make(stack: Stack, cloud: Cloud, id: string, it: StackResource): string | undefined {
  if (cloud.failing === id) {
    cloud.failing = undefined
    return 'Resource handler returned message: "Service unavailable"'
  }
  const name = `${it.Type} ${nameOf(stack, id, it)}`
  if (cloud.names.has(name)) return `${name} already exists`
  cloud.names.add(name)
  return undefined
}

function takeBack(
  stack: Stack,
  cloud: Cloud,
  made: readonly string[],
  note: (id: string, type: string, status: string) => void,
): void {
  note(stack.name, ROOT, 'UPDATE_ROLLBACK_IN_PROGRESS')
  for (const id of [...made].reverse()) {
    const it = stack.resources.get(id)
    if (!it) continue
    stack.resources.delete(id)
    // A retained or protected resource stays in the account, outside of any stack.
    if (it.DeletionPolicy === 'Retain') note(id, it.Type, 'DELETE_SKIPPED')
    else if (it.Properties?.DeletionProtectionEnabled === true) note(id, it.Type, 'DELETE_FAILED')
    else {
      cloud.names.delete(`${it.Type} ${nameOf(stack, id, it)}`)
      note(id, it.Type, 'DELETE_COMPLETE')
    }
  }
}

const NAMES = [
  'TableName',
  'BucketName',
  'FunctionName',
  'LogGroupName',
  'TopicName',
  'AlarmName',
  'DashboardName',
  'DomainName',
  'Name',
  'RuleName',
]

/** The name in the properties of a resource, else a name that is unique to its stack. */
function nameOf(stack: Stack, id: string, { Type, Properties = {} }: StackResource): string {
  const isNamed = /::(Table|Bucket|Function|LogGroup|Topic|Alarm|Dashboard|DomainName|QueryDefinition)$/.test(Type)
  const asked = NAMES.map((name) => Properties[name]).find((it) => it !== undefined)
  const text = Object(asked)['Fn::Sub'] ?? asked
  if (!isNamed || typeof text !== 'string') return `${stack.name}-${id.toLowerCase()}`
  return text.replaceAll(`\${AWS::AccountId}`, ACCOUNT)
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const result = (action: string, inner: string): Reply => ({
  status: 200,
  text: `<${action}Response><${action}Result>${inner}</${action}Result><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></${action}Response>`,
  headers: { 'content-type': 'text/xml' },
})
const failure = (code: string, message: string): Reply => ({
  status: 400,
  text: `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${escaped(message)}</Message></Error><RequestId>1</RequestId></ErrorResponse>`,
  headers: { 'content-type': 'text/xml' },
})
