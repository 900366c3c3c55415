import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { kindOfScope } from '../../../lib/domain/kinds/index.ts'
import { type App, openApp } from '../../harness/app.ts'
import { contribute, flagsOf, publish } from '../../harness/make.ts'

const directory = join(import.meta.dirname, '../../../../shared/data')
const here = existsSync(directory)
if (!here) console.warn('skipped: the labelled pairs, since ../shared/data is not here')

let app: App
beforeAll(async () => {
  app = await openApp({ env: { LOG_LEVEL: 'silent' } })
})

type Made = { id: number; cultural_entity_id: string }

/** Contributes two records; answers what is said of the second. */
async function said(first: [string, object], second: [string, object]) {
  const made: Made = await contribute(app.contributor, ...first)
  const again: Made = await contribute(app.other, ...second)
  const flags = await flagsOf(again)
  return flags
    .filter((it) => it.flag_type === 'suspected_duplicate' && it.other_entity_id === made.cultural_entity_id)
    .map((it) => it.reason)
}

describe('one thing recorded twice', () => {
  test.each<[string, [string, object], [string, object], RegExp]>([
    ['with a title', ['persons', { name: 'Ranajit Malla' }], ['persons', { name: 'King Ranajit Malla' }], /same name/],
    ['with a remark', ['festivals', { name: 'Gunla' }], ['festivals', { name: 'Gunla (Gunla Dharma)' }], /same name/],
    ['by its remark', ['festivals', { name: 'Mohani (Dashain)' }], ['festivals', { name: 'Dashain' }], /same name/],
    ['as an event', ['festivals', { name: 'Yomari Punhi' }], ['events', { name: 'Yomari Punhi' }], /festival \d+/],
    [
      'as a monument, with and without the sort of thing',
      ['structures', { name: 'Ashok Thur' }],
      ['monuments', { name: 'Ashok Thur Stupa' }],
      /structure \d+/i,
    ],
    [
      'in other vowels',
      ['persons', { name: 'Jung Bahadur Kunwar' }],
      ['persons', { name: 'Jang Bahadur Kunwar' }],
      /same name/,
    ],
    [
      'with a descriptive tail, 230 m apart',
      ['structures', { name: 'Tilaurakot', coordinates: '27.5764, 83.0545' }],
      ['structures', { name: 'Tilaurakot, the Palace City of the Shakyas', coordinates: '27.5784, 83.0552' }],
      /same name/,
    ],
    [
      'under two names on one spot',
      ['structures', { name: 'Yetkha Stupa', coordinates: '27.70950, 85.30890' }],
      ['structures', { name: 'Dhwakha Chaitya', coordinates: '27.70952, 85.30891' }],
      /Close to/,
    ],
    [
      'with a link of identity, however it is written',
      ['deities', { name: 'Rudrayani', same_as: 'https://www.wikidata.org/wiki/Q999111' }],
      ['deities', { name: 'Shikali Mai', same_as: ['wd:Q999111'] }],
      /Identified/,
    ],
    [
      'with the id that another says it is the same as',
      ['deities', { name: 'Nala Bhagawati', identifier: 'wd:Q999112' }],
      ['deities', { name: 'Unmatta Bhagawati', same_as: ['https://wikidata.org/entity/Q999112'] }],
      /Identified/,
    ],
    [
      'as a calendar, by its era',
      ['calendar_systems', { name: 'Newar era', epoch_date_gregorian: '0879-10-20' }],
      ['calendar_systems', { name: 'Nepa Samvat', year_offset_from_gregorian: -880 }],
      /Identified/,
    ],
  ])('is seen %s', async (_how, first, second, reason) => {
    expect(await said(first, second)).toEqual([expect.stringMatching(reason)])
  })

  test.each<[string, [string, object], [string, object]]>([
    ['of another sort', ['structures', { name: 'Bhaju Pokhari' }], ['structures', { name: 'Bhaju Pati' }]],
    ['of another gender', ['deities', { name: 'Siddheshwor' }], ['deities', { name: 'Siddheshwori' }]],
    ['beginning otherwise', ['structures', { name: 'Sankhu Narayan' }], ['structures', { name: 'Isankhu Narayan' }]],
    ['in another town', ['structures', { name: 'Tripureshwar, Gaur' }], ['structures', { name: 'Tripureshwar, Doti' }]],
    ['with another number', ['events', { name: 'Earthquake 1833' }], ['events', { name: 'Earthquake 1934' }]],
    [
      'with a place in a remark',
      ['structures', { name: 'Karyabinayak (Khokana)' }],
      ['locations', { name: 'Khokana' }],
    ],
    [
      'with a bare number for an id',
      ['deities', { name: 'Ekajati', identifier: '12' }],
      ['deities', { name: 'Ugratara', identifier: '12' }],
    ],
    [
      'of another era',
      ['calendar_systems', { name: 'Shaka era', epoch_date_gregorian: '0078' }],
      ['calendar_systems', { name: 'Manadeva era', epoch_date_gregorian: '0576' }],
    ],
  ])('is not seen in something %s', async (_how, first, second) => {
    expect(await said(first, second)).toEqual([])
  })

  test('is not seen in the place that a record names as its own', async () => {
    const place: Made = await publish(app, 'locations', { name: 'Tusha Hiti' })
    const spout = await contribute(app.other, 'structures', { name: 'Tusha Hiti', has_current_location: place.id })
    expect(await flagsOf(spout)).toEqual([])
    const other = await contribute(app.other, 'structures', { name: 'Tusha Hiti' })
    expect((await flagsOf(other)).map((it) => it.other_entity_id)).toContain(place.cultural_entity_id)
  })
})

