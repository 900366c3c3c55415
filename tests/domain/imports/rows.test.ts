import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { Mapping } from '../../../lib/domain/imports/mapping.ts'
import { createRowReader } from '../../../lib/domain/imports/rows.ts'

describe('a rule with a mark takes of a cell', () => {
  const cell = ' Nyatapola ; Bhaktapur;;Nepal '
  const nameBy = (rule: object) => {
    const mapping = v.parse(Mapping, { kind: 'structure', rules: [{ field: 'name', column: 'Name', ...rule }] })
    return createRowReader(mapping, ['Name'])([cell]).body.name
  }
  test.each([
    [1, 'Nyatapola'],
    [2, 'Bhaktapur'],
    // Empty pieces do not count.
    [3, 'Nepal'],
    [-1, 'Nepal'],
    [-3, 'Nyatapola'],
    [4, undefined],
    [-4, undefined],
  ])('piece %i: %s', (part, name) => expect(nameBy({ split: ';', part })).toBe(name))
  test.each([0, 1.5])('there is no piece %d', (part) =>
    expect(() => nameBy({ split: ';', part })).toThrow('Give a whole number: 1 is the first piece, -1 the last.'),
  )
})
