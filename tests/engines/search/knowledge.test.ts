import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SearchDocument } from '../../../lib/engines/search/document.ts'
import { buildSnapshot } from '../../../lib/engines/search/index/build.ts'
import { openSnapshotFile } from '../../../lib/engines/search/index/snapshot-file.ts'
import { Corpus } from '../../../lib/engines/search/model/corpus.ts'
import { createModel } from '../../../lib/engines/search/model/engine.ts'
import { documentOf } from '../../harness/search-documents.ts'

/** What the documents tell of names, places and times is known to the next question: no list of places or gods is needed. */

const directory = mkdtempSync(join(tmpdir(), 'heritage-knowledge-'))
afterAll(() => rmSync(directory, { recursive: true }))

const centre = { lat: 20, lng: 80 }
const east = (kilometres: number) => ({ lat: 20, lng: 80 + kilometres / 104.6 })
const years = (from: number, to = from) => ({ from, to, approximate: false })
let numbers = 0
const document = (title: string, also: Partial<SearchDocument> = {}) => documentOf(++numbers, title, also)

const things = [
  document('Lamp Temple', { point: east(0.2), years: years(1250) }),
  document('Flute Temple', { point: east(0.7), years: years(1320) }),
  document('Drum Temple', { point: east(40), years: years(1290), text: 'Built for Ovaru.' }),
  document('Rope Bridge', { point: east(0.3) }),
]
const tasvir = document('Tasvir', { resource: 'locations', names: ['Qorvan', 'თასვირი'], point: centre })
const ovaru = document('Ovaru', { resource: 'deities', names: ['Lord of Storms', 'Mellu'] })
const era = document('Vendar Era', { resource: 'historical_periods', years: years(1280, 1330) })

const anon = { signedIn: false, everything: false, own: null }
const member = { signedIn: true, everything: false, own: null }
const path = join(directory, 'model.sqlite')
let corpus: Corpus
beforeAll(async () => {
  await buildSnapshot(path, things, 0)
  corpus = new Corpus(openSnapshotFile(path))
})
const ask = (text: string, scope = anon) =>
  createModel(corpus, { text: 0.8, recency: 0.15, popularity: 0.05 }, () => 'state').search({ text, scope, limit: 20 })
const titles = async (text: string, scope = anon) =>
  (await ask(text, scope)).hits.filter(({ resource }) => resource === 'structures').map(({ title }) => title)

describe('a document that was added a moment ago', () => {
  test('is a place by each of its names, in any script', async () => {
    expect((await ask('temples in qorvan')).left_out).toEqual(['in', 'qorvan'])
    corpus.apply(tasvir)
    for (const name of ['tasvir', 'Qorvan', 'თასვირი'])
      expect((await titles(`temples in ${name}`)).toSorted(), name).toEqual(['Flute Temple', 'Lamp Temple'])
    expect((await titles('qorvan temples')).slice(0, 2).toSorted()).toEqual(['Flute Temple', 'Lamp Temple'])
    expect((await ask('qorvan temples')).interpreted).toEqual([
      { key: 'place:qorvan', text: 'qorvan', as: 'place', value: 'Tasvir' },
      { key: 'sort:temples', text: 'temples', as: 'sort', value: 'Temple' },
    ])
    expect(await titles('temples outside qorvan')).toEqual(['Drum Temple'])
  })

  test('is a deity by each of its names', async () => {
    corpus.apply(ovaru)
    expect((await titles('mellu temples'))[0]).toBe('Drum Temple')
    expect((await titles('temples of the lord of storms'))[0]).toBe('Drum Temple')
    expect((await titles('temples not of mellu')).toSorted()).toEqual(['Flute Temple', 'Lamp Temple'])
  })

  test('is a time by its years, with or without the word for it', async () => {
    corpus.apply(era)
    for (const text of ['temples of the vendar era', 'vendar temples'])
      expect((await titles(text)).slice(0, 2).toSorted(), text).toEqual(['Drum Temple', 'Flute Temple'])
  })

  test('is no more known once it is gone, and another name counts at once', async () => {
    corpus.apply({ ...tasvir, names: ['Melbarg'], version: 2 })
    expect((await ask('qorvan temples')).interpreted).toMatchObject([{ text: 'temples', as: 'sort', value: 'Temple' }])
    expect((await titles('temples in melbarg')).toSorted()).toEqual(['Flute Temple', 'Lamp Temple'])
    corpus.apply({ id: tasvir.id, gone: true, version: 3 })
    expect((await ask('temples in melbarg')).left_out).toEqual(['in', 'melbarg'])
  })

  test('lends its names to nobody who may not see it', async () => {
    corpus.apply({ ...tasvir, access_tier: 'restricted', version: 4 })
    expect((await ask('temples in qorvan')).left_out).toEqual(['in', 'qorvan'])
    expect(JSON.stringify((await ask('qorvan temples')).interpreted)).not.toContain('Tasvir')
    expect((await titles('temples in qorvan', member)).toSorted()).toEqual(['Flute Temple', 'Lamp Temple'])
  })
})

test('a snapshot with changes knows what a snapshot of all of it knows', async () => {
  const all = [...things, tasvir, ovaru, era]
  const whole = join(directory, 'whole.sqlite')
  await buildSnapshot(whole, all, 0)
  const model = createModel(new Corpus(openSnapshotFile(whole)), { text: 1, recency: 0, popularity: 0 }, () => 'state')
  const changed = new Corpus(openSnapshotFile(path))
  for (const one of [tasvir, ovaru, era]) changed.apply(one)
  const other = createModel(changed, { text: 1, recency: 0, popularity: 0 }, () => 'state')
  for (const text of ['temples in qorvan', 'mellu temples', 'vendar temples']) {
    const [a, b] = await Promise.all([model, other].map((it) => it.search({ text, scope: anon, limit: 9 })))
    expect(b?.hits.map(({ id, score }) => [id, score])).toEqual(a?.hits.map(({ id, score }) => [id, score]))
  }
})
