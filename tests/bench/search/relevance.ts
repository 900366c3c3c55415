import type { Model } from '../../../lib/engines/search/query.ts'
import { print } from '../tools/table.ts'
import { halves, heldOut } from './held-out.ts'
import { type Query, type Row, readQueries } from './rows.ts'

export type Scores = { questions: number; first: number; ten: number; mrr: number }
/** Finds the ids of the ten best rows. */
export type Finder = (query: string) => Promise<string[]> | string[]

/** Recall among the first and the first ten, and the mean reciprocal rank of the first right row, by perturbation. */
async function judge(queries: readonly Query[], known: ReadonlySet<string>, find: Finder) {
  const groups = new Map<string, Scores>()
  const missed: { query: Query; got: string[] }[] = []
  for (const query of queries) {
    const expected = query.expected_ids.filter((id) => known.has(id))
    if (expected.length === 0 && !isNegative(query)) continue
    const got = (await find(query.query)).slice(0, 10)
    const right = got.filter((id) => expected.includes(id)).length
    const rank = got.findIndex((id) => expected.includes(id))
    const none = isNegative(query)
    const ten = none ? Number(got.length === 0) : right / Math.min(10, expected.length)
    const scores = groups.get(query.perturbation) ?? { questions: 0, first: 0, ten: 0, mrr: 0 }
    groups.set(query.perturbation, {
      questions: scores.questions + 1,
      first: scores.first + (none ? ten : Number(rank === 0)),
      ten: scores.ten + ten,
      mrr: scores.mrr + (none ? ten : rank < 0 ? 0 : 1 / (rank + 1)),
    })
    if (ten < 1) missed.push({ query, got })
  }
  for (const it of groups.values()) for (const name of ['first', 'ten', 'mrr'] as const) it[name] /= it.questions
  return { groups, missed }
}

/** Nothing should be found. */
const isNegative = ({ perturbation }: Query) => perturbation === 'negative' || perturbation === 'nonsense'

/** The model as a finder; rows are named by object_pk. */
export const finderOf =
  (model: Model): Finder =>
  async (text) => {
    const { hits } = await model.search({ text, scope: { signedIn: false, everything: false, own: null }, limit: 10 })
    return hits.map(({ object_pk }) => object_pk)
  }

/** Prints how well each contestant finds what the file of questions expects, and what spoilt names were made from. */
export async function relevance(rows: readonly Row[], finders: Readonly<Record<string, Finder>>): Promise<void> {
  const known = new Set(rows.map(({ id }) => id))
  await printed('Relevance on the real rows', readQueries(), known, finders)
  const spoilt = heldOut(rows)
  for (const half of halves) {
    const queries = spoilt.filter((query) => query.half === half)
    await printed(
      half === 'tuned' ? 'Spoilt names that were looked at while tuning' : 'Spoilt names that were held back',
      queries,
      known,
      finders,
    )
  }
}

async function printed(
  title: string,
  queries: readonly Query[],
  known: ReadonlySet<string>,
  finders: Readonly<Record<string, Finder>>,
): Promise<void> {
  const judged: [string, Map<string, Scores>][] = []
  for (const [name, find] of Object.entries(finders)) judged.push([name, (await judge(queries, known, find)).groups])
  const [[, first] = ['', new Map<string, Scores>()]] = judged
  const row = ([perturbation, { questions }]: [string, Scores]) => ({
    perturbation,
    questions,
    ...Object.assign({}, ...judged.map(([name, groups]) => figures(name, groups.get(perturbation)))),
  })
  print(title, [...first].map(row))
}

const figures = (name: string, it: Scores | undefined): Record<string, string> => ({
  [`${name} @1`]: it?.first.toFixed(3) ?? '-',
  [`${name} @10`]: it?.ten.toFixed(3) ?? '-',
  [`${name} MRR`]: it?.mrr.toFixed(3) ?? '-',
})
