import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Model } from '../../../lib/engines/search/query.ts'
import { mean, ndcg } from './ndcg.ts'
import { opened } from './opened.ts'
import { regionQuestions, regionRows } from './region/rows.ts'
import { documentOf } from './rows.ts'

/** A region of another country is a table of records: another script, other places and gods. No line of code knows of it. */

const LEAST = 0.75
const anon = { signedIn: false, everything: false, own: null }
let region: { model: Model; close: () => void }
beforeAll(async () => {
  region = await opened(regionRows().map((row, i) => documentOf(row, i + 1)))
})
afterAll(() => region.close())

const ask = (text: string) => region.model.search({ text, scope: anon, limit: 10 })

test(`answers thirty questions on another region with nDCG@5 of ${LEAST} at least`, async () => {
  const questions = regionQuestions()
  const scores = await Promise.all(
    questions.map(async (it) => {
      const { hits } = await ask(it.question)
      return ndcg(
        hits.map(({ object_pk }) => object_pk),
        it,
        5,
      )
    }),
  )
  expect(questions).toHaveLength(30)
  expect(mean(scores)).toBeGreaterThanOrEqual(LEAST)
})

test('learns the word for a sort of thing from the names of records, in any script', async () => {
  for (const word of ['kovils', 'கோயில்கள்'])
    expect((await ask(`murugan ${word}`)).interpreted, word).toContainEqual(
      expect.objectContaining({ text: word, as: 'sort', value: 'Temple' }),
    )
  // The name of a god is in the names of temples, too, but only of some.
  expect((await ask('amman gold')).interpreted ?? []).not.toContainEqual(expect.objectContaining({ text: 'amman' }))
})

test('knows a period by its name in another script without the word for period, as in the title', async () => {
  const { interpreted } = await ask('சோழர் கோயில்')
  expect(interpreted).toContainEqual(expect.objectContaining({ text: 'சோழர்', as: 'period', value: 'Chola Period' }))
})
