import { solve } from './solve.ts'

/** What is known of a case: categories as text, counted things as numbers. A fact that is not known is left out. */
export type Facts = Readonly<Record<string, string | number>>
export type Example = { facts: Facts; happened: boolean }

/** A fitted model. A column is a fact with a number, or `fact=category`. `means` are those of the examples. */
export type EstimateModel = { intercept: number; weights: Record<string, number>; means: Record<string, number> }

/** What one fact adds to the log-odds, compared with the same case without this fact. */
export type Effect = { fact: string; effect: number }
export type Estimate = { probability: number; effects: Effect[] }

/** The fewest examples of a category. A category with fewer is treated as `other`. */
const FEWEST = 5
const MOST_STEPS = 25

type Row = { columns: number[]; values: number[]; happened: number }

/**
 * Fits a logistic regression by Newton's method. `ridge` pulls all weights towards 0, so a rare category has little weight. The order of
 * the examples changes the model by rounding errors only.
 */
export function fitModel(examples: readonly Example[], ridge = 1): EstimateModel {
  const names = columnsOf(examples)
  const index = new Map(names.map((name, i) => [name, i]))
  const rows = examples.map(({ facts, happened }): Row => {
    const cells = cellsOf(facts, index)
    return { columns: cells.map(([i]) => i), values: cells.map(([, value]) => value), happened: happened ? 1 : 0 }
  })
  const last = names.length
  let weights: number[] = new Array(last + 1).fill(0)
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const change = solve(...newtonStep(rows, weights, ridge))
    weights = weights.map((weight, i) => weight + (change[i] ?? 0))
    if (Math.max(...change.map(Math.abs)) < 1e-9) break
  }
  const means = meansOf(rows, last)
  return {
    intercept: weights[last] ?? 0,
    weights: Object.fromEntries(names.map((name, i) => [name, weights[i] ?? 0])),
    means: Object.fromEntries(names.map((name, i) => [name, means[i] ?? 0])),
  }
}

/** The probability that something happens, and what each known fact adds. A missing fact is taken as the mean of the examples. */
export function estimateFrom(model: EstimateModel, facts: Facts): Estimate {
  const known = new Map<string, number>()
  let sum = model.intercept
  for (const [column, weight] of Object.entries(model.weights)) {
    const mean = model.means[column] ?? 0
    sum += weight * mean
    const value = valueIn(column, facts, model.weights)
    if (value === undefined) continue
    const fact = factOf(column)
    known.set(fact, (known.get(fact) ?? 0) + weight * (value - mean))
  }
  const effects = [...known].map(([fact, effect]) => ({ fact, effect }))
  return { probability: logistic(effects.reduce((total, { effect }) => total + effect, sum)), effects }
}

const logistic = (x: number) => 1 / (1 + Math.exp(-x))
const factOf = (column: string) => column.split('=')[0] ?? column

/** The value of a column in a case. Undefined if the fact is not known. */
function valueIn(column: string, facts: Facts, columns: Readonly<Record<string, unknown>>): number | undefined {
  const fact = factOf(column)
  const value = facts[fact]
  if (value === undefined || typeof value === 'number') return value
  const named = Object.hasOwn(columns, `${fact}=${value}`) ? value : OTHER
  return column === `${fact}=${named}` ? 1 : 0
}
const OTHER = 'other'

/** The columns of some examples, in order of their names. */
function columnsOf(examples: readonly Example[]): string[] {
  const counts = new Map<string, number>()
  const columns = new Set<string>()
  for (const { facts } of examples)
    for (const [fact, value] of Object.entries(facts)) {
      if (typeof value === 'number') columns.add(fact)
      else counts.set(`${fact}=${value}`, (counts.get(`${fact}=${value}`) ?? 0) + 1)
    }
  for (const [column, count] of counts) columns.add(count < FEWEST ? `${factOf(column)}=${OTHER}` : column)
  return [...columns].sort()
}

function cellsOf(facts: Facts, index: ReadonlyMap<string, number>): [number, number][] {
  return Object.entries(facts).flatMap(([fact, value]): [number, number][] => {
    const column =
      typeof value === 'number' ? fact : index.has(`${fact}=${value}`) ? `${fact}=${value}` : `${fact}=${OTHER}`
    const at = index.get(column)
    return at === undefined ? [] : [[at, typeof value === 'number' ? value : 1]]
  })
}

/** The Hessian and the gradient of the penalised likelihood. The last column is the intercept, which is not penalised. */
function newtonStep(rows: readonly Row[], weights: readonly number[], ridge: number): [number[][], number[]] {
  const size = weights.length
  const hessian = Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (_, j) => (i === j ? (i === size - 1 ? 1e-6 : ridge) : 0)),
  )
  const gradient = weights.map((weight, i) => (i === size - 1 ? 0 : -ridge * weight))
  for (const { columns, values, happened } of rows) {
    const all = [...columns, size - 1]
    const cells = [...values, 1]
    const probability = logistic(all.reduce((sum, column, i) => sum + (weights[column] ?? 0) * (cells[i] ?? 0), 0))
    const spread = probability * (1 - probability)
    all.forEach((column, i) => {
      const cell = cells[i] ?? 0
      gradient[column] = (gradient[column] ?? 0) + cell * (happened - probability)
      const line = hessian[column] ?? []
      all.forEach((other, j) => {
        line[other] = (line[other] ?? 0) + spread * cell * (cells[j] ?? 0)
      })
    })
  }
  return [hessian, gradient]
}

function meansOf(rows: readonly Row[], many: number): number[] {
  const sums: number[] = new Array(many).fill(0)
  for (const { columns, values } of rows)
    columns.forEach((column, i) => {
      sums[column] = (sums[column] ?? 0) + (values[i] ?? 0) / rows.length
    })
  return sums
}
