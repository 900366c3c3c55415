import * as v from 'valibot'
import { beforeAll, describe, expect, test } from 'vitest'
import { keyOf } from '../../../lib/engines/table/keys.ts'
import { createTestTable } from '../../harness/emulator.ts'
import { faults, STRIDE, withFault } from '../../harness/faults.ts'
import { commitLarge } from '../../harness/large.ts'

type Modules = {
  item: typeof import('../../../lib/engines/table/item.ts')
  read: typeof import('../../../lib/engines/table/read.ts')
  transact: typeof import('../../../lib/engines/table/transact.ts')
  write: typeof import('../../../lib/engines/table/write.ts')
  large: typeof import('../../../lib/engines/table/two-phase/commit.ts')
  staged: typeof import('../../../lib/engines/table/two-phase/staged.ts')
  stream: typeof import('../../../lib/engines/table/stream.ts')
}
let table: Modules
let time = Date.parse('2025-01-15T10:00:00Z')
beforeAll(async () => {
  process.env.TABLE_NAME = `test-large-${process.pid}`
  await createTestTable(process.env.TABLE_NAME)
  table = {
    item: await import('../../../lib/engines/table/item.ts'),
    read: await import('../../../lib/engines/table/read.ts'),
    transact: await import('../../../lib/engines/table/transact.ts'),
    write: await import('../../../lib/engines/table/write.ts'),
    large: await import('../../../lib/engines/table/two-phase/commit.ts'),
    staged: await import('../../../lib/engines/table/two-phase/staged.ts'),
    stream: await import('../../../lib/engines/table/stream.ts'),
  }
  const { clock } = await import('../../../lib/base/clock.ts')
  clock.now = () => new Date(time)
  // The sizes of one heap lie in one item.
  const { provideCountLayout } = await import('../../../lib/engines/table/counters.ts')
  provideCountLayout((list) => {
    const [heap, name = ''] = list.split('#')
    return { group: `HEAPS#${heap}`, name }
  })
})

const Stone = v.object({ id: v.string(), color: v.string(), version: v.number() })
type Stone = v.InferOutput<typeof Stone>
const listOf = (heap: string, color: string) => `${heap}#${color}`
const stones = (heap: string) =>
  table.item.defineItem({
    type: 'stone',
    schema: Stone,
    key: ({ id }: { id: string }) => ({ pk: `HEAP#${heap}`, sk: `STONE#${id}` }),
    indexes: (it) => ({ gsi1: { pk: listOf(heap, it.color), sk: it.id } }),
    counted: (it) => [listOf(heap, it.color)],
  })
const make = (id: string, color = 'red', version = 1): Stone => ({ id, color, version })
const code = async (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  )
/** Everything that a reader can find out about a heap, in every way there is to read. */
async function look(heap: string, ids: readonly string[]) {
  const { get, getMany, queryAll, queryAllBetween, queryBetween, walk, walkTable, sizesOfGroup } = table.read
  const { countKeys, sumOf } = await import('../../../lib/engines/table/counters.ts')
  const type = stones(heap)
  const plain = (items: Iterable<Record<string, unknown>>) =>
    [...items].map((it) => `${it.id} ${it.color} ${it.version} ${it.type}`).sort()
  const pk = `HEAP#${heap}`
  const lists = ['red', 'blue', 'green'].map((color) => listOf(heap, color))
  // Of many, those at both ends.
  const some = [...new Set([...ids.slice(0, 20), ...ids.slice(-20)])]
  const one = await Promise.all(some.map((id) => get(type, { id })))
  const found = await getMany(ids.map((id) => type.key({ id })))
  const counts = await sizesOfGroup(`HEAPS#${heap}`)
  const sizes = await getMany(countKeys(lists))
  return {
    get: plain(one.filter((it) => it !== undefined).map((it) => ({ ...it, type: 'stone' }))),
    getMany: plain(found.values()),
    keys: [...found.keys()].sort(),
    queryAll: plain(await queryAll(pk, 'STONE#')),
    between: plain(await queryAllBetween(pk, 'STONE#', 'STONE#~')),
    first: plain(await queryBetween(pk, 'STONE#', 'STONE#~', 2000)),
    within: plain(await walkTable({ pk, prefix: 'STONE#', forward: false, limit: 2000 })),
    lists: await Promise.all(
      lists.map(async (list) => plain(await walk({ index: 'gsi1', pk: list, forward: true, limit: 2000 }))),
    ),
    page: plain(await walk({ index: 'gsi1', pk: lists[0] ?? '', forward: true, limit: 5 })).length,
    counts: ['red', 'blue', 'green'].map((color) => counts.get(color) ?? 0),
    sums: lists.map((list) => sumOf([list], sizes)),
    marks: [...found.values()].flatMap((it) => Object.keys(it).filter((name) => name.startsWith('staged'))),
  }
}

