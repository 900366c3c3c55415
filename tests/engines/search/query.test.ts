import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { recordId } from '../../../lib/base/ids/address.ts'
import type { SearchDocument } from '../../../lib/engines/search/document.ts'
import { buildSnapshot } from '../../../lib/engines/search/index/build.ts'
import { openSnapshotFile } from '../../../lib/engines/search/index/snapshot-file.ts'
import { Corpus } from '../../../lib/engines/search/model/corpus.ts'
import { createModel } from '../../../lib/engines/search/model/engine.ts'
import type { Model, SearchQuery } from '../../../lib/engines/search/query.ts'
import { sortOrders } from '../../../lib/engines/search/query.ts'
import { documentOf } from '../../harness/search-documents.ts'

const directory = mkdtempSync(join(tmpdir(), 'heritage-query-'))
afterAll(() => rmSync(directory, { recursive: true }))

const weights = { text: 0.8, recency: 0.15, popularity: 0.05 }
let files = 0
async function corpusOf(documents: readonly SearchDocument[]): Promise<Corpus> {
  const path = join(directory, `${++files}.sqlite`)
  await buildSnapshot(path, documents, 0)
  return new Corpus(openSnapshotFile(path))
}
const modelFor = (corpus: Corpus): Model => createModel(corpus, weights, () => 'state')

let numbers = 0
const document = (title: string, also: Partial<SearchDocument> = {}): SearchDocument =>
  documentOf(++numbers, title, { contributor_id: 'maya', ...also })
const anon = { signedIn: false, everything: false, own: null }
const staff = { signedIn: true, everything: true, own: 'staff' }
const signedIn = (own: string) => ({ signedIn: true, everything: false, own })
const ask = (text: string, also: Partial<SearchQuery> = {}): SearchQuery => ({ text, scope: anon, limit: 20, ...also })
const titles = async (model: Model, text: string, also: Partial<SearchQuery> = {}) =>
  (await model.search(ask(text, also))).hits.map(({ title }) => title)

const shelf = [
  document('Budhanilkantha Temple', { names: ['बूढानीलकण्ठ मन्दिर'], summary: 'A sleeping Vishnu in a pond.' }),
  document('Changu Narayan', { summary: 'The oldest temple of Vishnu in the valley.' }),
  document('Ichangu Narayan Temple'),
  document('Maya Devi Temple', { names: ['Mayadevi'] }),
  document('Kasthamandap', { text: 'Read from a plate: Sahasra Sundara Anjali.' }),
  document('Pashupatinath', { names: ['पशुपतिनाथ'] }),
  document('Shivalaya'),
  document('Rato Machhindranath Jatra', { resource: 'festivals' }),
  document('Arniko', { resource: 'persons', names: ['Araniko', 'Balabahu'] }),
  document('Swotha Narayan'),
]

