import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { kindOfScope, kinds, schemaOf } from '../../../lib/domain/kinds/index.ts'
import { predicateOf } from '../../../lib/domain/kinds/predicates.ts'
import { recordFiles } from '../../bench/search/rows.ts'

const folder = join(import.meta.dirname, '../../../../shared/data')
const isHere = existsSync(folder)

const kindNames: Record<string, string> = { calendar_system: 'calendar', syncretic_relationship: 'syncretism' }
const kindOf = (row: Row) => {
  const kind = kindOfScope(kindNames[String(row.kind)] ?? String(row.kind))
  if (!kind) throw new Error(`No kind ${row.kind}`)
  return kind
}

/** What a row says of itself as a row: licence, file, how the name is written, which part of the source was read. */
const bookkeeping = new Set([
  ...['id', 'kind', 'name_script', 'license', 'license_url', 'attribution', 'redistributable', 'share_alike'],
  ...[
    'kg_class',
    'fields_seen',
    'coordinates_raw',
    'privacy_note',
    'construction_date_property_in_source',
    'contributed_by',
  ],
])

/** Members that go by another name in the service. */
const mapped: Record<string, string> = {
  same_as_in_source: 'same_as',
  supporting_source: 'assertion',
  confidence_score: 'assertion',
  supported_by_guthi_relation_hint: 'supported_by_institution',
}
const homeOf = (member: string) => mapped[member] ?? member.replace(/_relation_hint$/, '')

type Row = Record<string, unknown>
const rowsOf = (file: string): Row[] =>
  readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => v.parse(v.record(v.string(), v.unknown()), JSON.parse(line)))

const files = [...recordFiles, 'assertions', 'data_sources'].map((name) => `${name}.jsonl`)

describe.skipIf(!isHere)('real rows (skipped where the data is not there)', () => {
  test.each(files)('every member of %s has a home', (file) => {
    const homeless = new Set<string>()
    for (const row of rowsOf(file)) {
      const kind = kindOf(row)
      const members = Object.entries(kind.fields).flatMap(([name, field]) => [name, ...field.aliases])
      // What kinds without a review of their own were taken from is for the licence page.
      const origin = kind.record ? [] : ['name', 'source', 'source_url', 'source_citation']
      const homes = [...members, ...origin, 'assertion']
      for (const member of Object.keys(row)) {
        if (!bookkeeping.has(member) && !homes.includes(homeOf(member))) homeless.add(`${kind.key}.${member}`)
      }
    }
    expect([...homeless]).toEqual([])
  })

  test('rows are taken as they are, but for words that their vocabularies do not have', () => {
    const refused = new Set<string>()
    let taken = 0
    for (const row of files.flatMap(rowsOf)) {
      const kind = kindOf(row)
      if (kind === kinds.assertion) continue
      const { confidence_score: _, source: __, ...body } = row
      const result = v.safeParse(schemaOf(kind, 'create'), body)
      if (result.success) taken += 1
      for (const issue of result.issues ?? [])
        refused.add(`${kind.key}.${v.getDotPath(issue)}: ${row[String(issue.path?.[0]?.key)]}`)
    }
    expect([...refused].sort()).toEqual([
      'guthi.guthi_type: Devi_Guthi',
      'guthi.guthi_type: Manka_Guthi',
      'guthi.guthi_type: Nani_Guthi',
      'location.location_type: Cultural Landscape',
      'location.location_type: Sacred Site',
      'ritual.ritual_type: Diksha',
      'ritual.ritual_type: Puja',
      'ritual.ritual_type: Shraddha',
      'tradition.tradition_type: religious',
    ])
    expect(taken).toBeGreaterThan(850)
  })

  test('every relationship has a predicate', () => {
    for (const row of rowsOf('relationships.jsonl'))
      expect(predicateOf(String(row.predicate)), String(row.predicate)).toBeDefined()
  })
})
