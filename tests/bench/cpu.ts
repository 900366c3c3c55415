import { Session } from 'node:inspector/promises'
import type { Answer, App, Persona } from '../harness/app.ts'
import { print } from './tools/table.ts'

const ROUNDS = 400
/** Node compiles what runs often. */
const WARMING_UP = 1000

/** Where the processor time of a request goes, by who spends it: sampled, with the table in another process. */
export async function benchCpu(): Promise<void> {
  const { openApp } = await import('../harness/app.ts')
  // With its log lines, which every request writes and which tell what it cost.
  const app = await openApp()
  await (await import('./tools/fill.ts')).fillAndFind(300)
  const { body } = await app.anon.post('/api/token/', { body: { username: 'staff', password: 'heritage-local' } })
  const signedIn = app.as(body.access)
  const made = await signedIn.post('/cidoc/structures/', { body: { name: 'Measured', condition: 'Good' } })
  const read = (path: string) => () => get(signedIn, path)
  const list = read('/cidoc/structures/')
  const searched = read('/cidoc/structures/?search=shrine')
  const requests: readonly [string, (n: number) => Promise<Answer>][] = [
    ['no call to the table', () => get(app.anon, '/health/live/')],
    ['the caller', read('/api/user/info/')],
    ['record', read(`/cidoc/structures/${made.body.id}/`)],
    // The clock stands still: what has just changed is not remembered until it moves.
    ['list of 20', list],
    ['searched list of 20', searched],
    ['list of 20, remembered', moved(app, list)],
    ['searched list of 20, remembered', searched],
    ['the search', read('/data/search/?q=shrine')],
    ['new person', (n) => send(signedIn, n)],
  ]
  const rows = []
  for (const [request, send] of requests) rows.push(await profile(request, send))
  print('Processor time of a request, microseconds by who spends it, and calls of the table', rows)
  await benchClient()
}

/** The same when some time has passed. */
function moved<T>(app: App, work: (n: number) => Promise<T>): (n: number) => Promise<T> {
  let isLater = false
  return (n) => {
    if (!isLater) app.tick(10)
    isLater = true
    return work(n)
  }
}

const send = (who: Persona, n: number) =>
  who.post('/cidoc/persons/', { body: { name: `Measured ${n} ${crypto.randomUUID()}` } })

/** One call of our client and of one as the SDK makes it, turn by turn. */
async function benchClient(): Promise<void> {
  const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb')
  const { DynamoDBDocumentClient, QueryCommand } = await import('@aws-sdk/lib-dynamodb')
  const { db, TableName } = await import('../../lib/engines/table/client.ts')
  const { DYNAMODB_ENDPOINT: endpoint = '' } = process.env
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
  const plain = DynamoDBDocumentClient.from(new DynamoDBClient({ region: 'us-east-1', endpoint, credentials }))
  const query = {
    TableName,
    IndexName: 'gsi1',
    KeyConditionExpression: 'gsi1_pk = :pk',
    ExpressionAttributeValues: { ':pk': 'KIND#person#pending_review' },
    ReturnConsumedCapacity: 'TOTAL' as const,
    Limit: 20,
  }
  const clients = { 'as the SDK comes': plain, ours: db }
  const spent: Record<keyof typeof clients, number[]> = { 'as the SDK comes': [], ours: [] }
  for (let turn = 0; turn < 12; turn += 1) {
    for (const [name, client] of Object.entries(clients) as [keyof typeof clients, typeof db][]) {
      const before = process.cpuUsage()
      for (let n = 0; n < 150; n += 1) await client.send(new QueryCommand(query))
      const { user, system } = process.cpuUsage(before)
      // The first turns warm up.
      if (turn > 2) spent[name].push((user + system) / 150)
    }
  }
  const us = (name: keyof typeof clients) => spent[name].sort((a, b) => a - b)[4] ?? 0
  print(
    'Processor time of one query for 20 items, microseconds',
    (['as the SDK comes', 'ours'] as const).map((client) => ({
      client,
      us: us(client).toFixed(0),
      ratio: (us(client) / us('as the SDK comes')).toFixed(2),
    })),
  )
}

async function get(who: Persona, path: string): Promise<Answer> {
  const answer = await who.get(path)
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
  return answer
}

/** Whose code a file is, the first that fits. Node's own code counts for whoever calls it. */
const owners = {
  "the table's client": /lib\/engines\/table\/(wire|client)|node_modules\/(@aws-sdk|@smithy|@aws-crypto|@aws|tslib)\//,
  'items of the table': /lib\/(engines\/table|platform\/cache)\//,
  'who calls': /lib\/platform\/(auth|users)\/|node_modules\/jose\//,
  schemas: /node_modules\/valibot\/|lib\/domain\/kinds\//,
  pipeline: /lib\/(platform\/http|base\/(telemetry|language))\/|node_modules\/@middy\//,
  search: /lib\/engines\/(search|matching)\//,
  'records and views': /\/(lib|functions)\//,
  measuring: /\/tests\//,
} as const
/** What looks at each answer for tests, and all that it calls. */
const checks = /tests\/harness\/(documented|said)\.ts/
type Owner = keyof typeof owners | 'checks' | 'Node: sockets' | 'garbage collection'

async function profile(request: string, send: (n: number) => Promise<Answer>): Promise<Record<string, string>> {
  for (let n = 0; n < WARMING_UP; n += 1) await send(n)
  // Without the profile, which costs almost as much again.
  const begun = process.cpuUsage()
  for (let n = 0; n < ROUNDS; n += 1) await send(n)
  const { user, system } = process.cpuUsage(begun)
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 100 })
  await session.post('Profiler.start')
  for (let n = 1; n < ROUNDS; n += 1) await send(n)
  const { cost } = await send(ROUNDS)
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  const spent = sharesOf(profile)
  const { measuring, checks: checking, ...ours } = spent
  const total = Object.values(ours).reduce((sum, n) => sum + n, 0)
  const all = (user + system) / ROUNDS
  const each = (n: number) => ((n / (total + measuring + checking)) * all).toFixed(0)
  const by = Object.fromEntries(Object.entries(ours).map(([owner, n]) => [owner, each(n)]))
  return { request, calls: String(cost.calls), ...by, together: each(total) }
}

type Profile = {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] | undefined }[]
  samples?: number[] | undefined
}

function sharesOf({ nodes, samples = [] }: Profile): Record<Owner, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const ownerOf = new Map<number, Owner | 'idle'>()
  const visit = (id: number, above: Owner): void => {
    const node = byId.get(id)
    if (!node) return
    const owner = above === 'checks' || checks.test(node.callFrame.url) ? 'checks' : (own(node.callFrame) ?? above)
    ownerOf.set(id, node.callFrame.functionName === '(idle)' ? 'idle' : owner)
    for (const child of node.children ?? []) visit(child, owner === 'garbage collection' ? above : owner)
  }
  visit(nodes[0]?.id ?? 0, 'Node: sockets')
  const names = [...Object.keys(owners), 'checks', 'Node: sockets', 'garbage collection']
  const shares = Object.fromEntries(names.map((name) => [name, 0])) as Record<Owner, number>
  for (const sample of samples) {
    const owner = ownerOf.get(sample)
    if (owner && owner !== 'idle') shares[owner] += 1
  }
  return shares
}

function own({ functionName, url }: { functionName: string; url: string }): Owner | undefined {
  if (functionName === '(garbage collector)') return 'garbage collection'
  for (const [owner, files] of Object.entries(owners)) if (files.test(url)) return owner as Owner
  return undefined
}
