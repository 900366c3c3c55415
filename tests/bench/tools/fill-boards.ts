import { BatchWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { type BoardEntry, boardEntry, rowChanges } from '../../../lib/domain/leaderboard/items.ts'
import { positionsFor } from '../../../lib/domain/leaderboard/score.ts'
import { db, TableName } from '../../../lib/engines/table/client.ts'
import { put } from '../../../lib/engines/table/item.ts'
import type { Key } from '../../../lib/engines/table/keys.ts'

type Item = Record<string, unknown>

/** Puts people with figures straight into the table, numbered from `from` to `to`, with all that the projector would write for them. */
export async function fillBoards(from: number, to: number, fill?: (items: Iterable<Item>) => void): Promise<void> {
  const counts: ReturnType<typeof rowChanges>['counts'] = new Map()
  if (fill) fill(itemsOf(from, to, counts))
  else await overTheWire(itemsOf(from, to, counts))
  for (const { at, by } of counts.values()) await add(at, by)
}

/** The items of all of them; what is counted of them is added to `counts`. */
function* itemsOf(from: number, to: number, counts: ReturnType<typeof rowChanges>['counts']): Generator<Item> {
  for (let n = from; n < to; n += 1) {
    const it = personOf(n)
    const follows = rowChanges(undefined, it)
    for (const { action } of [put(boardEntry, it, undefined), ...follows.rows]) yield action.Put?.Item ?? {}
    for (const [place, { at, by }] of follows.counts) {
      const there = counts.get(place) ?? { at, by: {} }
      counts.set(place, there)
      for (const [name, more] of Object.entries(by)) there.by[name] = (there.by[name] ?? 0) + more
    }
  }
}

async function overTheWire(items: Iterable<Item>): Promise<void> {
  let batch: object[] = []
  let flying: Promise<void>[] = []
  for (const Item of items) {
    batch.push({ PutRequest: { Item } })
    if (batch.length < 25) continue
    flying.push(write(batch))
    batch = []
    if (flying.length < 8) continue
    await Promise.all(flying)
    flying = []
  }
  if (batch.length > 0) flying.push(write(batch))
  await Promise.all(flying)
}

/** Most have done a little, few very much; every third belongs to one of 200 institutions. */
export function personOf(n: number): BoardEntry {
  const [a, b, c] = [chance(n, 1), chance(n, 2), chance(n, 3)]
  const entities = Math.min(20_000, Math.floor(a ** -0.7))
  const accepted_entities = Math.floor(entities * b)
  const tally = {
    entities,
    accepted_entities,
    rejected_entities: Math.floor((entities - accepted_entities) * c),
    reviews: c < 0.02 ? Math.min(20_000, Math.floor(b ** -0.9)) : 0,
    revisions: entities + (b < 0.2 ? Math.floor(c * entities) : 0),
    submissions: c > 0.95 ? Math.ceil(5 * b) : 0,
    accepted_submissions: c > 0.95 ? Math.floor(4 * b) : 0,
    rejected_submissions: 0,
    forks: 0,
    merged_forks: 0,
    fork_points: 0,
  }
  return {
    user_id: `c0000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    face: {
      username: `${names[n % names.length]}.${n}`,
      full_name: `Person ${n} Shrestha`,
      institution: n % 3 === 0 ? `Institute ${(n / 3) % 200}` : '',
      country: 'Nepal',
      profile_image: '',
      avatar_url: '',
      date_joined: '2024-06-01T00:00:00.000Z',
    },
    is_active: true,
    tally,
    standing: positionsFor(tally),
    month: '2025-01',
    closings: [{ month: '2024-12', total: 1, approval_rate: 50, score: 3 }],
    updated_at: '2025-01-15T10:00:00.000Z',
    version: 1,
  }
}

const names = ['asha', 'bikram', 'chandra', 'dipa', 'gita', 'hari', 'ishwor', 'jamuna', 'kumar', 'laxmi']

/** A number above 0 and up to 1 that looks random and is always the same. */
function chance(n: number, salt: number): number {
  let t = Math.imul(n + 1, 0x9e3779b1) ^ Math.imul(salt, 0x85ebca6b)
  t = Math.imul(t ^ (t >>> 16), 0x21f0aaad)
  t = Math.imul(t ^ (t >>> 15), 0x735a2d97)
  return (((t ^ (t >>> 15)) >>> 0) + 1) / 2 ** 32
}

async function write(items: object[]): Promise<void> {
  let left: object[] = items
  while (left.length > 0) {
    const { UnprocessedItems } = await db.send(new BatchWriteCommand({ RequestItems: { [TableName]: left } }))
    left = UnprocessedItems?.[TableName] ?? []
  }
}

async function add(at: Key, by: Readonly<Record<string, number>>): Promise<void> {
  const changed = Object.entries(by).filter(([, n]) => n !== 0)
  await db.send(
    new UpdateCommand({
      TableName,
      Key: at,
      UpdateExpression: `ADD ${changed.map((_, i) => `#n${i} :n${i}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(changed.map(([name], i) => [`#n${i}`, name])),
      ExpressionAttributeValues: Object.fromEntries(changed.map(([, n], i) => [`:n${i}`, n])),
    }),
  )
}
