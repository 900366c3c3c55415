import type { Model } from '../../lib/search/ask.ts'
import { halves, heldOut } from './search-held-out.ts'
import type { Query, Row } from './search-rows.ts'

export type Scores = { questions: number; first: number; ten: number; mrr: number }
/** Finds the ids of the ten best rows. */
export type Finder = (query: string) => Promise<string[]> | string[]

/** Recall among the first and the first ten, and the mean reciprocal rank of the first right row, by perturbation. */
export async function judge(queries: readonly Query[], known: ReadonlySet<string>, find: Finder) {
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
  (text) =>
    model
      .search({ text, scope: { signedIn: false, everything: false, own: null }, limit: 10 })
      .hits.map(({ object_pk }) => object_pk)

/** The same for questions that no file holds, as lines of tables, one for each half of the names; PostgreSQL's beside ours where it is there. */
export async function heldOutTables(rows: readonly Row[], ours: Finder, theirs?: Finder): Promise<string[]> {
  const known = new Set(rows.map(({ id }) => id))
  const all = heldOut(rows)
  const lines: string[] = []
  for (const half of halves) {
    const queries = all.filter((query) => query.half === half)
    const [mine, others] = await Promise.all([ours, theirs].map((find) => find && judge(queries, known, find)))
    const heading = [`spoilt names, ${half}`, 'queries', 'recall@1', 'recall@10', 'MRR']
    const names = theirs ? [...heading, 'PostgreSQL @1', '@10', 'MRR'] : heading
    lines.push('', row(names), row(names.map((_, i) => (i === 0 ? '---' : '---:'))))
    for (const [way, scores] of mine?.groups ?? []) {
      const other = others?.groups.get(way)
      lines.push(row([way, String(scores.questions), ...figures(scores), ...(other ? figures(other) : [])]))
    }
  }
  return lines
}

const figures = (it: Scores) => [it.first, it.ten, it.mrr].map((each) => each.toFixed(3))
const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