type Row = { id: string; kind: string; name: string } & Partial<Record<(typeof told)[number], unknown>>
type Conflict = {
  id: string
  conflict_type: string
  same_entity: unknown
  note?: string
  claims: { record_id: string }[]
}
const told = [
  'name_ne',
  'alternate_names',
  'coordinates',
  'epoch_date_gregorian',
  'year_offset_from_gregorian',
] as const
const rows = <T>(file: string): T[] =>
  readFileSync(join(directory, file), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

describe.runIf(here)('labelled pairs', () => {
  // A thing that is dated against another one is not one thing recorded twice.
  const labelled = here
    ? ['conflicts.jsonl', 'conflicts.osm.jsonl']
        .flatMap((file) => rows<Conflict>(file))
        .filter(
          (it) => new Set(it.claims.map((claim) => claim.record_id)).size > 1 && it.conflict_type !== 'anachronism',
        )
    : []

  test('nine of ten are seen, and no trap is taken for one thing', { timeout: 120_000 }, async () => {
    const files = readdirSync(directory).filter(
      (it) => it.endsWith('.jsonl') && !/^(conflicts|search|relation)/.test(it),
    )
    const known = new Map(files.flatMap((file) => rows<Row>(file)).map((row) => [row.id, row]))
    const wanted = [...new Set(labelled.flatMap((it) => it.claims.map((claim) => claim.record_id)))]
    const entities = new Map<string, string>()
    const pairs = new Set<string>()
    for (const id of wanted) {
      const row = known.get(id)
      const kind = kindOfScope(row?.kind === 'calendar_system' ? 'calendar' : (row?.kind ?? ''))
      if (!row || !kind?.record) continue
      const values = told.filter((it) => row[it] !== undefined).map((it) => [it, row[it]])
      const made: Made = await contribute(app.community, kind.segment, {
        name: row.name,
        ...Object.fromEntries(values),
      })
      entities.set(id, made.cultural_entity_id)
      for (const it of await flagsOf(made)) pairs.add(`${it.other_entity_id} ${made.cultural_entity_id}`)
    }
    const seen = ({ claims }: Conflict) => {
      const own = claims.flatMap((claim) => entities.get(claim.record_id) ?? [])
      return own.some((a) => own.some((b) => pairs.has(`${a} ${b}`)))
    }
    const one = labelled.filter((it) => it.same_entity === true || it.same_entity === 'probable')
    const traps = labelled.filter((it) => it.same_entity === false)
    const caught = one.filter(seen)
    const missed = one.filter((it) => !seen(it)).map((it) => it.id)
    console.log(`one thing: ${caught.length} of ${one.length} seen; missed ${missed.join(' ')}`)
    expect(traps.filter(seen).map((it) => it.id)).toEqual([])
    expect(traps.length).toBeGreaterThan(10)
    expect(caught.length / one.length).toBeGreaterThanOrEqual(0.9)
  })
})