describe('words', async () => {
  const model = modelFor(await corpusOf(shelf))
  test.each([
    ['the name as it is', 'Budhanilkantha Temple', 'Budhanilkantha Temple'],
    ['other letter case', 'bUDHANILKANTHA', 'Budhanilkantha Temple'],
    ['Devanagari', 'बूढानीलकण्ठ', 'Budhanilkantha Temple'],
    ['Devanagari in another spelling', 'बुढानिलकन्ठ मंदिर', 'Budhanilkantha Temple'],
    ['Devanagari for a name in Latin', 'चाँगु नारायण', 'Changu Narayan'],
    ['a scholarly transcription', 'Paśupatināth', 'Pashupatinath'],
    ['another order', 'Narayan Changu', 'Changu Narayan'],
    ['a beginning', 'Kastha', 'Kasthamandap'],
    ['a part within a word', 'thamand', 'Kasthamandap'],
    ['a letter too few', 'Kastamndap', 'Kasthamandap'],
    ['a letter too many', 'Kasthamanddap', 'Kasthamandap'],
    ['a wrong letter', 'Pashupstinath', 'Pashupatinath'],
    ['two letters swapped', 'Shivalyaa', 'Shivalaya'],
    ['a slip in a word of three letters', 'Muya Devi', 'Maya Devi Temple'],
    ['words written together', 'Ratomachhindranath', 'Rato Machhindranath Jatra'],
    ['words written apart', 'Pashupati nath', 'Pashupatinath'],
    ['an alternate name', 'Balabahu', 'Arniko'],
    ['the same thing in the other language', 'Maya Devi Mandir', 'Maya Devi Temple'],
    ['a word too many', 'Changu Narayan Sanctuary', 'Changu Narayan'],
    ['marks and spaces', '  «Changu»—Narayan!! ', 'Changu Narayan'],
    ['text read from a picture', 'Sahasra Sundara', 'Kasthamandap'],
    ['a beginning with a slip', 'Kashtam', 'Kasthamandap'],
    ['a beginning with letters swapped', 'Budhnaik', 'Budhanilkantha Temple'],
    ['a beginning in Devanagari', 'बूढानील', 'Budhanilkantha Temple'],
    ['a slip of a syllable in Devanagari', 'पशुनाथ', 'Pashupatinath'],
    ['two syllables swapped in Devanagari', 'पशुपनातिथ', 'Pashupatinath'],
    ['both scripts', 'Maya देवी', 'Maya Devi Temple'],
    ['a question', 'where is the Ichangu Narayan Temple?', 'Ichangu Narayan Temple'],
    ['a question in Nepali', 'काष्ठमण्डप कहाँ छ', 'Kasthamandap'],
    ['an honour that the name lacks', 'Shree Ichangu Narayan', 'Ichangu Narayan Temple'],
    ['a place that the name lacks', 'Budhanilkantha Temple Kathmandu', 'Budhanilkantha Temple'],
    ['an ending that the name has', 'Pashupati', 'Pashupatinath'],
    ['an ending that the name lacks', 'Budhanilkanthadevi', 'Budhanilkantha Temple'],
  ])('%s: %s', async (_, typed, title) => {
    expect((await titles(model, typed))[0]).toBe(title)
  })

  test.each([
    ['सिंहदरबार', 'Singha Durbar'],
    ['तेबहाल', 'Te Bahal'],
    ['उमामहेश्वर', 'Uma Maheshwar'],
    ['Ākāśabhairava', 'Aakash Bhairab'],
    ['Jayavāgīśvarī', 'Jaya Bageshwari'],
    ['नवदुर्गा', 'Nava Durga'],
    ['Ugratārā', 'Ugra Tara'],
    ['सरस्वती', 'Swarshoti'],
    ['कृष्ण मन्दिर', 'Krishana Mandir'],
  ])('a name in two ways of writing, each found by the other: %s, %s', async (one, other) => {
    for (const [typed, title] of [[one, other] as const, [other, one] as const])
      expect((await titles(await modelWith([...shelf, document(title)]), typed))[0]).toBe(title)
  })

  test('the beginning of a last word may be a small word: Ra of Rajaul', async () => {
    const it = await modelWith([document('Durga Mandir'), document('Durga Mandir Rajaul'), document('Rana Mandir')])
    expect((await titles(it, 'Durga Mandir Ra'))[0]).toBe('Durga Mandir Rajaul')
  })

  test('a name is not taken for a small word that it only sounds like', async () => {
    const it = await modelWith([document('Mandir'), document('Bhata Durga Mandir')])
    expect((await titles(it, 'Bhata Mandir'))[0]).toBe('Bhata Durga Mandir')
  })

  test('a name comes before a mention', async () => {
    expect(await titles(model, 'vishnu')).toEqual(['Budhanilkantha Temple', 'Changu Narayan'])
    const named = modelWith([...shelf, document('Vishnu')])
    expect((await titles(await named, 'vishnu'))[0]).toBe('Vishnu')
  })

  test('a name that holds all words comes before one of the same meaning', async () => {
    const it = await modelWith([document('Krishna Temple'), document('Sri Krishna Pranami Mul Mandir, Imadol')])
    expect(await titles(it, 'Krishna Mandir')).toEqual(['Sri Krishna Pranami Mul Mandir, Imadol', 'Krishna Temple'])
  })

  test('a beginning comes before what only sounds like it', async () => {
    const it = await modelWith([document('Bala Temple'), document('Lumbini'), document('Lumadhi Valley')])
    expect((await titles(it, 'Vall'))[0]).toBe('Lumadhi Valley')
    expect((await titles(it, 'Luma'))[0]).toBe('Lumadhi Valley')
  })

  test('of names that sound alike the one that is spelt as typed comes first', async () => {
    const it = await modelWith([document('Chandeshwari Temple'), document('Chandeshwori Temple')])
    expect((await titles(it, 'Chandesshwori Temple'))[0]).toBe('Chandeshwori Temple')
    expect((await titles(it, 'Chandesshwari Temple'))[0]).toBe('Chandeshwari Temple')
  })

  test('a mention of some of the words is no answer', async () => {
    const it = await modelWith([document('Gai Jatra', { text: 'Held in 1 day, or 2.' })])
    expect(await titles(it, "' OR 1=1 --")).toEqual([])
    expect(await titles(it, 'held')).toEqual(['Gai Jatra'])
  })

  test('what fits nothing finds nothing', async () => {
    expect(await model.search(ask('zzqxv'))).toEqual({ count: 0, hits: [], state: 'state' })
  })

  test('one word that fits finds nothing beside two that no document knows', async () => {
    const it = await modelWith([document('Only a name'), document('Jala Devi')])
    expect(await titles(it, 'zzno zsuxh name')).toEqual([])
    expect(await titles(it, 'zaazl jupfom')).toEqual([])
    expect(await titles(it, 'only such name')).toEqual(['Only a name'])
  })

  test('a town that the names lack leads to no other thing in that town', async () => {
    const others = ['Krishna Temple, Patan', 'Patan Museum', 'Patan Dhoka'].map((title) => document(title))
    const it = await modelWith([document('Shiva Temple'), ...others])
    expect((await titles(it, 'Shiva Temple Patan'))[0]).toBe('Shiva Temple')
    expect((await titles(it, 'Krishna Temple Patan'))[0]).toBe('Krishna Temple, Patan')
    expect(await titles(it, 'Patan')).toEqual(expect.arrayContaining(others.map(({ title }) => title)))
  })

  test('a word that stands twice in a name is asked for as well by naming it twice', async () => {
    const it = await modelWith([document('Bunga Jatra Guthi'), document('Rato Jatra (Bunga Jatra)')])
    expect((await titles(it, 'Rato Jatra Bunga Jatra'))[0]).toBe('Rato Jatra (Bunga Jatra)')
    expect((await it.search(ask('Rato Jatra (Bunga Jatra)'))).hits[0]?.score).toBeGreaterThan(0.7)
  })

  test('a vowel that is silent at the end of a word is none where words are joined', async () => {
    const it = await modelWith([document('शिव मन्दिर'), document('Shivaji Mandir')])
    expect((await titles(it, 'शिवमन्दिर'))[0]).toBe('शिव मन्दिर')
  })
})
const modelWith = async (documents: readonly SearchDocument[]) => modelFor(await corpusOf(documents))

