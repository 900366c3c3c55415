import { expect, test } from 'vitest'
import { drawingOf } from '../../../lib/doors/iiif/request.ts'

const drawing = (size: string, image = { width: 6000, height: 2000 }) => {
  const { width, height } = drawingOf(image, { region: 'full', size, rotation: '0', file: 'default.jpg' })
  return [width, height]
}

test('a size by one side leaves the other at least one pixel', () => {
  expect(drawing('1,')).toEqual([1, 1])
  expect(drawing(',1')).toEqual([3, 1])
  expect(drawing(',1', { width: 2000, height: 6000 })).toEqual([1, 1])
  expect(drawing('300,')).toEqual([300, 100])
})

test('a size of nothing is refused', () => {
  for (const size of ['0,', ',0', '0,0', 'pct:0']) expect(() => drawing(size)).toThrow('The size is empty.')
})
