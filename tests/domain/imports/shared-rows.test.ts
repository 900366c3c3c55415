import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Kind } from '../../../lib/domain/kinds/index.ts'
import {
  addresses,
  bookkeeping,
  fieldOf,
  kindOfRow,
  provenance,
  spellingOf,
} from '../../../local/commands/import/mappings.ts'
import { type App, openApp } from '../../harness/app.ts'
import { readTable, xlsx } from '../../harness/imports.ts'

/** Rows that were gathered for this service, beside the project. */
const DATA = join(import.meta.dirname, '../../../../shared/data')
const isThere = existsSync(DATA)
if (!isThere) console.warn(`Skipped: there are no shared rows at ${DATA}.`)

type Row = Record<string, unknown> & { kind?: string }
/** The rows of all files, by their kind. */
function rowsByKind(): Map<string, Row[]> {
  const files = isThere ? readdirSync(DATA).filter((it) => it.endsWith('.jsonl')) : []
  const rows = files.flatMap((file) =>
    readFileSync(join(DATA, file), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line): Row => JSON.parse(line)),
  )
  const kinds = Object.entries(Object.groupBy(rows, (it) => it.kind ?? ''))
  // Claims about records that have ids in their files only are no table of things.
  return new Map(kinds.flatMap(([kind, all = []]) => (isThing(kind) ? [[kind, all]] : [])))
}
function isThing(kind: string): boolean {
  const mapping = spellingOf(kind)
  return mapping !== undefined && mapping.kind !== 'assertion' && mapping.kind !== 'data_source'
}

let app: App
beforeAll(async () => {
  app = await openApp({ env: { RATE_IMPORTS: '1000/day' } })
})

/** What a cell of a spreadsheet holds of a value. */
const cellOf = (value: unknown): string | number | boolean | null => {
  if (Array.isArray(value)) return value.map(String).join('; ')
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  return typeof value === 'number' || typeof value === 'boolean' ? value : value === undefined ? null : String(value)
}

/** What the import of JSON Lines takes a member of these rows for; null where it is no field of the kind. */
function meant(kind: Kind, rowKind: string, member: string): string | null {
  const mapping = spellingOf(rowKind)
  const as = mapping?.renamed[member] ?? member
  if (member === 'id') return kind.fields.identifier ? 'identifier' : null
  if (member === 'kind' || bookkeeping.includes(member) || addresses.includes(member)) return null
  if (mapping?.own?.includes(member)) return null
  const field = fieldOf(kind, as)
  const name = Object.entries(kind.fields).find(([, it]) => it === field)?.[0]
  const isProvenance = provenance.some((it) => it === member)
  if (isProvenance && member === 'source') return 'assertion.source_citation'
  if (isProvenance && !['supporting_source', 'confidence_score'].includes(member))
    return name === member ? name : `assertion.${member}`
  return isProvenance ? null : (name ?? null)
}

describe.runIf(isThere)('the shared rows as workbooks', () => {
  test.each([...rowsByKind().keys()])('%s: nine of ten columns are taken for what they are', async (rowKind) => {
    const rows = rowsByKind().get(rowKind) ?? []
    const mapping = spellingOf(rowKind)
    if (!mapping) throw new Error(rowKind)
    const kind = kindOfRow(mapping)
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
    const cells = rows.slice(0, 2000).map((row) => columns.map((name) => cellOf(row[name])))
    const it = await readTable(app.contributor, 'table.xlsx', await xlsx([columns, ...cells]))
    expect([it.failed, it.mapping.kind]).toEqual([null, kind.key])
    const guessed = new Map<string, string | null>(
      it.columns.map((each: { name: string; guess: string | null }) => [each.name, each.guess]),
    )
    const wrong = columns.filter((name) => {
      const [is, should] = [guessed.get(name) ?? null, meant(kind, rowKind, name)]
      // A source may be cited by the record's own field as well as by the claim's.
      return is !== should && !(should?.startsWith('assertion.') && is === should.replace('assertion.', ''))
    })
    const told = wrong.map((name) => `${name}: ${guessed.get(name)} for ${meant(kind, rowKind, name)}`)
    expect(1 - wrong.length / columns.length, told.join('; ')).toBeGreaterThanOrEqual(0.9)
  })
})
