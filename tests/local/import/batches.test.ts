import { expect, test } from 'vitest'
import { batchesOf, sideBySide } from '../../../local/commands/import/batches.ts'
import { planOf } from '../../../local/commands/import/plan.ts'
import { offer, type Row } from '../../../local/commands/import/rows.ts'

const batches = (...rows: Row[]) => batchesOf(planOf(offer('f', rows), { lenient: false })).batches
const order = (...rows: Row[]) =>
  batches(...rows).map(({ kind, behind }) => [kind.key, behind.map((other) => other.kind.key)])

const deity: Row = { id: 't:d', kind: 'deity', name: 'Bhairava' }
const place: Row = { id: 't:p', kind: 'location', name: 'Asan' }
const shrine: Row = { id: 't:s', kind: 'structure', name: 'Shrine' }

test('tables of which none names another do not wait', () => {
  expect(order(deity, place, shrine)).toEqual([
    ['location', []],
    ['deity', []],
    ['structure', []],
  ])
})

test('a table waits for those of which it names rows by their ids', () => {
  expect(order(deity, place, { ...shrine, has_current_location: 't:p' })).toContainEqual(['structure', ['location']])
})

test('a table waits for the kinds that it names by texts, since a record is found by any of its names', () => {
  expect(order(deity, place, { ...shrine, has_current_location: 'Another name of Asan' })).toContainEqual([
    'structure',
    ['location'],
  ])
})

test('rows that others of their kind name go before them', () => {
  const rite = (n: number, after?: string): Row => ({
    ...{ id: `t:${n}`, kind: 'ritual', name: `${n}` },
    ...(after && { occurs_after: after }),
  })
  expect(order(rite(1, 't:2'), rite(2))).toEqual([
    ['ritual', []],
    ['ritual', ['ritual']],
  ])
})

test('what most rows wait for begins first, and nothing before what it comes behind', async () => {
  const shrines = Array.from({ length: 3 }, (_, i): Row => ({ ...shrine, id: `t:s${i}`, has_current_location: 't:p' }))
  const others = ['person', 'ritual', 'festival', 'guthi'].map((kind): Row => ({ id: `t:${kind}`, kind, name: kind }))
  const told: string[] = []
  const pause = () => new Promise((over) => setTimeout(over, 5))
  await sideBySide(batches(deity, place, ...others, ...shrines), {
    make: async ({ kind }) => {
      told.push(`begin ${kind.key}`)
      await pause()
      told.push(`made ${kind.key}`)
      return kind.key
    },
    end: async ({ kind }, made) => {
      await pause()
      expect(made).toBe(kind.key)
      told.push(`end ${kind.key}`)
    },
  })
  expect(told[0]).toBe('begin location')
  const at = (what: string) => told.indexOf(what)
  expect(at('begin structure')).toBeGreaterThan(at('made location'))
  expect(told.filter((it) => it.startsWith('end'))).toHaveLength(7)
})

test('nothing is ended before what it comes behind', async () => {
  const told: string[] = []
  let isOver = false
  await sideBySide(batches(place, { ...shrine, has_current_location: 't:p' }), {
    make: async ({ kind }) => void told.push(`made ${kind.key}`),
    end: async ({ kind }) => {
      if (kind.key === 'structure') expect(isOver).toBe(true)
      else await new Promise((over) => setTimeout(over, 20))
      isOver = true
      told.push(`end ${kind.key}`)
    },
  })
  expect(told).toEqual(['made location', 'made structure', 'end location', 'end structure'])
})

test('after a failure nothing that waits for it begins, and what goes on comes to its end', async () => {
  const told: string[] = []
  const rows = batches(deity, place, { ...shrine, has_current_location: 't:p' })
  const work = sideBySide(rows, {
    make: async ({ kind }) => {
      told.push(kind.key)
      if (kind.key === 'location') throw new Error('gone')
      await new Promise((over) => setTimeout(over, 5))
    },
    end: async ({ kind }) => void told.push(`${kind.key} ended`),
  })
  await expect(work).rejects.toThrow('gone')
  expect(told).toEqual(['location', 'deity', 'deity ended'])
})

test('claims go once the tables are there whose rows they name, those of other tables or not', () => {
  const claim = (n: number, object: string, kind: string): Row => ({
    ...{ id: `t:c${n}`, kind: 'relationship', name: `${n}`, predicate: 'relationship.located_in' },
    ...{ subject_id: 't:s', subject_kind: 'structure', subject_name: 'Shrine' },
    ...{ object_id: object, object_kind: kind, object_name: object },
  })
  expect(order(shrine, place, deity, claim(1, 't:p', 'location'))).toContainEqual([
    'assertion',
    ['location', 'structure'],
  ])
})
