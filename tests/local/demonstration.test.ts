import { expect, test } from 'vitest'
import { kindKeys } from '../../lib/domain/kinds/index.ts'
import { foundations } from '../../local/commands/demo/foundations.ts'
import { happenings } from '../../local/commands/demo/happenings.ts'
import { last, things } from '../../local/commands/demo/things.ts'
import { rankOf, spellingOf } from '../../local/commands/import/mappings.ts'

const rows = [...foundations, ...things, ...happenings, last]

test('the demonstration set has records of every kind that contributors make', () => {
  const shown = new Set(rows.map((row) => spellingOf(row.kind)?.kind))
  // Clusters are made by curators from records that are there.
  expect(
    kindKeys.filter((key) => key !== 'entity_cluster' && !shown.has(key)),
    'add a record to local/commands/demo/foundations.ts, things.ts or local/commands/demo/happenings.ts, and its kind to local/commands/import/mappings.ts',
  ).toEqual([])
})

test('the import knows the order of every kind: what others name comes first', () => {
  expect(
    kindKeys.filter((key) => key !== 'entity_cluster' && rankOf(key) < 0),
    'add the kind to `order` in local/commands/import/mappings.ts',
  ).toEqual([])
})
