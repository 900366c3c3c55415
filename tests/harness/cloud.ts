import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cloudFormation, type Stack } from './cloud-formation.ts'

/**
 * A stand-in for an AWS account with the services that a deployment calls: CloudFormation with stacks, change sets, rollbacks and deletion
 * policies, S3, and the checks before a deployment. Tests read and set its members.
 */
export type Cloud = {
  endpoint: string
  /** The names in use in the account, each as `TYPE NAME`. */
  names: Set<string>
  parameters: Set<string>
  certificates: Map<string, { Status: string; SubjectAlternativeNames: string[] }>
  /** The identities that SES has verified. */
  identities: Set<string>
  /** Whether SES sends to addresses that are not verified. */
  mailsAnybody: boolean
  /** The limit of functions that run at once. */
  concurrency: number
  /** The names of alarms that ring. */
  ringing: Set<string>
  /** Published versions and aliases of functions, by name. */
  releases: Map<string, Released>
  stacks: Map<string, Stack>
  objects: Map<string, Buffer>
  /** What somebody has changed by hand, by the logical id: a property and what it is now. Nothing: it was deleted. */
  byHand: Map<string, { path: string; actual: string } | undefined>
  /** Why CloudFormation cannot compare all resources with their template. */
  incomparable: string | undefined
  /** The logical id of the resource that fails to be created, once. */
  failing: string | undefined
  stop: () => Promise<void>
}

export const ACCOUNT = '123456789012'

export async function openCloud(): Promise<Cloud> {
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cloud: Cloud = {
    // The address of a server on a port is an object; on a pipe it would be a text.
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    names: new Set(),
    parameters: new Set(),
    certificates: new Map(),
    identities: new Set(),
    mailsAnybody: false,
    concurrency: 1000,
    ringing: new Set(),
    releases: new Map(),
    stacks: new Map(),
    objects: new Map(),
    byHand: new Map(),
    incomparable: undefined,
    failing: undefined,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return cloud

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await Array.fromAsync(request))
    const { status, text, headers = {} } = reply(cloud, request, body)
    response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : text)
  }
}

export type Reply = { status: number; text: string | Buffer; headers?: Record<string, string> }

function reply(cloud: Cloud, request: IncomingMessage, body: Buffer): Reply {
  const target = request.headers['x-amz-target']
  if (typeof target === 'string') return json(cloud, target.split('.')[1] ?? '', JSON.parse(body.toString()))
  const { pathname, searchParams } = new URL(request.url ?? '/', cloud.endpoint)
  if (/\/account-settings\/?$/.test(pathname))
    return ok({
      AccountLimit: { ConcurrentExecutions: cloud.concurrency, UnreservedConcurrentExecutions: cloud.concurrency },
    })
  if (/\/functions\/[\w-]+(\/|$)/.test(pathname) && request.method !== 'HEAD') {
    const released = releasesOf(cloud, request.method ?? 'GET', pathname, searchParams, body)
    if (released) return released
  }
  if (pathname.includes('/functions')) return functions(cloud, pathname)
  if (pathname.startsWith('/v2/email/')) return mail(cloud, pathname)
  if (String(request.headers['content-type']).includes('x-www-form-urlencoded'))
    return cloudFormation(cloud, new URLSearchParams(body.toString()))
  return storage(cloud, request.method ?? 'GET', pathname, searchParams, body)
}

const ok = (content: object): Reply => ({
  status: 200,
  text: JSON.stringify(content),
  headers: { 'content-type': 'application/x-amz-json-1.1' },
})
const refused = (status: number, type: string): Reply => ({
  status,
  text: JSON.stringify({ __type: type, message: type }),
  headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-errortype': type },
})

type Asked = {
  AlarmNames?: string[]
  Names?: string[]
  TableName?: string
  CertificateArn?: string
  logGroupNamePrefix?: string
}

