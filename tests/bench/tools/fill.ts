import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb'
import { kinds } from '../../../lib/domain/kinds/index.ts'
import { newRecord } from '../../../lib/domain/records/build.ts'
import { type RecordItem, recordItem } from '../../../lib/domain/records/items.ts'
import { db, TableName } from '../../../lib/engines/table/client.ts'
import { put, type Write } from '../../../lib/engines/table/item.ts'
import { addToNumber } from '../../../lib/engines/table/write.ts'
import { key } from '../../../lib/platform/table/keys.ts'

/** So many structures in the table of an open app, found by a model of search; what is made besides has higher numbers. */
export async function fillAndFind(records: number): Promise<void> {
  await import('../../../lib/domain/composition.ts')
  const { rebuildSearch } = await import('../../../lib/engines/search/index.ts')
  await addToNumber(key.sequence('structure'), 10_000_000)
  await fill(1, records + 1)
  await rebuildSearch()
}

const actor = {
  id: 'b0000000-0000-4000-8000-000000000001',
  username: 'bench',
  email: '',
  is_staff: false,
  is_superuser: false,
  rank: null,
}
const source = {
  source_type: 'book',
  source_citation: 'Bench 2025',
  source_url: '',
  confidence: 'likely',
  data_quality_note: '',
}
const villages = [
  'Panga',
  'Chovar',
  'Bungamati',
  'Khokana',
  'Sankhu',
  'Thimi',
  'Kirtipur',
  'Pharping',
  'Lubhu',
  'Harisiddhi',
]

/** Puts published structures straight into the table, as many as there are numbers from `from` to `to`, with all that the service would write; `wants` says which of it where not all is needed. */
export const fill = (from: number, to: number, wants: (it: Write) => boolean = () => true): Promise<void> =>
  putAll(
    (function* () {
      for (let n = from; n < to; n += 1) yield* writesOf(n).filter(wants)
    })(),
  )

/** Puts what these writes would write straight into the table, and adds up what they count. */
export async function putAll(writes: Iterable<Write>): Promise<void> {
  const counts = new Map<string, number>()
  let batch: object[] = []
  let waiting: Promise<void>[] = []
  const add = async ({ action, counts: changes }: Write) => {
    for (const [list, by] of Object.entries(changes)) counts.set(list, (counts.get(list) ?? 0) + by)
    if (action.Put?.Item) batch.push({ PutRequest: { Item: action.Put.Item } })
    if (batch.length < 25) return
    waiting.push(write(batch))
    batch = []
    if (waiting.length < 8) return
    await Promise.all(waiting)
    waiting = []
  }
  for (const each of writes) await add(each)
  if (batch.length > 0) waiting.push(write(batch))
  await Promise.all(waiting)
  for (const [list, n] of counts) await addSize(list, n)
}

function writesOf(n: number): Write[] {
  const data = {
    name: `Shrine ${n} of ${villages[n % villages.length]}`,
    existence_status: 'Extant',
    construction_date: String(1500 + (n % 400)),
    coordinates: `${(26.5 + (n % 3000) / 1000).toFixed(5)}, ${(80.5 + (n % 7001) / 1000).toFixed(5)}`,
    note: 'A shrine that stands for many others in measurements.',
  }
  const { record: first, writes } = newRecord(kinds.structure, n, { data, source, actor })
  const published: RecordItem = {
    ...first,
    status: 'accepted',
    public: true,
    accepted_revision: 1,
    accepted_revision_id: first.current_revision_id,
  }
  // It has been through review, so it is in no queue.
  const others = writes.slice(1).filter((each) => !String(each.action.Put?.Item?.type).startsWith('queue'))
  return [put(recordItem, published, undefined), ...others]
}

async function write(items: object[]): Promise<void> {
  let left: object[] = items
  while (left.length > 0) {
    const { UnprocessedItems } = await db.send(new BatchWriteCommand({ RequestItems: { [TableName]: left } }))
    left = UnprocessedItems?.[TableName] ?? []
  }
}

async function addSize(list: string, n: number): Promise<void> {
  const { addToNumbers } = await import('../../../lib/engines/table/write.ts')
  const { counterChanges } = await import('../../../lib/engines/table/counters.ts')
  for (const { at, adds } of counterChanges([[list, n]])) await addToNumbers(at, adds)
}