describe('every spelling of a name finds it', async () => {
  const spellings = [
    ['Krishna Mandir', 'Krisna Mandir', 'कृष्ण मन्दिर', 'Kṛṣṇa mandir', 'Krishna Mandhir'],
    ['Laxmi Narayan', 'Lakshmi-Narayan', 'लक्ष्मी नारायण', 'Laxminarayan', 'Laxmi Narain'],
    ['Bagh Bhairav', 'Bagh Bhairab', 'बाघ भैरव', 'Baagh Bhairava', 'Baghbhairav'],
    ['Swayambhunath', 'Svayambhunath', 'स्वयम्भूनाथ', 'Swoyambhunath', 'Swayambhu Nath'],
    ['Boudhanath', 'Bauddhanath', 'बौद्धनाथ', 'Bodhnath', 'Bouddha Nath'],
    ['Shree Ganesh', 'Shri Ganesh', 'श्री गणेश', 'Sri Ganesha', 'Ganesh'],
    ['Kumbheshwar', 'Kumbheshwor', 'कुम्भेश्वर', 'Kumbeshwor', 'Kumbhesvara'],
    ['काँक्रे विहार', 'Kankre Bihar', 'Kankre Vihar', 'Kaankre Bihar', 'काक्रे बिहार'],
    ['Bhagawati Temple', 'Bhagwati Temple', 'भगवती', 'Bhagavatī', 'Bhagbati'],
    ['Kshetrapal', 'Chhetrapal', 'क्षेत्रपाल', 'Kṣetrapāla', 'Xetrapal'],
    ['Chhinnamasta', 'Chinnamasta', 'छिन्नमस्ता', 'Chhinamasta', 'Chhinnamastaa'],
  ] as const
  const model = modelFor(await corpusOf(spellings.map(([name]) => document(name))))
  test.each(spellings)('%s: %s, %s, %s, %s', async (name, ...others) => {
    for (const other of others) expect([other, (await titles(model, other))[0]]).toEqual([other, name])
  })
})

