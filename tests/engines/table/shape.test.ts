import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { defineItem, parse, put, read } from '../../../lib/engines/table/item.ts'
import { shapeOf } from '../../../lib/engines/table/shape.ts'

const schema = v.object({
  id: v.string(),
  sort: v.optional(v.picklist(['a', 'b']), 'a'),
  many: v.optional(v.array(v.object({ n: v.number() })), []),
  version: v.number(),
})
const at = { key: ({ id }: { id: string }) => ({ pk: id, sk: 'HEAD' }) }
const thing = defineItem({ type: 'thing', schema, ...at })
const written = (id = '1') => put(thing, { id, sort: 'b', many: [], version: 1 }, undefined).action.Put?.Item ?? {}

describe('the shape of an item', () => {
  it('lets an item of today be taken as it is, without what is not its own', () => {
    const stored = { ...written(), request_id: 'x', gsi1_pk: 'y' }
    expect(parse(thing, stored)).toEqual({ id: '1', sort: 'b', many: [], version: 1 })
  })

  it('has an item of another shape, or of none, completed by the defaults, and refused where that does not help', () => {
    for (const shape of ['earlier', undefined]) {
      const stored = { pk: '1', sk: 'HEAD', type: 'thing', id: '1', version: 3, shape }
      expect(parse(thing, stored)).toEqual({ id: '1', sort: 'a', many: [], version: 3 })
      expect(() => parse(thing, { ...stored, sort: 'c' })).toThrow()
    }
  })

  it('reads a part of an item by a schema of its own, of today and of before', () => {
    const part = v.pick(schema, ['id', 'sort'])
    expect(read(part, thing, written())).toEqual({ id: '1', sort: 'b' })
    expect(read(part, thing, { id: '1' })).toEqual({ id: '1', sort: 'a' })
  })

  it.each([
    ['another member', v.object({ ...schema.entries, more: v.optional(v.string(), '') })],
    ['another default', v.object({ ...schema.entries, sort: v.optional(v.picklist(['a', 'b']), 'b') })],
    ['another choice', v.object({ ...schema.entries, sort: v.optional(v.picklist(['a', 'c']), 'a') })],
    [
      'another member within',
      v.object({ ...schema.entries, many: v.optional(v.array(v.object({ m: v.number() })), []) }),
    ],
    ['another type', v.object({ ...schema.entries, id: v.number() })],
  ])('is another one with %s', (_, other) => {
    expect(shapeOf(other).mark).toMatch(/^[\w-]{8}$/)
    expect(shapeOf(other).mark).not.toBe(shapeOf(schema).mark)
  })

  it('is the same for the same schema', () => {
    expect(shapeOf(v.object({ ...schema.entries })).mark).toBe(shapeOf(schema).mark)
  })

  it('is none where a schema checks or changes what is there, so that is always done', () => {
    const trimmed = v.object({ id: v.pipe(v.string(), v.trim()), version: v.number() })
    expect(shapeOf(trimmed).mark).toBeUndefined()
    const item = defineItem({ type: 'trimmed', schema: trimmed, ...at })
    const stored = put(item, { id: ' 1 ', version: 1 }, undefined).action.Put?.Item
    expect(parse(item, stored)).toEqual({ id: '1', version: 1 })
    expect(shapeOf(v.object({ at: v.optional(v.number(), () => 1), version: v.number() })).mark).toBeUndefined()
  })
})
