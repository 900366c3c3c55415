import { expect, test } from 'vitest'
import { isOpen } from '../../../lib/domain/imports/guessing/guess.ts'
import { kinds, recordKinds } from '../../../lib/domain/kinds/index.ts'
import { allColumnsBeside } from '../../../lib/domain/records/table-columns.ts'

const columnOf = (header: string) => ({ name: header, header, filled: 3, samples: [], values: undefined }) as never

test('no column that our own tables write beside the fields is taken for a field by its values', () => {
  const guessed = recordKinds.flatMap((key) =>
    allColumnsBeside.filter((header) => isOpen(kinds[key], columnOf(header))).map((header) => `${key} ${header}`),
  )
  expect(guessed).toEqual([])
  expect(isOpen(kinds.structure, columnOf('Ward office'))).toBe(true)
})
