import { expect, test } from 'vitest'
import { withNewerMembers } from '../../api/newer-members.ts'

const schemas = {
  Row: {
    type: 'object',
    properties: { name: { type: 'string' }, style: { type: 'string' }, year: { type: ['integer', 'null'] } },
    required: ['name', 'style', 'year'],
  },
}
const row = { $ref: '#/components/schemas/Row' }

test('an example gets the empty value of each member that it lacks, wherever its shape stands', () => {
  const full = { name: 'A', style: '', year: null }
  expect(withNewerMembers({ name: 'A' }, row, schemas)).toEqual(full)
  expect(withNewerMembers([{ name: 'A' }], { type: 'array', items: row }, schemas)).toEqual([full])
  const nested = { type: 'object', properties: { row: { anyOf: [row, { type: 'null' }] } } }
  expect(withNewerMembers({ row: { name: 'A' } }, nested, schemas)).toEqual({ row: full })
  expect(withNewerMembers({ name: 'A', more: 1 }, { allOf: [row, {}] }, schemas)).toEqual({ ...full, more: 1 })
})

test('a member without an empty value stays absent, and what is there stays', () => {
  const schema = {
    type: 'object',
    properties: { count: { type: 'integer' }, at: { type: 'string', format: 'date-time' }, list: { type: 'array' } },
    required: ['count', 'at', 'list'],
  }
  expect(withNewerMembers({}, schema, {})).toEqual({ list: [] })
  expect(withNewerMembers({ count: 2, at: 'now', list: [1] }, schema, {})).toEqual({ count: 2, at: 'now', list: [1] })
  expect(withNewerMembers(null, row, schemas)).toBe(null)
})