let heaps = 0
/** A heap of red stones, and what makes some of them blue, takes some away, and puts green ones beside them. */
async function prepared(many: number) {
  const heap = `h${++heaps}`
  const type = stones(heap)
  const red = Array.from({ length: many }, (_, i) => make(`s${String(i).padStart(4, '0')}`))
  for (let start = 0; start < many; start += 80)
    await table.transact.transact(red.slice(start, start + 80).map((it) => table.item.put(type, it, undefined)))
  const [blue, gone] = [red.filter((_, i) => i % 3 !== 0), red.filter((_, i) => i % 3 === 0)]
  const green = Array.from({ length: Math.ceil(many / 2) }, (_, i) => make(`t${String(i).padStart(4, '0')}`, 'green'))
  const writes = [
    ...blue.map((it) => table.item.put(type, make(it.id, 'blue', 2), it)),
    ...gone.map((it) => table.item.remove(type, it)),
    ...green.map((it) => table.item.put(type, it, undefined)),
  ]
  const flag = make('flag', 'up')
  const last = [table.item.put(stones(`flags-${heap}`), flag, undefined)]
  const ids = [...red, ...green].map((it) => it.id)
  const isUp = async () => (await table.read.get(stones(`flags-${heap}`), { id: 'flag' })) !== undefined
  return { heap, type, ids, writes, last, isUp, see: () => look(heap, ids), red, green }
}
/** What a large transaction has left in the table that somebody has to put in place or to clear away. */
const leftovers = async (heap: string, ids: readonly string[]) => {
  const raw = [...(await table.staged.rawMany(ids.map((id) => stones(heap).key({ id })))).values()]
  const marked = raw.filter((it) => it.staged_by !== undefined)
  const befores = await table.staged.rawMany(
    marked.map((it) => table.staged.beforeKey(keyOf(it), String(it.staged_by))),
  )
  const done = await table.staged.switchedAmong(marked.map((it) => String(it.staged_by)))
  const stays = (it: Record<string, unknown>) => it.staged_as !== 'gone' && done.has(String(it.staged_by))
  return marked.filter((it) => !stays(it)).length + befores.size
}
const run = (it: Awaited<ReturnType<typeof prepared>>) => commitLarge(crypto.randomUUID(), it.writes, it.last)

