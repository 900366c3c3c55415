import { readFileSync } from 'node:fs'
import { once } from '../../../../lib/base/once.ts'
import type { Judged } from '../ndcg.ts'
import type { Row } from '../rows.ts'

/**
 * A region of another country: 358 records of the Kaveri delta and its neighbours, in `delta.txt`, and thirty judged questions. The sentences are our own.
 * A line that begins with @ names a kind and its columns; each line below it is a record.
 */
const file = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

/** The thirty questions. */
export const regionQuestions = once((): readonly Judged[] => JSON.parse(file('questions.json')).questions)

/** The records, as rows of the importer. */
export const regionRows = once((): Row[] => {
  const rows: Row[] = []
  let [kind = '', ...columns]: string[] = []
  for (const line of file('delta.txt').split('\n').filter(Boolean)) {
    const cells = line
      .replace(/^@/, '')
      .split('|')
      .map((cell) => cell.trim())
    if (line.startsWith('@')) [kind = '', ...columns] = cells
    else if (kind === 'village') rows.push(...village(cells, rows))
    else rows.push(rowOf(kind, columns, cells))
  }
  return rows
})

/** Members that hold several values. */
const several = ['alternate_names', 'occupation', 'associated_materials', 'religious_tradition', 'dedicated_to']

function rowOf(kind: string, columns: readonly string[], cells: readonly string[]): Row {
  const filled = columns.flatMap((column, i) => {
    const cell = cells[i] ?? ''
    if (cell === '') return []
    return [[column, several.includes(column) ? cell.split(';').map((one) => one.trim()) : cell]]
  })
  const row = Object.fromEntries(filled)
  return { ...row, id: idOf(row.id), kind, name: row.name }
}

const idOf = (id: string) => `KD-${id.toUpperCase()}`

/** A village is two records: the place, and the shrine of its guardian. */
function village(cells: readonly string[], before: readonly Row[]): Row[] {
  const [id = '', name = '', tamil = '', coordinates = '', guardian = '', note = ''] = cells
  const deity = before.find((row) => row.kind === 'deity' && row.name === guardian)
  const [guardianTamil] = Array.isArray(deity?.alternate_names) ? deity.alternate_names : []
  return [
    {
      ...{ id: idOf(`${id}-place`), kind: 'location', name, alternate_names: [tamil] },
      ...{ coordinates, description: 'A village.' },
    },
    {
      ...{ id: idOf(id), kind: 'structure', name: `${guardian} Kovil, ${name}` },
      ...{ alternate_names: [`${tamil} ${guardianTamil} கோயில்`], structure_type: 'Temple' },
      ...{ location_name: name, coordinates, dedicated_to: [guardian], description: note },
    },
  ]
}