describe('whatever is typed is data', async () => {
  const model = modelFor(await corpusOf(shelf))
  const hostile = [
    ...['*', '%', '_', '"', "'", '--', ';', '\\', '()', '"""', '😀', '\u200b\u200d', '\0', '\u202e', '\ud800'],
  ]
  test.each(hostile)('only %j finds nothing', async (text) => {
    expect((await model.search(ask(text))).count).toBe(0)
    expect(await model.suggest({ text, scope: anon, limit: 10 })).toEqual([])
    expect((await model.literal({ text, scope: anon, limit: 10 })).size).toBe(0)
  })

  test.each([
    ...['Changu" OR Narayan', 'Changu* NEAR/2 Narayan', "Changu Narayan'; DROP --", '^Changu + {title}: Narayan'],
    ...['Changu AND NOT Narayan', 'changu:narayan', '<b>Changu Narayan</b>', '-Changu Narayan'],
  ])('operators and quotes are words or nothing: %s', async (text) => {
    expect((await titles(model, text))[0]).toBe('Changu Narayan')
  })

  test('ten thousand letters are answered in a moment', async () => {
    const began = performance.now()
    for (const text of ['x'.repeat(10_000), 'temple '.repeat(1500), 'शिव '.repeat(2500), 'a b c d '.repeat(1250)]) {
      await model.search(ask(text))
      await model.suggest({ text, scope: anon, limit: 10 })
      await model.literal({ text, scope: anon, limit: 10 })
    }
    expect(performance.now() - began).toBeLessThan(5000)
  })

  test('no text fails', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), async (text) => {
        const { count, hits } = await model.search(ask(text, { facets: true }))
        expect(hits.length).toBe(Math.min(20, count))
        for (const { score } of hits) expect(score >= 0 && score <= 1).toBe(true)
        await model.suggest({ text, scope: anon, limit: 10 })
        await model.literal({ text, scope: anon, limit: 10 })
      }),
      { numRuns: 300 },
    )
  })
})

describe('filters, orders and pages', async () => {
  const day = (n: number) => new Date(Date.UTC(2025, 0, n)).toISOString()
  const many = Array.from({ length: 47 }, (_, i) =>
    document(`Pati ${String.fromCharCode(65 + ((i * 7) % 26))}${i}`, {
      resource: i % 3 === 0 ? 'monuments' : 'structures',
      status: i % 5 === 0 ? 'pending_review' : 'accepted',
      is_published: i % 5 !== 0,
      contributor_id: i % 2 === 0 ? 'maya' : 'ram',
      popularity_score: i % 7,
      created_at: day(1 + (i % 20)),
      updated_at: day(1 + ((i * 11) % 28)),
    }),
  )
  const model = modelFor(await corpusOf(many))
  const fitting = (test: (it: SearchDocument) => boolean) => many.filter(test).length

  test('an empty text asks for everything, newest first', async () => {
    const { count, hits } = await model.search(ask('  '))
    expect(count).toBe(fitting((it) => it.is_published))
    const times = hits.map(({ updated_at }) => updated_at)
    expect(times).toEqual([...times].sort().reverse())
  })

  test.each([
    ['resources', { resources: ['monuments'] }, (it: SearchDocument) => it.resource === 'monuments' && it.is_published],
    ['several resources', { resources: ['monuments', 'structures', 'x'] }, (it: SearchDocument) => it.is_published],
    ['an unknown resource', { resources: ['castles'] }, () => false],
    [
      'a status',
      { statuses: ['pending_review'], scope: staff },
      (it: SearchDocument) => it.status === 'pending_review',
    ],
    ['an unknown status', { statuses: ['lost'] }, () => false],
    ['an empty status', { statuses: [''] }, () => false],
    ['published', { published: true, scope: staff }, (it: SearchDocument) => it.is_published],
    ['not published', { published: false, scope: staff }, (it: SearchDocument) => !it.is_published],
    ['not published, to everyone', { published: false }, () => false],
    ['a contributor', { contributor: 'ram' }, (it: SearchDocument) => it.contributor_id === 'ram' && it.is_published],
    ['an unknown contributor', { contributor: 'nobody' }, () => false],
    [
      'own ones too',
      { scope: signedIn('ram') },
      (it: SearchDocument) => it.is_published || it.contributor_id === 'ram',
    ],
    ['an unknown person signed in', { scope: signedIn('eve') }, (it: SearchDocument) => it.is_published],
    ['everything for staff', { scope: staff }, () => true],
  ] as const)('%s', async (_, filter, fits) => {
    for (const text of ['', 'pati']) expect((await model.search(ask(text, filter))).count).toBe(fitting(fits))
  })

  test('facets count all that was found, whatever page is shown', async () => {
    const { facets, count } = await model.search(ask('pati', { limit: 1, facets: true, scope: staff }))
    const monuments = fitting((it) => it.resource === 'monuments')
    const accepted = fitting((it) => it.status === 'accepted')
    expect(count).toBe(47)
    expect(facets).toEqual({
      resource: { monuments, structures: 47 - monuments },
      status: { accepted, pending_review: 47 - accepted },
    })
  })

  test.each(sortOrders)('pages by %s neither repeat nor skip', async (sort) => {
    for (const text of ['', 'pati']) {
      const whole = await titles(model, text, { sort, limit: 100 })
      const pages: string[] = []
      for (const offset of [0, 10, 20, 30, 40]) pages.push(...(await titles(model, text, { sort, offset, limit: 10 })))
      expect(pages).toEqual(whole)
      expect(new Set(whole).size).toBe(fitting((it) => it.is_published))
    }
  })

  test('a page beyond the end is empty and the count stays', async () => {
    expect(await model.search(ask('pati', { offset: 1000 }))).toMatchObject({ count: 37, hits: [] })
  })

  test('by name is alphabetical, and the other way round', async () => {
    const sorted = many
      .filter((it) => it.is_published)
      .map(({ title }) => title)
      .sort()
    expect(await titles(model, '', { sort: 'name', limit: 100 })).toEqual(sorted)
    expect(await titles(model, '', { sort: '-name', limit: 100 })).toEqual(sorted.reverse())
  })
})