describe('a large transaction', () => {
  test('changes, makes and takes away 450 things, and counts them, as one', async () => {
    const it = await prepared(300)
    await run(it)
    const after = await it.see()
    expect(after.counts).toEqual([0, 200, 150])
    expect(after.sums).toEqual([0, 200, 150])
    expect(after.lists.map((list) => list.length)).toEqual([0, 200, 150])
    for (const way of [after.queryAll, after.between, after.first, after.within]) expect(way).toEqual(after.getMany)
    expect(after.getMany).toEqual(expect.arrayContaining(after.get))
    expect(after.get).toHaveLength(33)
    expect(after.getMany).toHaveLength(350)
    expect(after.marks).toEqual([])
    expect(await leftovers(it.heap, it.ids)).toBe(0)
    expect(await it.isUp()).toBe(true)
  })

  test('that is too large to wait for is seen at once, and put in place by whoever tidies up', async () => {
    const it = await prepared(750)
    await run(it)
    expect(await leftovers(it.heap, it.ids)).toBeGreaterThan(0)
    const after = await it.see()
    expect(after.counts).toEqual([0, 500, 375])
    expect(after.sums).toEqual([0, 500, 375])
    expect(after.lists.map((list) => list.length)).toEqual([0, 500, 375])
    expect(after.page).toBe(0)
    for (const way of [after.queryAll, after.between, after.within]) expect(way).toEqual(after.getMany)
    expect(after.getMany).toEqual(expect.arrayContaining(after.get))
    // Without time nothing is put in place, and nothing is counted.
    expect(await table.large.recoverStaged(performance.now())).toBe(0)
    expect(await table.large.recoverStaged()).toBeGreaterThan(0)
    expect(await leftovers(it.heap, it.ids)).toBe(0)
    expect(await it.see()).toEqual(after)
  }, 60_000)

  test('another on what is not in place yet puts that there first', async () => {
    const it = await prepared(750)
    await run(it)
    const [blue] = (await it.see()).getMany.filter((one) => one.includes('blue'))
    const old = make(blue?.split(' ')[0] ?? '', 'blue', 2)
    await commitLarge(crypto.randomUUID(), [table.item.put(it.type, make(old.id, 'green', 3), old)], [])
    expect(await table.read.get(it.type, { id: old.id })).toEqual(make(old.id, 'green', 3))
    await table.large.recoverStaged()
    expect(await leftovers(it.heap, it.ids)).toBe(0)
    expect(await table.read.get(it.type, { id: old.id })).toEqual(make(old.id, 'green', 3))
  }, 60_000)

  test('takes away later, without having touched it, what goes with another thing; what is put there meanwhile stays', async () => {
    const it = await prepared(650)
    const writes = it.red.flatMap((one) =>
      table.item.replaceDerived(it.type, one, undefined).map((write) => ({ ...write, mayLag: true })),
    )
    const before = await it.see()
    const stale = table.item.put(it.type, make('s0000', 'blue', 9), make('s0000', 'red', 8))
    expect(await code(commitLarge(crypto.randomUUID(), [...writes.slice(1), stale], []))).toBe('conflict')
    await table.large.recoverStaged()
    expect(await it.see()).toEqual(before)
    await commitLarge(crypto.randomUUID(), writes, it.last)
    const after = await it.see()
    expect([after.counts, after.getMany]).toEqual([[0, 0, 0], before.getMany])
    const anew = make('s0001', 'green', 2)
    await table.transact.transact(table.item.replaceDerived(it.type, undefined, anew))
    await table.large.recoverStaged()
    const end = await it.see()
    expect([end.counts, end.getMany]).toEqual([[0, 0, 1], ['s0001 green 2 stone']])
    expect(await leftovers(it.heap, it.ids)).toBe(0)
  }, 60_000)

  test('fails with the word of the condition that does not hold, and changes nothing', async () => {
    const it = await prepared(12)
    const before = await it.see()
    const { invalid } = await import('../../../lib/base/errors.ts')
    const stale = table.item.put(it.type, make('s0000', 'blue', 9), make('s0000', 'red', 8), () => invalid({}))
    const others = it.writes.filter((write) => write.action.Delete?.Key?.sk !== 'STONE#s0000')
    const id = crypto.randomUUID()
    expect(await code(commitLarge(id, [...others, stale], it.last))).toBe('invalid')
    expect(await it.see()).toEqual(before)
    expect(await leftovers(it.heap, it.ids)).toBe(0)
  })

  test('whose switch is refused changes nothing', async () => {
    const it = await prepared(12)
    const before = await it.see()
    await table.transact.transact(it.last)
    expect(await code(run(it))).toBe('conflict')
    expect(await it.see()).toEqual(before)
    expect(await leftovers(it.heap, it.ids)).toBe(0)
  })

  test('keeps other writers off, and lets them in again afterwards', async () => {
    const it = await prepared(6)
    // Those of other tests are out of the way after an hour.
    time += 3_600_000
    await table.large.recoverStaged()
    // The switch is the 19th call: begin, look, read, write down, images, nine items, three for the counters, look.
    expect(await withFault(18, 'killed', () => run(it))).toBe(true)
    const [old] = it.red
    if (!old) throw new Error('no stone')
    const write = () => code(table.transact.transact([table.item.put(it.type, make(old.id, 'green', 2), old)]))
    expect(await leftovers(it.heap, [old.id])).toBe(1)
    expect(await write()).toBe('conflict')
    expect(await table.large.recoverStaged()).toBe(0)
    time += 120_000
    expect(await table.large.recoverStaged()).toBe(1)
    expect(await leftovers(it.heap, it.ids)).toBe(0)
    expect(await write()).toBe('done')
  })

  describe('beside transactions of others, which hold an item for some milliseconds,', () => {
    /** The table refuses every write of a single item so often, and lets others finish before it takes it. */
    async function held<T>(times: number, others: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
      const { db } = await import('../../../lib/engines/table/client.ts')
      const refused = new Map<string, number>()
      let hits = 0
      const meddle =
        (next: (args: never) => Promise<unknown>, { commandName = '' }) =>
        async (args: never) => {
          const { Key, Item }: { Key?: object; Item?: object } = Object((args as { input: object }).input)
          if (!/^(Put|Update|Delete)Item/.test(commandName)) return next(args)
          const at = JSON.stringify(keyOf({ ...Key, ...Item }))
          const before = refused.get(at) ?? 0
          refused.set(at, before + 1)
          if (before >= times) return next(args)
          hits += 1
          if (hits === 1) await others()
          throw Object.assign(new Error('Transaction is ongoing for the item'), {
            name: 'TransactionConflictException',
          })
        }
      db.middlewareStack.add(meddle as never, { step: 'initialize', name: 'held' })
      try {
        return await work()
      } finally {
        db.middlewareStack.remove('held')
        expect(hits).toBeGreaterThan(0)
      }
    }

    test('is done all the same', async () => {
      const it = await prepared(12)
      expect(
        await held(
          2,
          async () => undefined,
          () => code(run(it)),
        ),
      ).toBe('done')
      expect((await it.see()).counts).toEqual([0, 8, 6])
      expect(await leftovers(it.heap, it.ids)).toBe(0)
    })

    test('loses against them where they change what it has read, and changes nothing', async () => {
      const it = await prepared(12)
      const [old] = it.red.filter((_, i) => i % 3 !== 0)
      if (!old) throw new Error('no stone')
      const other = () => table.transact.transact([table.item.put(it.type, make(old.id, 'green', 2), old)])
      expect(await held(1, other, () => code(run(it)))).toBe('conflict')
      expect((await it.see()).counts).toEqual([11, 0, 1])
      expect(await leftovers(it.heap, it.ids)).toBe(0)
      expect(await it.isUp()).toBe(false)
    })
  })

  test.each([1, 2, 3, 4, 5])('of two on the same things one wins, and the other changes nothing (%i)', async () => {
    const it = await prepared(30)
    const other = { ...it, last: [table.item.put(stones(`flags-${it.heap}-b`), make('flag', 'up'), undefined)] }
    const ended = await Promise.all([code(run(it)), code(run(other))])
    expect(ended.sort()).toEqual(['conflict', 'done'])
    expect((await it.see()).counts).toEqual([0, 20, 15])
    expect(await leftovers(it.heap, it.ids)).toBe(0)
  })

  test.each(faults)(
    'that is $fault at $hits shows nothing or all of it, and ends well',
    async ({ fault, hits, from }) => {
      const outcomes = new Set<boolean>()
      for (let nth = from; ; nth += STRIDE) {
        const it = await prepared(9)
        const before = await it.see()
        const hit = await withFault(nth, fault, () => run(it), hits)
        const up = await it.isUp()
        outcomes.add(up)
        const after = await it.see()
        const where = `call ${nth}`
        if (up)
          expect([where, after.counts, after.sums, after.lists.map((list) => list.length)]).toEqual([
            where,
            [0, 6, 5],
            [0, 6, 5],
            [0, 6, 5],
          ])
        else expect([where, after]).toEqual([where, before])
        time += 120_000
        await table.large.recoverStaged()
        expect([where, await it.see()]).toEqual([where, after])
        expect([where, await leftovers(it.heap, it.ids)]).toEqual([where, 0])
        // What was stopped before its switch can be done again.
        if (!up) {
          await run(it)
          expect([where, (await it.see()).counts]).toEqual([where, [0, 6, 5]])
        }
        if (!hit) break
      }
      expect(outcomes).toEqual(new Set([true, false]))
    },
    120_000,
  )

  test('of many parts that is killed on the way shows nothing or all of it, and ends well', async () => {
    const outcomes: boolean[] = []
    for (let nth = 3, hit = true; hit; nth = Math.ceil(nth * 2.3)) {
      const it = await prepared(300)
      const before = await it.see()
      hit = await withFault(nth, 'killed', () => run(it))
      const up = await it.isUp()
      outcomes.push(up)
      const after = await it.see()
      if (up) expect([nth, after.counts, after.sums]).toEqual([nth, [0, 200, 150], [0, 200, 150]])
      else expect([nth, after]).toEqual([nth, before])
      time += 120_000
      await table.large.recoverStaged()
      expect([nth, await it.see()]).toEqual([nth, after])
      expect([nth, await leftovers(it.heap, it.ids)]).toEqual([nth, 0])
    }
    expect(new Set(outcomes)).toEqual(new Set([true, false]))
  }, 60_000)

  test('is not heard of in the stream before its switch', async () => {
    const { visibleChange } = table.stream
    const item = { pk: 'a', sk: 'b', type: 'stone', id: 'x', version: 1 }
    const nothing = { before: undefined, after: undefined }
    const by = (staged_as: string, version = 1) => ({ ...item, version, staged_by: 'i', staged_as })
    expect(visibleChange(undefined, by('new'))).toEqual(nothing)
    expect(visibleChange(undefined, table.staged.beforeImage(item, 'i'))).toEqual(nothing)
    expect(visibleChange(item, by('changed', 2))).toEqual(nothing)
    expect(visibleChange(item, by('gone', 2))).toEqual(nothing)
    // Called off.
    expect(visibleChange(by('changed', 2), item)).toEqual(nothing)
    expect(visibleChange(by('gone', 2), item)).toEqual({ before: item, after: item })
    // Put in place.
    expect(visibleChange(by('gone', 2), undefined)).toEqual({ before: item, after: undefined })
    expect(visibleChange(table.staged.beforeImage(item, 'i'), undefined)).toEqual({ before: item, after: undefined })
    // Written later by somebody else.
    const later = { ...item, version: 3 }
    expect(visibleChange(by('changed', 2), later)).toEqual({ before: { ...item, version: 2 }, after: later })
    expect(visibleChange(by('new', 2), later)).toEqual({ before: { ...item, version: 2 }, after: later })
    expect(visibleChange(undefined, item)).toEqual({ before: undefined, after: item })
  })
})
