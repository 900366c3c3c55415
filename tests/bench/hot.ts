import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { marshall } from '@aws-sdk/util-dynamodb'
import { loadStack } from '../../deploy/stack.ts'
import type { Persona } from '../harness/app.ts'
import { type Entry, type Item, sizeOf, unitsOfPut } from './hot-units.ts'
import { print, say } from './tools/table.ts'

/** What DynamoDB lets one partition key of the table or of an index take in a second. */
const MOST = 1000
/** So many people contribute so much each, under names as different as those of people's records are. */
const PEOPLE = 40
const EACH = 10

/** Write units of contributions by key of the table and of its indexes, and how many contributions a second each key bears. */
export async function benchHot(): Promise<void> {
  const { openApp } = await import('../harness/app.ts')
  const app = await openApp({ env: { LOG_LEVEL: 'silent' } })
  const who = await people(app)
  const spent = await ledger()
  let n = 0
  for (let i = 0; i < EACH; i += 1)
    for (const one of who) {
      const { status, text } = await one.post('/cidoc/structures/', { body: contribution(++n) })
      if (status !== 201) throw new Error(`${status} ${text}`)
    }
  const keys = [...spent.byKey].map(([key, units]) => ({ key, units: units / n })).sort((a, b) => b.units - a.units)
  print(
    `What a contribution of 8 values writes, by key: the ${SHOWN} hottest of ${keys.length} (${n} contributions of ${PEOPLE} people)`,
    keys.slice(0, SHOWN).map(({ key, units }) => ({
      key,
      'units each': units.toFixed(2),
      'contributions a second': Math.floor(MOST / units),
    })),
  )
  const parts = [...spent.byPart].sort(([, a], [, b]) => b - a)
  print(
    'Units of one contribution, by what is written',
    [...parts, ['together', parts.reduce((sum, [, units]) => sum + units, 0)] as const].map(([what, units]) => ({
      what,
      units: (units / n).toFixed(1),
    })),
  )
  say(
    `Units are reckoned from the requests themselves, as DynamoDB bills them: one for each begun kilobyte of an item, two in a transaction, and one for each begun kilobyte of its entry in an index. What the emulator bills for the same requests: ${(spent.billed() / n).toFixed(1)}.`,
  )
}

const SHOWN = 12

const words = [
  'Golden',
  'Quiet',
  'Upper',
  'Lower',
  'Old',
  'New',
  'Eastern',
  'Western',
  'Great',
  'Little',
  'Red',
  'Stone',
]
const sorts = ['Temple', 'Pavilion', 'Rest House', 'Stupa', 'Monastery', 'Fountain', 'Gate', 'Courtyard', 'Shrine']
const places = ['Patan', 'Bhaktapur', 'Kirtipur', 'Panauti', 'Dhulikhel', 'Sankhu', 'Bungamati', 'Khokana', 'Thimi']

const contribution = (n: number) => ({
  name: `${words[n % words.length]} ${sorts[n % sorts.length]} of ${places[(n * 7) % places.length]} ${n}`,
  existence_status: 'Extant',
  construction_date: '1702',
  coordinates: `${27 + n / 100}, ${85 + (n % 9) / 10}`,
  condition: 'Good',
  structure_type: 'Temple',
  description: 'A temple made to be measured.',
  note: 'Measured',
})

async function people(app: { as: (token: string) => Persona; anon: Persona }): Promise<Persona[]> {
  const made: Persona[] = []
  for (let i = 0; i < PEOPLE; i += 1) {
    const body = { email: `hot-${i}@example.org`, username: `hot-${i}`, password: 'a-long-password-1' }
    const registered = await app.anon.post('/api/register/', { body })
    if (registered.status !== 201) throw new Error(registered.text)
    const { body: pair } = await app.anon.post('/api/token/', { body })
    made.push(app.as(pair.access))
  }
  return made
}

/** Takes down what every request to the table writes, from here on. */
async function ledger() {
  const { db } = await import('../../lib/engines/table/client.ts')
  const [byKey, byPart] = [new Map<string, number>(), new Map<string, number>()]
  let billed = 0
  const indexes = loadStack().table.GlobalSecondaryIndexes
  const note = (action: TransactWriteItem, times: number) => {
    for (const { key, part, units } of entriesOf(action, times, indexes)) {
      byKey.set(key, (byKey.get(key) ?? 0) + units)
      byPart.set(part, (byPart.get(part) ?? 0) + units)
    }
  }
  db.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const result = await next(args)
        const { TransactItems }: { TransactItems?: TransactWriteItem[] } = Object(args.input)
        if (TransactItems) for (const action of TransactItems) note(action, 2)
        else if (/^(Put|Update|Delete)/.test(commandName))
          note({ [commandName.replace(/(Item)?Command$/, '')]: args.input }, 1)
        if (!/^(Get|Query|BatchGet|Scan)/.test(commandName)) billed += consumed(result.output)
        return result
      },
    { step: 'initialize', name: 'hot', priority: 'high' },
  )
  return { byKey, byPart, billed: () => billed }
}

const consumed = (output: unknown): number => {
  const { ConsumedCapacity = [] }: { ConsumedCapacity?: { CapacityUnits?: number }[] } = Object(output)
  return [ConsumedCapacity].flat().reduce((sum, each) => sum + (each.CapacityUnits ?? 0), 0)
}

type Index = ReturnType<typeof loadStack>['table']['GlobalSecondaryIndexes'][number]

/** What an action writes: in the table, and in each index that its item is in. Counters and the like are small and in no index. */
function entriesOf(action: TransactWriteItem, times: number, indexes: readonly Index[]): Entry[] {
  const [[kind, given] = ['', undefined]] = Object.entries(action)
  const { Item, Key }: { Item?: object; Key?: object } = Object(given)
  const item: Item = marshall(Item ?? Key ?? {}, { removeUndefinedValues: true })
  const what = kind === 'Put' ? textOf(item.type) : `${kind} ${textOf(item.pk).replace(/#.*/, '')}`
  const pk = textOf(item.pk)
  if (kind !== 'Put') return [{ key: `table ${pk}`, part: what, units: times * Math.ceil(sizeOf(item) / 1024) }]
  return unitsOfPut(item, times, indexes).map(({ key, units, index }) => ({
    key,
    units,
    part: index ? `${what}, in indexes` : what,
  }))
}

const textOf = (value: AttributeValue | undefined): string => value?.S ?? ''