describe('the score', async () => {
  const { clock } = await import('../../../lib/base/clock.ts')
  clock.now = () => new Date('2025-01-15T10:00:00.000Z')
  const days = (n: number) => new Date(clock.now().getTime() - n * 86_400_000).toISOString()

  test('is the share of text, 0.15 / (1 + days) for age and up to 0.05 for popularity', async () => {
    const model = modelFor(
      await corpusOf([document('Lone Stupa', { updated_at: days(2), popularity_score: 10 }), document('Other')]),
    )
    const [hit] = (await model.search(ask('Lone Stupa'))).hits
    const rest = 0.15 / 3 + 0.05 * 0.5
    expect(hit?.score).toBeGreaterThan(rest + 0.8 * 0.85)
    expect(hit?.score).toBeLessThanOrEqual(rest + 0.8)
  })

  test('of equal names puts the newer first, then the more popular', async () => {
    const model = modelFor(
      await corpusOf([
        document('Ganesh', { object_pk: 'old', updated_at: days(50) }),
        document('Ganesh', { object_pk: 'liked', updated_at: days(50), popularity_score: 40 }),
        document('Ganesh', { object_pk: 'new', updated_at: days(0) }),
      ]),
    )
    expect((await model.search(ask('Ganesh'))).hits.map(({ object_pk }) => object_pk)).toEqual(['new', 'liked', 'old'])
  })

  test('of a public document depends on nothing that is hidden', async () => {
    const hidden = [
      document('Changu Changu Secret', { is_published: false, status: 'draft', summary: 'narayan '.repeat(50) }),
      document('Kasthamandapa', { access_tier: 'restricted' }),
      document('Chungu Narayan', { is_published: false, status: 'rejected' }),
      ...Array.from({ length: 60 }, (_, i) => document(`Kasthamanda${i} thamand`, { is_published: false })),
    ]
    const before = modelFor(await corpusOf(shelf))
    const built = modelFor(await corpusOf([...hidden, ...shelf]))
    const corpus = await corpusOf(shelf)
    for (const it of hidden) corpus.apply(it)
    const followed = modelFor(corpus)
    for (const text of ['', 'Changu', 'Kasthamandpa', 'thamand', 'narayan', 'Kast', 'secret', 'chungu naryan']) {
      const answers = async (model: Model) =>
        JSON.stringify([
          await model.search(ask(text, { facets: true })),
          await model.search(ask(text, { sort: 'name' })),
          await model.suggest({ text, scope: anon, limit: 10 }),
          [...(await model.literal({ text, scope: anon, limit: 5 }))],
        ])
      expect(await answers(built)).toBe(await answers(before))
      expect(await answers(followed)).toBe(await answers(before))
    }
  })
})

