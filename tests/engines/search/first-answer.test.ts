import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { SearchDocument } from '../../../lib/engines/search/document.ts'
import { buildSnapshot } from '../../../lib/engines/search/index/build.ts'
import { openSnapshotFile } from '../../../lib/engines/search/index/snapshot-file.ts'
import { stemOf } from '../../../lib/engines/search/index/words.ts'
import { Corpus } from '../../../lib/engines/search/model/corpus.ts'
import { createModel } from '../../../lib/engines/search/model/engine.ts'
import { documentOf } from '../../harness/search-documents.ts'

/** What stands first, and why: a rule, a question, its answer, and what must stand behind it or be absent. */
const directory = mkdtempSync(join(tmpdir(), 'heritage-first-'))
afterAll(() => rmSync(directory, { recursive: true }))

const patan = { lat: 27.6727, lng: 85.3249 }
const far = { lat: 28.85, lng: 81.72 }
type Row = string | [title: string, also: Partial<SearchDocument>]
const rules: readonly (readonly [rule: string, question: string, first: string, others: readonly Row[]])[] = [
  [
    'another word for the sort',
    'Rato Machhindranath festival (Bunga Dyah Jatra)',
    'Rato Machhindranath Jatra (Bunga Dyah Jatra)',
    [['Bunga Dyah (Rato Machhindranath) Jatra Guthi', { popularity_score: 5 }]],
  ],
  [
    'a sign that is being typed begins one more word',
    'Pashupatinath T',
    'Pashupatinath Temple',
    [['Pashupatinath', { popularity_score: 20 }]],
  ],
  [
    'what cannot begin a question begins a name',
    'bata Durga Mandir',
    'Bhata Durga Mandir',
    ['Durga Mandir', 'Durga Temple'],
  ],
  [
    'than is a shrine where nothing is compared',
    'Than temple',
    'Ghatal Than temple',
    ['Temple', 'temple', 'Old Temple'],
  ],
  ['a word that stands nowhere is no word that sounds apart', 'Whels', 'Wheels', ['Ihi (Bel Bibaha)']],
  [
    'an ending that a name has',
    'पाटनको कृष्ण ममन्दिर',
    'पाटनको कृष्ण मन्दिर',
    [['कृष्ण मन्दिर', { point: patan, summary: 'पाटन', popularity_score: 8 }]],
  ],
  ['another place at the end is another name', 'Ram Mandir in Lalitpur', 'Ram Mandir', ['Ram Mandir, Janakpur']],
  [
    'what holds the letters of a town is elsewhere',
    'Shiv Mandir Patan',
    'Shiv mandir',
    ['OM Shiva Mandir Dhungepatan'],
  ],
  [
    'everything stands in Nepal',
    'Boudhanath Nepal',
    'Boudhanath',
    [['Boudhanath Stupa', { summary: 'The largest stupa of Nepal.' }]],
  ],
]

test.each([
  ['तामा', 'तामा'],
  ['घरमा', 'घर'],
  ['काठमाडौंका', 'काठमाडौं'],
])('of %s %s is left without endings', (word, stem) => {
  expect(stemOf(word)).toBe(stem)
})

let numbers = 0
const document = (row: Row): SearchDocument => {
  const [title, also] = typeof row === 'string' ? [row, {}] : row
  return documentOf(++numbers, title, also)
}

/** Names that a question has nothing to do with, so that its words are as rare as they are among others. */
const crowd = [
  ...['Nyatapola', 'Budhanilkantha', 'Dakshinkali', 'Patan Museum', 'Patan Durbar', 'Rani Pokhari', 'Tusha Hiti'],
  ...['Lalitpur Hall', 'Janakpur Mela', 'Changu Narayan', 'Indra Chowk', 'Asan Bazaar', 'Kumari Ghar', 'Siddha Cave'],
]

async function askedOf(rows: readonly Row[], question: string) {
  const path = join(directory, `${++numbers}.sqlite`)
  await buildSnapshot(path, rows.map(document), 0)
  const corpus = new Corpus(openSnapshotFile(path))
  const model = createModel(corpus, { text: 0.8, recency: 0.15, popularity: 0.05 }, () => 'state')
  const scope = { signedIn: false, everything: false, own: null }
  const { hits } = await model.search({ text: question, scope, limit: 20 })
  corpus.close()
  return hits.map(({ title }) => title)
}

test.each(rules)('%s: %s', async (_, question, first, others) => {
  expect((await askedOf([...others, first, ...crowd], question))[0]).toBe(first)
})

test('a place narrows what is asked for in the plural, and only tells namesakes apart beside a name', async () => {
  const elsewhere: Row[] = Array.from({ length: 5 }, () => ['Shiva Temple', { point: far }])
  const there: Row = ['Shilu Mahadev Temple', { point: patan }]
  const rows = [...elsewhere, there, ...crowd]
  expect((await askedOf(rows, 'shiva temples in patan'))[0]).toBe('Shilu Mahadev Temple')
  expect((await askedOf(rows, 'shiva temple patan'))[0]).toBe('Shiva Temple')
})