/** The services that speak JSON. */
function json({ names, parameters, certificates, ringing }: Cloud, action: string, asked: Asked): Reply {
  if (action === 'DescribeAlarms') {
    const rings = asked.AlarmNames?.filter((name) => ringing.has(name)) ?? []
    return ok({ MetricAlarms: rings.map((AlarmName) => ({ AlarmName, StateValue: 'ALARM' })) })
  }
  if (action === 'GetParameters') {
    const there = asked.Names?.filter((name) => parameters.has(name)) ?? []
    return ok({
      Parameters: there.map((Name) => ({ Name, Value: 'x' })),
      InvalidParameters: asked.Names?.filter((name) => !parameters.has(name)),
    })
  }
  if (action === 'DescribeTable')
    return names.has(`AWS::DynamoDB::Table ${asked.TableName}`)
      ? ok({ Table: { TableName: asked.TableName } })
      : refused(400, 'ResourceNotFoundException')
  if (action === 'DescribeCertificate') {
    const found = certificates.get(asked.CertificateArn ?? '')
    return found ? ok({ Certificate: found }) : refused(400, 'ResourceNotFoundException')
  }
  const groups = [...names].flatMap((it) => (it.startsWith('AWS::Logs::LogGroup ') ? [it.split(' ')[1]] : []))
  return ok({ logGroups: groups.map((logGroupName) => ({ logGroupName })) })
}

/** What is published of a function: what its code was, and under which name. An alias names versions, with the share of the second. */
type Version = { Version: string; Description: string; code: string }
type Alias = { FunctionVersion: string; RoutingConfig?: { AdditionalVersionWeights?: Record<string, number> } }
export type Released = { versions: Version[]; aliases: Map<string, Alias>; weights: number[] }

/** Replies of Lambda about versions and aliases. Undefined for other requests. */
function releasesOf(
  cloud: Cloud,
  method: string,
  pathname: string,
  query: URLSearchParams,
  body: Buffer,
): Reply | undefined {
  const [, name = '', sort, alias] =
    /\/functions\/([\w-]+)(?:\/(versions|aliases))?(?:\/([\w-]+))?$/.exec(pathname) ?? []
  const own: Released = cloud.releases.get(name) ?? { versions: [], aliases: new Map(), weights: [] }
  cloud.releases.set(name, own)
  if (method === 'DELETE' && query.has('Qualifier')) {
    own.versions = own.versions.filter((it) => it.Version !== query.get('Qualifier'))
    return ok({})
  }
  if (sort === 'versions' && method === 'GET') return ok({ Versions: [{ Version: '$LATEST' }, ...own.versions] })
  if (sort === 'versions') return ok(publish(cloud, name, own, String(JSON.parse(body.toString()).Description)))
  if (sort !== 'aliases') return undefined
  const given = body.length > 0 ? JSON.parse(body.toString()) : {}
  const known = own.aliases.get(String(alias ?? given.Name))
  if (method === 'GET') return known ? ok({ Name: alias, ...known }) : refused(404, 'ResourceNotFoundException')
  if (method === 'PUT' && !known) return refused(404, 'ResourceNotFoundException')
  own.aliases.set(String(alias ?? given.Name), {
    FunctionVersion: given.FunctionVersion,
    RoutingConfig: given.RoutingConfig,
  })
  own.weights.push(...Object.values<number>(given.RoutingConfig?.AdditionalVersionWeights ?? {}))
  return ok({ Name: alias, ...given })
}

/** Publishes a version, unless the function is as it was at the last one. */
function publish({ stacks }: Cloud, name: string, own: Released, Description: string): Version {
  const all = [...stacks.values()].flatMap((stack) => [...stack.resources.values()])
  const found = all.find((it) => it.Properties?.FunctionName === name)
  // Where the package lies is no part of the function: its name has a time in it.
  const { Code: _, ...properties }: Record<string, unknown> = Object(found?.Properties)
  const code = JSON.stringify(properties)
  const last = own.versions.at(-1)
  if (last?.code === code) return last
  const version = { Version: String(Number(last?.Version ?? 0) + 1), Description, code }
  own.versions.push(version)
  return version
}

