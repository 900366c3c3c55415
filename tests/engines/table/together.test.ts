import * as v from 'valibot'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Commit } from '../../../lib/engines/table/index.ts'
import { createTestTable } from '../../harness/emulator.ts'

type Modules = {
  item: typeof import('../../../lib/engines/table/item.ts')
  read: typeof import('../../../lib/engines/table/read.ts')
  transact: typeof import('../../../lib/engines/table/transact.ts')
  client: typeof import('../../../lib/engines/table/client.ts')
  together: typeof import('../../../lib/engines/table/together.ts')
  counters: typeof import('../../../lib/engines/table/counters.ts')
}
let table: Modules
beforeAll(async () => {
  process.env.TABLE_NAME = `test-together-${process.pid}`
  await createTestTable(process.env.TABLE_NAME)
  table = {
    item: await import('../../../lib/engines/table/item.ts'),
    read: await import('../../../lib/engines/table/read.ts'),
    transact: await import('../../../lib/engines/table/transact.ts'),
    client: await import('../../../lib/engines/table/client.ts'),
    together: await import('../../../lib/engines/table/together.ts'),
    counters: await import('../../../lib/engines/table/counters.ts'),
  }
  table.counters.provideCountLayout(() => undefined)
})

const Leaf = v.object({ id: v.string(), tree: v.string(), version: v.number() })
const leaves = () =>
  table.item.defineItem({
    type: 'leaf',
    schema: Leaf,
    key: ({ id }: { id: string }) => ({ pk: `LEAF#${id}`, sk: 'HEAD' }),
    counted: ({ tree }) => [`TREE#${tree}`],
  })
const leaf = (id: string, tree: string) => table.item.put(leaves(), { id, tree, version: 1 }, undefined)
/** Tasks each of which writes one leaf, of this tree. */
const growing = (tree: string, ids: readonly string[]) => ids.map((id) => (commit: Commit) => commit([leaf(id, tree)]))
const leavesOf = async (tree: string) => {
  const { countKeys, sumOf } = table.counters
  const list = [`TREE#${tree}`]
  return sumOf(list, await table.read.getMany(countKeys(list)))
}
const isThere = async (id: string) => (await table.read.get(leaves(), { id })) !== undefined
/** How each task ends. */
const ends = (tasks: readonly ((commit: Commit) => Promise<unknown>)[]) =>
  tasks.map((task) => async (commit: Commit) => {
    try {
      await task(commit)
      return 'done'
    } catch (error) {
      return (error as { code?: string }).code ?? String(error)
    }
  })

/** How many actions each transaction that is sent has. */
function watched(): number[] {
  const sent: number[] = []
  const middleware = (next: (args: object) => Promise<object>) => (args: { input: { TransactItems?: unknown[] } }) => {
    if (args.input.TransactItems) sent.push(args.input.TransactItems.length)
    return next(args)
  }
  // The SDK's types tell the steps apart; what is used here of their arguments is the same.
  table.client.db.middlewareStack.add(middleware as never, { step: 'initialize', name: 'watch', priority: 'low' })
  return sent
}
afterEach(() => {
  table.client.db.middlewareStack.remove('watch')
})

describe('tasks that run together', () => {
  test('write in one transaction, and a counter that several change once', async () => {
    const sent = watched()
    await table.together.commitTogether(growing('oak', ['a', 'b', 'c', 'd']))
    expect(sent).toEqual([5])
    expect(await leavesOf('oak')).toBe(4)
  })

  test('answer in their order, and wait for nobody who has ended or failed', async () => {
    const sent = watched()
    const [read, failing] = [
      async () => 'read',
      async () => {
        throw new Error('no leaf')
      },
    ]
    const writing = growing('elm', ['e', 'f'])
    expect(await table.together.commitTogether<unknown>([read, ...writing])).toEqual(['read', undefined, undefined])
    await expect(table.together.commitTogether([...growing('elm', ['g']), failing])).rejects.toThrow('no leaf')
    expect(sent).toEqual([3, 2])
    expect(await isThere('g')).toBe(true)
  })

  test('fail each for their own reasons, and the others are written', async () => {
    await table.transact.transact([leaf('taken', 'ash')])
    expect(await table.together.commitTogether(ends(growing('ash', ['h', 'taken', 'i'])))).toEqual([
      'done',
      'conflict',
      'done',
    ])
    expect(await leavesOf('ash')).toBe(3)
    expect(await isThere('h')).toBe(true)
  })

  test('that write the same item do not write it together: one gets it', async () => {
    const sent = watched()
    const ended = await table.together.commitTogether(ends(growing('fir', ['same', 'same', 'j'])))
    expect(ended.sort()).toEqual(['conflict', 'done', 'done'])
    expect(sent.slice(0, 2).sort()).toEqual([2, 3])
    expect(await leavesOf('fir')).toBe(2)
  })

  test('take as many transactions as their actions need', async () => {
    const sent = watched()
    const sets = Array.from({ length: 3 }, (_, set) =>
      Array.from({ length: 40 }, (_, n) => leaf(`k${set}-${n}`, 'yew')),
    )
    await table.together.commitTogether(sets.map((writes) => (commit) => commit(writes)))
    expect(sent.sort()).toEqual([41, 81])
    expect(await leavesOf('yew')).toBe(120)
  })

  test('may write more than once each', async () => {
    const sent = watched()
    const twice = (id: string) => async (commit: Commit) => {
      await commit([leaf(`${id}1`, 'lime')])
      await commit([leaf(`${id}2`, 'lime')])
    }
    await table.together.commitTogether([twice('l'), twice('m')])
    expect(sent).toEqual([3, 3])
  })

  test('leave alone who is not among them', async () => {
    const sent = watched()
    await Promise.all([
      table.together.commitTogether(growing('box', ['n'])),
      table.transact.transact([leaf('o', 'box')]),
    ])
    expect(sent).toEqual([2, 2])
  })

  test('store at once what a task commits without the commit that it was given', async () => {
    const sent = watched()
    const ahead = async (commit: Commit) => {
      await table.transact.transact([leaf('p', 'bay')])
      await commit([leaf('q', 'bay')])
    }
    await table.together.commitTogether([ahead, ...growing('bay', ['r'])])
    expect(sent).toEqual([2, 3])
  })

  test('are units of work, each committed by the commit that it was given', async () => {
    const sent = watched()
    const { runUnit } = await import('../../../lib/engines/table/unit-of-work.ts')
    const units = ['s', 't'].map((id) => (commit: Commit) => runUnit((unit) => unit.add([leaf(id, 'nut')]), { commit }))
    await table.together.commitTogether(units)
    expect(sent).toEqual([3])
    expect(await leavesOf('nut')).toBe(2)
  })
})
