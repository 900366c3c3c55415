import { beforeAll, expect, test } from 'vitest'
import { conflict, impossible } from '../../../lib/base/errors.ts'
import { createTestTable } from '../../harness/emulator.ts'

/** A register: who closes it has seen all that was entered. */

let table: typeof import('../../../lib/engines/table/index.ts')
let commit: typeof import('../../../lib/engines/table/immediate.ts')
beforeAll(async () => {
  process.env.TABLE_NAME = `test-register-${process.pid}`
  await createTestTable(process.env.TABLE_NAME)
  table = await import('../../../lib/engines/table/index.ts')
  commit = await import('../../../lib/engines/table/immediate.ts')
})

const at = (name: string) => ({ pk: `GUESTS#${name}`, sk: '!' })
const entering = (name: string, guest: string, isHeld = true) => [
  table.enter(at(name), guest, isHeld, () => impossible('closed')),
]
const enter = (name: string, guest: string) => commit.commitWrites(entering(name, guest))
const seen = async (name: string) =>
  table.readRegister((await table.getMany([at(name)], true)).get(table.place(at(name))))

test('is closed by whoever has seen all entries, and opened again', async () => {
  expect(await seen('inn')).toEqual({ entries: 0, held: new Set(), latest: [] })
  const before = await seen('inn')
  await enter('inn', 'Asha')
  await expect(commit.commitWrites([table.closeRegister(at('inn'), before)])).rejects.toThrow(conflict().detail)
  await commit.commitWrites([table.closeRegister(at('inn'), await seen('inn'))])
  await expect(enter('inn', 'Bina')).rejects.toThrow('closed')
  await commit.commitWrites([table.openRegister(at('inn'))])
  await enter('inn', 'Bina')
  expect(await seen('inn')).toEqual({ entries: 2, held: new Set(['Asha', 'Bina']), latest: [] })
})

test('is closed without entries, and then takes none', async () => {
  await commit.commitWrites([table.closeRegister(at('empty'), await seen('empty'))])
  await expect(enter('empty', 'Asha')).rejects.toThrow('closed')
})

test('takes the entries of several tasks in one transaction, as one action', async () => {
  const guests = ['Asha', 'Bina', 'Chandra']
  await commit.commitTogether(guests.map((guest) => (store) => store(entering('hall', guest))))
  expect(await seen('hall')).toEqual({ entries: 3, held: new Set(guests), latest: [] })
  expect(table.actionsOf(guests.flatMap((guest) => entering('hall', guest)))).toBe(1)
})

test('holds the first names itself, and of those beyond them the last', async () => {
  const guests = Array.from({ length: 20 }, (_, i) => `guest ${i}`)
  await commit.commitWrites(guests.slice(1).flatMap((guest) => entering('house', guest)))
  expect(table.isFull(await seen('house'))).toBe(false)
  const together = [...entering('house', 'guest 0'), ...entering('house', 'Asha', false)]
  expect(table.actionsOf(together)).toBe(1)
  await commit.commitWrites(together)
  expect(await seen('house')).toEqual({ entries: 21, held: new Set(guests), latest: ['Asha'] })
  expect(table.isFull(await seen('house'))).toBe(true)
  await commit.commitWrites(entering('house', 'Bina', false))
  expect(await seen('house')).toEqual({ entries: 22, held: new Set(guests), latest: ['Bina'] })
})
