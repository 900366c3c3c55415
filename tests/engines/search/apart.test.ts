import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { fold } from '../../../lib/engines/matching/fold.ts'
import type { SearchDocument } from '../../../lib/engines/search/document.ts'
import { buildSnapshot } from '../../../lib/engines/search/index/build.ts'
import { openSnapshotFile } from '../../../lib/engines/search/index/snapshot-file.ts'
import { Corpus } from '../../../lib/engines/search/model/corpus.ts'
import { createModel } from '../../../lib/engines/search/model/engine.ts'
import { documentOf } from '../../harness/search-documents.ts'

/** Different words of English and of Nepali names that are folded alike. */
const pairs =
  `Bell Well, Ball Wall, Best West, Bind Wind, Bar War, Bard Ward, Bit Wit, Bin Win, Bay Way, Bed Wed, Bake Wake,
  Beak Weak, Bore Wore, Bide Wide, Dhara Dara, Phulchok Pulchok, Ghar Gar, Khola Kola, Dhoka Doka, Bhat Bat, Thali Tali,
  Thapa Tapa, Jhyal Jyal, Ghan Gan, Phul Pul, Bhai Bai, Dhan Dan, Dhup Dup, Bhari Bari, Thulo Tulo, Khaja Kaja, Jhola Jola,
  Jhanda Janda, Bhoj Boj, Phal Pal, Dhol Dol, Bhumi Bumi, Bagh Bag, Math Mat, Katha Kata, Pith Pit, Lekh Lek, Sangha Sanga,
  Mukh Muk, Dudh Dud, Gadha Gada, Rath Rat, Chhori Chori, Chhura Chura, Chhana Chana, Chhata Chata, Sheep Ship, Pool Pul,
  Malla Mala, Shankha Sankha`
    .split(',')
    .map((pair) => pair.trim().split(/\s+/))
    .map(([one = '', other = '']) => [one, other] as const)

const directory = mkdtempSync(join(tmpdir(), 'heritage-apart-'))
afterAll(() => rmSync(directory, { recursive: true }))

const at = '2025-01-15T10:00:00.000Z'
const document = (title: string, number: number, also: Partial<SearchDocument> = {}): SearchDocument =>
  documentOf(number, title, { created_at: at, updated_at: at, ...also })

let files = 0
async function modelWith(documents: readonly SearchDocument[], changes: readonly SearchDocument[] = []) {
  const path = join(directory, `${++files}.sqlite`)
  await buildSnapshot(path, documents, 0)
  const corpus = new Corpus(openSnapshotFile(path))
  for (const it of changes) corpus.apply(it)
  const model = createModel(corpus, { text: 0.8, recency: 0.15, popularity: 0.05 }, () => 'apart')
  return async (text: string, signedIn = false) => {
    const scope = { signedIn, everything: false, own: null }
    const { hits, count, interpreted } = await model.search({ text, scope, limit: 100 })
    return { titles: hits.map(({ title }) => title), count, interpreted: interpreted?.map(({ value }) => value) }
  }
}

const toles = pairs.flat().map((word, i) => document(`${word} Tole`, i + 1))
const others = pairs.flat().map((word, i) => document(`Old ${word}`, pairs.length * 2 + i + 1))
const holds = (word: string) => (title: string) => title.split(' ').includes(word)

describe('words that fold alike and sound otherwise', () => {
  test('are 55 pairs of which each folds to one', () => {
    expect(pairs).toHaveLength(55)
    expect(pairs.filter(([one, other]) => fold(one) !== fold(other))).toEqual([])
  })

  test.each([
    ['a snapshot', toles.concat(others), []],
    ['changes', [], toles.concat(others)],
    ['a snapshot and changes', toles, others],
  ])('are told apart in ranking and counts, from %s', async (_, documents, changes) => {
    const search = await modelWith(documents, changes)
    const ranked: string[] = []
    const counted: string[] = []
    for (const [one, other] of [...pairs, ...pairs.map(([a, b]) => [b, a] as const)]) {
      const { titles, count } = await search(one)
      expect(count).toBe(titles.length)
      if (titles.slice(0, 2).every(holds(one))) ranked.push(`${one} ${other}`)
      if (!titles.some(holds(other))) counted.push(`${one} ${other}`)
    }
    const both = (told: readonly string[]) =>
      pairs.filter(([one, other]) => told.includes(`${one} ${other}`) && told.includes(`${other} ${one}`))
    expect(both(ranked)).toHaveLength(55)
    expect(both(counted).length).toBeGreaterThanOrEqual(50)
  })

  test('are one where nothing stands as it was typed', async () => {
    const search = await modelWith([document('Phulchok', 1), document('Bell', 2)])
    expect(await search('Pulchok')).toMatchObject({ titles: ['Phulchok'] })
    expect(await search('the well')).toMatchObject({ titles: ['Bell'] })
  })

  test('are understood as no sort of thing that only folds so', async () => {
    const search = await modelWith([document('Pani Inar', 1), document('Nandi', 2)])
    expect(await search('well')).toMatchObject({ interpreted: ['Well'] })
    expect(await search('bell')).toMatchObject({ interpreted: undefined })
  })

  test('are found beside each other where one is a rare slip of the other', async () => {
    const often = Array.from({ length: 12 }, (_, i) => document(`Bhaktapur ${i}`, i + 1))
    const search = await modelWith([...often, document('Baktapur', 13)])
    const { titles, count } = await search('Baktapur')
    expect(titles[0]).toBe('Baktapur')
    expect(count).toBe(13)
  })

  test('wavering spellings of one word stay one', async () => {
    const titles = [
      'Bhairav',
      'Bhairab',
      'Bhairawa',
      'Bishnu',
      'Vishnu',
      'Machhindranath',
      'Machindranath',
      'Shiva',
      'Siva',
    ]
    const search = await modelWith(titles.map((title, i) => document(title, i + 1)))
    const groups = [titles.slice(0, 3), titles.slice(3, 5), titles.slice(5, 7), titles.slice(7)]
    for (const group of groups)
      for (const title of group)
        expect((await search(title)).titles.slice(0, group.length).sort()).toEqual(group.sort())
  })

  test('a word that only hidden documents hold changes no public answer', async () => {
    const hidden = document('Well', 2, { is_published: false, status: 'pending_review' })
    const search = await modelWith([document('Bell', 1), hidden])
    expect(await search('well')).toMatchObject({ titles: ['Bell'], count: 1 })
  })
})
