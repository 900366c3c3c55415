/** A question with the grades of the documents that answer it; `neutral` ones count neither way. */
export type Judged = {
  family: string
  question: string
  answers: Readonly<Record<string, number>>
  neutral?: readonly string[]
}

/**
 * The normalised discounted cumulative gain of the first `depth` answers, 0 to 1; gains are 2^grade - 1. A question that
 * nothing answers has 1 when nothing is found, else 0.
 */
export function ndcg(found: readonly string[], { answers, neutral = [] }: Judged, depth: number): number {
  const counted = found.filter((id) => !neutral.includes(id)).slice(0, depth)
  const ideal = Object.values(answers).sort((a, b) => b - a)
  if (!ideal.some((grade) => grade > 0)) return found.length === 0 ? 1 : 0
  return gainOf(counted.map((id) => answers[id] ?? 0)) / gainOf(ideal.slice(0, depth))
}

const gainOf = (grades: readonly number[]) =>
  grades.reduce((sum, grade, i) => sum + (2 ** grade - 1) / Math.log2(i + 2), 0)

export const mean = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0) / Math.max(1, all.length)
