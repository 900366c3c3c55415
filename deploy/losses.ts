type Resource = { Type: string; Properties?: object; DeletionPolicy?: string; UpdateReplacePolicy?: string }
type Template = { Resources: Readonly<Record<string, Resource>> }
type Facts = Readonly<Record<string, unknown>>

/**
 * Types of resources that hold what a deployment could not bring back: data, names that clients use, recipients of alarms. `replacedBy`
 * names the properties that CloudFormation can change only by making another resource.
 */
const holders: Readonly<Record<string, { holds: string; replacedBy: readonly string[] }>> = {
  'AWS::DynamoDB::Table': { holds: 'the table, with all records', replacedBy: ['TableName', 'KeySchema'] },
  'AWS::S3::Bucket': { holds: 'files', replacedBy: ['BucketName'] },
  'AWS::SQS::Queue': { holds: 'what nobody could work on', replacedBy: ['QueueName', 'FifoQueue'] },
  'AWS::Logs::LogGroup': { holds: 'logs', replacedBy: ['LogGroupName'] },
  'AWS::Backup::BackupVault': { holds: 'copies', replacedBy: ['BackupVaultName'] },
  'AWS::ApiGatewayV2::Api': { holds: 'the address of the gateway', replacedBy: ['ProtocolType'] },
  'AWS::ApiGatewayV2::DomainName': { holds: 'a name that clients call', replacedBy: ['DomainName'] },
  'AWS::ApiGatewayV2::ApiMapping': { holds: 'a name that clients call', replacedBy: ['DomainName'] },
  'AWS::CloudFront::Distribution': { holds: 'a name that clients call', replacedBy: [] },
  'AWS::SNS::Topic': { holds: 'who is told of alarms', replacedBy: ['TopicName'] },
  'AWS::SNS::Subscription': { holds: 'who is told of alarms', replacedBy: ['Endpoint', 'Protocol', 'TopicArn'] },
  'AWS::Budgets::Budget': { holds: 'who is told of costs', replacedBy: [] },
}

/** Protections by the type of their resource: a path of properties, and the value that protects. */
const protections: readonly { type: string; path: readonly string[]; value: unknown; means: string }[] = [
  {
    type: 'AWS::DynamoDB::Table',
    path: ['DeletionProtectionEnabled'],
    value: true,
    means: 'is no longer protected from deletion',
  },
  {
    type: 'AWS::DynamoDB::Table',
    path: ['PointInTimeRecoverySpecification', 'PointInTimeRecoveryEnabled'],
    value: true,
    means: 'can no longer be restored to a point in time',
  },
  {
    type: 'AWS::S3::Bucket',
    path: ['VersioningConfiguration', 'Status'],
    value: 'Enabled',
    means: 'keeps no earlier versions of files any more',
  },
]

/**
 * What a deployment would take away from a stack, a line each: data, names, recipients, protections, and settings that become empty. Empty
 * for a first deployment.
 */
export function lossesOf(deployed: Template, next: Template): string[] {
  return [...resourcesLost(deployed, next), ...protectionsLost(deployed, next), ...settingsLost(deployed, next)]
}

function resourcesLost({ Resources: old }: Template, { Resources: next }: Template): string[] {
  return Object.entries(old).flatMap(([id, { Type, Properties, DeletionPolicy, UpdateReplacePolicy }]) => {
    const holder = holders[Type]
    if (!holder) return []
    const goes = (policy = 'Delete') =>
      policy.startsWith('Retain') ? 'would leave the stack, and stay' : 'would be removed'
    if (next[id]?.Type !== Type) return [`${id} (${holder.holds}) ${goes(DeletionPolicy)}.`]
    const changed = holder.replacedBy.filter(
      (name) => !isEqual(valueAt(Properties, [name]), valueAt(next[id]?.Properties, [name])),
    )
    if (changed.length === 0) return []
    const stays = UpdateReplacePolicy === 'Retain' ? '; the old one stays outside of the stack' : ''
    return [
      `${id} (${holder.holds}) would be replaced by an empty one, since ${changed.join(' and ')} changes${stays}.`,
    ]
  })
}

function protectionsLost({ Resources: old }: Template, { Resources: next }: Template): string[] {
  const lost = Object.entries(old).flatMap(([id, { Type, Properties }]) =>
    protections.flatMap(({ type, path, value, means }) => {
      const isProtected = (it: object | undefined) => isEqual(valueAt(it, path), value)
      const concerns = type === Type && next[id] && isProtected(Properties) && !isProtected(next[id].Properties)
      return concerns ? [`${id} ${means}.`] : []
    }),
  )
  const released = Object.entries(old).flatMap(([id, { Type, DeletionPolicy = '' }]) => {
    const concerns =
      holders[Type] &&
      DeletionPolicy.startsWith('Retain') &&
      next[id] &&
      !String(next[id].DeletionPolicy).startsWith('Retain')
    return concerns ? [`${id} would no longer outlive its stack.`] : []
  })
  return [...lost, ...released]
}

/** Variables that some function has now, and that no function would have any more. */
function settingsLost(old: Template, next: Template): string[] {
  const [had, has] = [variablesIn(old), variablesIn(next)]
  return [...had]
    .filter(([name, value]) => isSet(value) && !isSet(has.get(name)))
    .map(([name, value]) => `The setting ${name} would become empty. It is ${textOf(value)}.`)
}

const isSet = (value: unknown): boolean => value !== undefined && value !== ''
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function variablesIn({ Resources }: Template): Map<string, unknown> {
  const all = new Map<string, unknown>()
  for (const { Type, Properties } of Object.values(Resources)) {
    if (Type !== 'AWS::Lambda::Function') continue
    for (const [name, value] of Object.entries(Object(valueAt(Properties, ['Environment', 'Variables']))))
      if (!isSet(all.get(name))) all.set(name, value)
  }
  return all
}

const valueAt = (it: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (Object(inner) as Facts)[name], it)
const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