describe('a text as it stands, in a word of thousands of documents', async () => {
  const at = (minute: number) => new Date(Date.UTC(2025, 0, 1, 0, minute)).toISOString()
  const many = Array.from({ length: 4000 }, (_, i) =>
    document(`Pati of the temple ${i}`, { created_at: at(10_000 + i) }),
  )
  const few = ['deities', 'persons', 'festivals'].map((resource, i) =>
    document(`Keeper of the temple ${i}`, { resource, created_at: at(i) }),
  )
  const old = document('Old temple well', { created_at: at(1) })
  const hidden = document('Hidden temple', { resource: 'guthis', is_published: false, created_at: at(50_000) })
  const words = Array.from({ length: 6000 }, (_, i) =>
    document(`Zan${i}qy`, { resource: 'rituals', created_at: at(20_000 + i) }),
  )
  const built = modelFor(await corpusOf([...many, ...few, old, hidden]))
  const corpus = await corpusOf(words)
  for (const it of [...few, old, hidden, ...many]) corpus.apply(it)
  const followed = modelFor(corpus)
  const groups = async (model: Model, text: string, limit = 50) =>
    Object.fromEntries(
      [...(await model.literal({ text, scope: anon, limit }))].map(([name, hits]) => [
        name,
        hits.map((it) => it.title),
      ]),
    )

  test.each([
    ['built', built],
    ['followed', followed],
  ])('leaves no group empty that has some, newest first (%s)', async (_, model) => {
    const found = await groups(model, 'temple')
    expect(Object.keys(found).sort()).toEqual(['deities', 'festivals', 'persons', 'structures'])
    expect(found.structures?.length).toBe(50)
    expect(found.structures?.slice(0, 2)).toEqual(['Pati of the temple 3999', 'Pati of the temple 3998'])
    expect(found.persons).toEqual(['Keeper of the temple 1'])
  })

  test('finds the few that hold all of it however many hold its longest word', async () => {
    for (const model of [built, followed]) {
      expect(await groups(model, 'temple well')).toEqual({ structures: ['Old temple well'] })
      expect(await groups(model, 'eper of the temple 2')).toEqual({ festivals: ['Keeper of the temple 2'] })
    }
  })

  test('finds what is in very many words', async () => {
    expect(await groups(followed, 'zan', 3)).toEqual({ rituals: ['Zan5999qy', 'Zan5998qy', 'Zan5997qy'] })
    expect(await groups(followed, 'qy', 1)).toEqual({ rituals: ['Zan5999qy'] })
  })
})

describe('suggest', async () => {
  const model = modelFor(await corpusOf(shelf))
  const suggested = async (text: string) =>
    (await model.suggest({ text, scope: anon, limit: 5 })).map(({ title }) => title)

  test('below three letters completes only', async () => {
    expect(await suggested('Ka')).toEqual(['Kasthamandap'])
    expect(await suggested('Kz')).toEqual([])
  })

  test('from three letters on takes what is like it', async () => {
    expect(await suggested('Kastamand')).toEqual(['Kasthamandap'])
    expect(await suggested('Arnko')).toEqual(['Arniko'])
  })

  test('leaves out what only mentions it', async () => {
    expect(await suggested('sleeping')).toEqual([])
  })

  test('keeps to the resources asked for and to the number', async () => {
    expect(
      (await model.suggest({ text: 'a', scope: anon, resources: ['persons'], limit: 5 })).map((it) => it.title),
    ).toEqual(['Arniko'])
    expect(await model.suggest({ text: 'Narayan', scope: anon, limit: 2 })).toHaveLength(2)
  })
})

