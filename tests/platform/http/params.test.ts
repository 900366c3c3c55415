import * as v from 'valibot'
import { expect, test } from 'vitest'
import { RecordQuery } from '../../../lib/domain/records/queries.ts'
import { OptionalBoolean } from '../../../lib/platform/http/params.ts'

test.each([
  ['true', true],
  ['1', true],
  ['YES', true],
  ['false', false],
  ['0', false],
  ['No', false],
  ['', undefined],
  [undefined, undefined],
  ['2', undefined],
  // Every object has these members, and they say nothing.
  ['constructor', undefined],
  ['__proto__', undefined],
])('a switch that is sent as %j is %j', (sent, meant) => {
  expect(v.parse(OptionalBoolean, sent)).toBe(meant)
})

test.each(['', 'size', 'constructor', '__proto__'])('the ordering %j is that of the newest first', (ordering) => {
  expect(v.parse(RecordQuery, { ordering }).ordering).toEqual({ forward: false })
})
