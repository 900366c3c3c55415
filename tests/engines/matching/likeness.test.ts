import { existsSync, readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { looksAlike, type NamedPlace, similarity } from '../../../lib/engines/matching/likeness.ts'

const here = { lat: 27.6715, lng: 85.429 }
const north = (metres: number) => ({ ...here, lat: here.lat + metres / 111_195 })
const thing = (name: string, metres?: number): NamedPlace => ({
  names: [name],
  ...(metres === undefined ? {} : { point: north(metres) }),
})

describe('looksAlike', () => {
  test.each<[string, NamedPlace, NamedPlace, ReturnType<typeof looksAlike>]>([
    ['equal names without coordinates', thing('Akala Devi'), thing('Akkala Devi'), 'same_name'],
    ['equal names where one has no coordinates', thing('Akala Devi', 0), thing('अकला देवी'), 'same_name'],
    ['equal names within 1 km', thing('Nyatapola', 0), thing('Nyatapola', 990), 'same_name'],
    ['equal names farther apart', thing('Nyatapola', 0), thing('Nyatapola', 1010), undefined],
    [
      'one name with a town, one without',
      thing('Kumari Ghar'),
      thing('Kumari Ghar (Kumari Bahal), Patan'),
      'same_name',
    ],
    ['the same name in two towns', thing('Rajdevi Temple, Gaur'), thing('Rajdevi Temple, Rajbiraj'), undefined],
    ['another name of the two agrees', { names: ['Boudha', 'Khasti'] }, { names: ['खास्ति'] }, 'same_name'],
    ['another sort of building, near', thing('Kapileshwar Temple', 0), thing('Kapileshwor Mahadev Math', 140), 'close'],
    [
      'another sort of building, farther',
      thing('Kapileshwar Temple', 0),
      thing('Kapileshwor Mahadev Math', 160),
      undefined,
    ],
    ['near names without coordinates', thing('Kapileshwar Temple'), thing('Kapileshwor Mahadev Math'), undefined],
    ['a typing slip, near', thing('Guhyeshwari', 0), thing('Guheshowari Mata', 30), 'close'],
    ['two museums side by side', thing('Birendra Museum', 0), thing('Mahendra Museum', 17), undefined],
    ['a generic name alone', thing('Shiva Mandir'), thing('Shiva Mandir'), undefined],
    ['a generic name in another place', thing('Shiva Mandir', 0), thing('शिव मन्दिर', 600), undefined],
    ['a generic name in one place', thing('Krishna Mandir', 0), thing('कृष्ण मन्दिर', 125), 'close'],
    ['stupas in a row', thing('Stone Stupa', 0), thing('Stone Stupa', 20), undefined],
    ['shrines of two deities in one yard', thing('Shiva Mandir', 0), thing('Durga Mandir', 10), undefined],
    ['a deity under its own name', thing('Bhairav'), thing('Bhairava'), 'same_name'],
    ['things without a name', { names: ['***'] }, { names: ['---', ''] }, undefined],
  ])('%s', (_rule, a, b, expected) => {
    expect(looksAlike(a, b)).toBe(expected)
    expect(looksAlike(b, a)).toBe(expected)
  })

  test('a thing with a name of its own is like itself, and far from none', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[bdgklmnrt][aeiou][bdgklmnrt]u[bdgkmnrt]i$/), (name) => {
        expect(looksAlike(thing(name, 0), thing(name, 0))).toBe('same_name')
      }),
    )
  })
})

describe('similarity', () => {
  test('a swap of neighbours counts once', () => {
    expect(similarity('mandap', 'madnap')).toBeCloseTo(5 / 6)
    expect(similarity('', '')).toBe(1)
    expect(similarity('abc', '')).toBe(0)
  })

  test('it does not depend on the order and is 1 only for equals', () => {
    const word = fc.string({ unit: fc.constantFrom(...'abc'), maxLength: 8 })
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(similarity(a, b)).toBe(similarity(b, a))
        expect(similarity(a, b) === 1).toBe(a === b)
      }),
    )
  })
})

const data = new URL('../../../../shared/data/', import.meta.url)
const absent = !existsSync(data)

type Row = { id: string; name: string; name_ne?: string; alternate_names?: string[]; coordinates?: string }
type Conflict = { conflict_type: string; same_entity: unknown; claims: { record_id: string }[] }

describe(`real records${absent ? ' (skipped: no data beside the project)' : ''}`, () => {
  const judged = [
    'name_variant',
    'coordinates',
    'duplicate_across_sources',
    'same_name_different_place',
    'near_but_different',
  ]

  test.skipIf(absent)('most pairs that are one thing look alike, and no trap does', () => {
    const files = readdirSync(data).filter((file) => file.endsWith('.jsonl'))
    const known = new Map(
      files
        .filter((file) => !/^(conflicts|search|relation)/.test(file))
        .flatMap((file) => rows<Row>(file).map((row) => [row.id, row])),
    )
    const pairs = files
      .filter((file) => file.startsWith('conflicts'))
      .flatMap((file) => rows<Conflict>(file))
      .filter(({ conflict_type }) => judged.includes(conflict_type))
      .flatMap(({ same_entity, claims }) => pairsOf(claims).map((ids) => ({ same_entity, ids })))
    const found = pairs.map(({ same_entity, ids }) => {
      const [a, b] = ids.map((id) => known.get(id))
      return { same_entity, seen: a && b ? looksAlike(thingOf(a), thingOf(b)) !== undefined : undefined }
    })
    const count = (same: boolean, seen: boolean) =>
      found.filter((it) => it.same_entity === same && it.seen === seen).length
    console.log(
      `one thing: ${count(true, true)} seen, ${count(true, false)} not; traps: ${count(false, true)} seen, ${count(false, false)} not`,
    )
    expect(count(false, true)).toBe(0)
    expect(count(false, false)).toBeGreaterThanOrEqual(10)
    expect(count(true, true) / (count(true, true) + count(true, false))).toBeGreaterThan(0.85)
  })
})

function rows<T>(file: string): T[] {
  return readFileSync(new URL(file, data), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

function pairsOf(claims: { record_id: string }[]): [string, string][] {
  const ids = claims.map(({ record_id }) => record_id)
  return ids.flatMap((a, at) => ids.slice(at + 1).map((b): [string, string] => [a, b]))
}

function thingOf(row: Row): NamedPlace {
  const names = [row.name, row.name_ne ?? '', ...(row.alternate_names ?? [])]
  const [lat, lng] = (row.coordinates ?? '').split(',').map(Number)
  return { names, point: lat !== undefined && lng !== undefined ? { lat, lng } : undefined }
}
