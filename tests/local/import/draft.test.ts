import { describe, expect, test } from 'vitest'
import { kindKeys, kinds } from '../../../lib/domain/kinds/index.ts'
import { confidenceOf, type Draft, draftOf } from '../../../local/commands/import/draft.ts'
import {
  bookkeeping,
  fieldOf,
  kindOfRow,
  rankOf,
  rowKinds,
  spellingOf,
} from '../../../local/commands/import/mappings.ts'
import type { Row } from '../../../local/commands/import/rows.ts'

function draft(row: Row, lenient = false): Draft {
  const made = draftOf(row, { lenient })
  if (Array.isArray(made)) throw new Error(JSON.stringify(made))
  return made
}

describe('the mappings', () => {
  test('rename to fields that the kind has', () => {
    const astray = rowKinds.flatMap((name) => {
      const mapping = spellingOf(name)
      if (!mapping) return [name]
      return Object.values(mapping.renamed).filter((field) => !fieldOf(kindOfRow(mapping), field))
    })
    expect(astray).toEqual([])
  })

  test('have a place in the order for every kind that rows make', () => {
    expect(kindKeys.filter((key) => key !== 'entity_cluster' && rankOf(key) < 0)).toEqual([])
  })

  test('keep no field of a kind as mere bookkeeping', () => {
    expect(bookkeeping.filter((member) => Object.values(kinds).some((kind) => fieldOf(kind, member)))).toEqual([])
  })
})

describe('a row', () => {
  const row: Row = {
    id: 'wd:Q1',
    kind: 'structure',
    name: 'A temple',
    name_script: 'Latn',
    coordinates: '27.7,85.3',
    deities: ['kg:deity/x', 'Ganesh'],
    confidence_score: 0.85,
    same_as_in_source: 'wd:Q2',
    source: 'Wikidata',
    source_url: 'https://www.wikidata.org/wiki/Q1',
    license: 'CC0-1.0',
    redistributable: true,
  }

  test('gives its id as the identifier, its members as fields', () => {
    expect(draft(row).values).toEqual({
      identifier: 'wd:Q1',
      name: 'A temple',
      coordinates: '27.7,85.3',
      same_as: 'wd:Q2',
    })
    expect(draft(row).references).toEqual([
      { member: 'deities', as: 'deities', to: 'deity', given: ['kg:deity/x', 'Ganesh'], many: true },
    ])
  })

  test('has its source in the assertion block, and all else that is said about it in the note there', () => {
    expect(draft(row).assertion).toEqual({
      source_type: 'web',
      source_citation: 'Wikidata',
      source_url: 'https://www.wikidata.org/wiki/Q1',
      confidence: 'likely',
      data_quality_note: 'name_script: Latn\nlicense: CC0-1.0\nredistributable: true\nconfidence_score: 0.85',
    })
  })

  test('with a block of its own keeps that, and what it outranks', () => {
    const block = { source_type: 'published', source_citation: 'A book', confidence: 'certain', page: 7 }
    expect(draft({ ...row, assertion: block, source_citation: 'A list' }).assertion).toEqual({
      source_type: 'published',
      source_citation: 'A book',
      source_url: 'https://www.wikidata.org/wiki/Q1',
      confidence: 'certain',
      data_quality_note:
        'name_script: Latn\nlicense: CC0-1.0\nredistributable: true\nsource: Wikidata\nsource_citation: A list\nconfidence_score: 0.85\nassertion.page: 7',
    })
  })

  test('with a member that has no home is an error', () => {
    expect(draftOf({ ...row, wings: 2 }, { lenient: false })).toEqual([
      { member: 'wings', reason: 'Rows of the kind structure have no home for this member.' },
    ])
  })

  test('with a member that has no home keeps it aside when the run is lenient', () => {
    expect(draft({ ...row, wings: 2 }, true).asides).toEqual([
      { member: 'wings', value: '2', reason: 'Rows of the kind structure have no home for this member.' },
    ])
  })

  test('does not publish the address of a person', () => {
    const claim: Row = { id: 't:1', kind: 'assertion', name: 'A claim', contributed_by: 'someone@example.org' }
    expect(draft(claim).assertion.data_quality_note).toBe('contributed_by: someone')
    expect(draft(claim).values.identifier).toBe('t:1')
    expect(draft(claim).asides).toEqual([
      expect.objectContaining({ member: 'contributed_by', value: 'someone@example.org', private: true }),
    ])
  })
})

test('a score becomes a confidence', () => {
  expect([1, 0.9, 0.89, 0.6, 0.59, 0.3, 0.29, 0].map(confidenceOf)).toEqual([
    'certain',
    'certain',
    'likely',
    'likely',
    'uncertain',
    'uncertain',
    'speculative',
    'speculative',
  ])
})

describe('what a row says of its source', () => {
  const listed: Row = {
    id: 'unesco:changu-narayan',
    kind: 'structure',
    name: 'Changu Narayan',
    construction_date: '1979',
    construction_date_property_in_source: 'date of inception (Wikidata P571 / WHC inscription)',
    confidence_score: 0.95,
    source: 'UNESCO World Heritage Centre (via HeritageGraph KG unesco.ttl)',
  }

  test('keeps the year of entry into a list aside: it is no year of construction', () => {
    expect(draft(listed).values).not.toHaveProperty('construction_date')
    expect(draft(listed).asides).toEqual([
      {
        member: 'construction_date',
        value: '1979',
        reason: 'Its source gives the year of entry into a list here, not of construction.',
      },
    ])
    const built = { ...listed, construction_date_property_in_source: 'date of construction' }
    expect(draft(built).values).toHaveProperty('construction_date', '1979')
  })

  test.each([
    ['UNESCO World Heritage Centre (via HeritageGraph KG unesco.ttl)', 'published'],
    ['UNESCO World Heritage Centre', 'published'],
    ['Photographs of UNESCO sites', 'web'],
    ['A curated intangible blog', 'web'],
  ])('gives %s the type %s, by its whole name', (source, type) => {
    expect(draft({ ...listed, source }).assertion.source_type).toBe(type)
  })
})