function functions({ names }: Cloud, pathname: string): Reply {
  const all = [...names].flatMap((it) => (it.startsWith('AWS::Lambda::Function ') ? [it.split(' ')[1] ?? ''] : []))
  const [, name] = /functions\/([\w-]+)$/.exec(pathname) ?? []
  const LastModified = '2020-01-01T00:00:00.000+0000'
  if (name === undefined) return ok({ Functions: all.map((FunctionName) => ({ FunctionName, LastModified })) })
  return all.includes(name)
    ? ok({ Configuration: { FunctionName: name, LastModified } })
    : refused(404, 'ResourceNotFoundException')
}

/** Replies of SES about identities and the account. */
function mail({ identities, mailsAnybody }: Cloud, pathname: string): Reply {
  if (pathname === '/v2/email/account') return ok({ ProductionAccessEnabled: mailsAnybody })
  const name = decodeURIComponent(pathname.split('/').at(-1) ?? '')
  return identities.has(name) ? ok({ VerifiedForSendingStatus: true }) : refused(404, 'NotFoundException')
}

const XML = { 'content-type': 'application/xml' }

/** Buckets and their objects, by path. */
function storage(cloud: Cloud, method: string, pathname: string, query: URLSearchParams, body: Buffer): Reply {
  const [bucket = '', ...rest] = decodeURIComponent(pathname.slice(1)).split('/')
  const key = rest.join('/')
  if (!cloud.names.has(`AWS::S3::Bucket ${bucket}`)) return { status: 404, text: '' }
  if (key === '') {
    if (method === 'HEAD') return { status: 200, text: '', headers: { 'x-amz-bucket-region': 'us-east-1' } }
    if (method === 'POST') return { status: 200, text: removeObjects(cloud, bucket, body.toString()), headers: XML }
    if (query.has('versions')) return { status: 200, text: versions(cloud, bucket), headers: XML }
    return { status: 200, text: listing(cloud, bucket, query.get('prefix') ?? ''), headers: XML }
  }
  const place = `${bucket}/${key}`
  if (method === 'POST') return { status: 200, text: inParts(query), headers: XML }
  if (method === 'PUT') cloud.objects.set(place, body)
  const found = cloud.objects.get(place)
  return found
    ? { status: 200, text: method === 'PUT' ? '' : found, headers: { etag: '"x"' } }
    : { status: 404, text: '' }
}

/** Replies to the start and the end of a multipart upload. No test reads its content. */
const inParts = (query: URLSearchParams): string =>
  query.has('uploads')
    ? '<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>'
    : '<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>'

/** Removes the objects that a request names, with their versions. */
function removeObjects({ objects }: Cloud, bucket: string, body: string): string {
  for (const [, key] of body.matchAll(/<Key>([^<]*)<\/Key>/g)) objects.delete(`${bucket}/${key}`)
  return '<DeleteResult></DeleteResult>'
}

/** The versions of all objects: one each. */
function versions({ objects }: Cloud, bucket: string): string {
  const keys = [...objects.keys()].filter((it) => it.startsWith(`${bucket}/`)).map((it) => it.slice(bucket.length + 1))
  const rows = keys.map((key) => `<Version><Key>${key}</Key><VersionId>1</VersionId></Version>`)
  return `<ListVersionsResult><Name>${bucket}</Name><IsTruncated>false</IsTruncated>${rows.join('')}</ListVersionsResult>`
}

function listing({ objects }: Cloud, bucket: string, prefix: string): string {
  const keys = [...objects.keys()].flatMap((it) =>
    it.startsWith(`${bucket}/${prefix}`) ? [it.slice(bucket.length + 1)] : [],
  )
  const rows = keys.map(
    (key) =>
      `<Contents><Key>${key}</Key><Size>1</Size><LastModified>2020-01-01T00:00:00.000Z</LastModified></Contents>`,
  )
  return `<ListBucketResult><Name>${bucket}</Name><IsTruncated>false</IsTruncated><KeyCount>${keys.length}</KeyCount>${rows.join('')}</ListBucketResult>`
}

export type { Stack }