describe('literal', async () => {
  const model = modelFor(
    await corpusOf([
      ...shelf,
      document('O’Neill House (old)', { summary: 'Near the 100% mark', created_at: '2025-02-01T00:00:00.000Z' }),
      document('Hidden House', { is_published: false }),
    ]),
  )
  const found = async (text: string) =>
    Object.fromEntries(
      [...(await model.literal({ text, scope: anon, limit: 2 }))].map(([name, hits]) => [
        name,
        hits.map((it) => it.title),
      ]),
    )

  test.each([
    ['hamandap', { structures: ['Kasthamandap'] }],
    ['NIKO', { persons: ['Arniko'] }],
    ['st', { structures: ['Kasthamandap', 'Changu Narayan'] }],
    ['house (old', { structures: ['O’Neill House (old)'] }],
    ['100% m', { structures: ['O’Neill House (old)'] }],
    ['नीलकण्ठ म', { structures: ['Budhanilkantha Temple'] }],
    ['Sahasra Sundara', { structures: ['Kasthamandap'] }],
    ['hidden', {}],
    ['changu  narayan', {}],
    ['Kastamandap', {}],
  ])('%s stands in %o', async (text, expected) => {
    expect(await found(text)).toEqual(expected)
  })
})

test('a snapshot with changes answers as a snapshot of all of it', async () => {
  const name = fc.constantFrom(
    'Shiva',
    'Shiv',
    'Kali',
    'Mandir',
    'Temple',
    'Bhairav',
    'मन्दिर',
    'Pati',
    'Ganesh',
    'Patan',
  )
  const change = fc.record({
    at: fc.integer({ min: 0, max: 14 }),
    words: fc.array(name, { minLength: 1, maxLength: 3 }),
    is_published: fc.boolean(),
    gone: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 40 }), fc.nat(40), async (steps, cut) => {
      const changes = steps.map(({ at, words, is_published, gone }, i) => {
        const id = recordId(8, 5000 + at)
        if (gone) return { id, gone: true as const, version: i + 1 }
        return { ...document(words.join(' '), { is_published, object_pk: String(at) }), id, version: i + 1 }
      })
      const fold = new Map<string, SearchDocument>()
      for (const it of changes) {
        if ('gone' in it) fold.delete(it.id)
        else fold.set(it.id, it)
      }
      const first = new Map<string, SearchDocument>()
      for (const it of changes.slice(0, cut)) {
        if ('gone' in it) first.delete(it.id)
        else first.set(it.id, it)
      }
      const followed = await corpusOf([...first.values()])
      // Some of them come twice, and late ones once more: as after a restart.
      for (const it of [...changes.slice(cut), ...changes.slice(cut), ...changes.slice(cut, cut + 3)])
        followed.apply(it)
      const whole = await corpusOf([...fold.values()])
      for (const text of ['', 'shiv', 'shiva mandir', 'kaali', 'pat', 'ganseh']) {
        for (const scope of [anon, staff]) {
          for (const sort of ['relevance', 'name'] as const) {
            const of = (corpus: Corpus) => modelFor(corpus).search(ask(text, { scope, sort, facets: true }))
            expect(of(followed)).toEqual(of(whole))
          }
        }
      }
      for (const it of [followed, whole]) it.close()
    }),
    { numRuns: 40 },
  )
})

test('beyond the first 65,536 documents all is found, counted and sorted as among them', {
  timeout: 60_000,
}, async () => {
  const colours = ['Rato', 'Seto', 'Nilo', 'Kalo', 'Hariyo']
  const sorts = ['Ghar', 'Dhoka', 'Chok']
  const names = Array.from(
    { length: 66_000 },
    (_, i) => `${colours[i % 5]} ${sorts[i % 3]} ${i % 7 ? 'Purba' : 'Paschim'}`,
  )
  const corpus = await corpusOf(names.map((name) => document(name)))
  for (const name of ['Rato Ghar Purba', 'Seto Chok Paschim']) corpus.apply({ ...document(name), version: 2 })
  const model = modelFor(corpus)
  const holding = (words: string) =>
    [...names, 'Rato Ghar Purba', 'Seto Chok Paschim'].filter((name) =>
      words.split(' ').every((word) => name.split(' ').includes(word)),
    ).length
  for (const words of ['Rato', 'Rato Ghar', 'Paschim Seto', 'Chok Seto Paschim', 'Kalo Dhoka Purba']) {
    const { count, hits } = await model.search(ask(words, { sort: 'created', offset: holding(words) - 1 }))
    expect([words, count, hits.length]).toEqual([words, holding(words), 1])
    expect(hits[0]?.title.split(' ')).toEqual(expect.arrayContaining(words.split(' ')))
  }
  expect((await model.search(ask('Pascim Seto', { limit: 1 }))).hits[0]?.title).toMatch(/^Seto .* Paschim$/)
})
