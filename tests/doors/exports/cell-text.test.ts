import { expect, test } from 'vitest'
import { cellText } from '../../../lib/domain/cell-text.ts'
import { kinds } from '../../../lib/domain/kinds/index.ts'

test('a picture is the same cell whatever the order in which its members were read', () => {
  const field = Object.values(kinds.structure.fields).find(({ type }) => type === 'media')
  if (!field) throw new Error('structures have no pictures')
  const said = { id: 'p1', caption: 'The gate', creator: 'Dev', licence: 'CC0-1.0', date: '1991', face: true as const }
  const measured = { height: 2, media_type: 'image/png', width: 3 }
  const backwards = Object.fromEntries(Object.entries({ ...measured, ...said }).reverse())
  expect(cellText(field, [backwards])).toBe(JSON.stringify([said]))
})
