/** Solves a symmetric, positive definite system of linear equations by Cholesky's method. */
export function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const lower = factorise(matrix)
  const at = (row: number, column: number) => lower[row]?.[column] ?? 0
  const between: number[] = []
  for (let i = 0; i < right.length; i += 1) {
    let sum = right[i] ?? 0
    for (let k = 0; k < i; k += 1) sum -= at(i, k) * (between[k] ?? 0)
    between.push(sum / at(i, i))
  }
  const solution: number[] = new Array(right.length).fill(0)
  for (let i = right.length - 1; i >= 0; i -= 1) {
    let sum = between[i] ?? 0
    for (let k = i + 1; k < right.length; k += 1) sum -= at(k, i) * (solution[k] ?? 0)
    solution[i] = sum / at(i, i)
  }
  return solution
}

/** The lower triangular matrix L for which L times its transpose is the given matrix. */
function factorise(matrix: readonly (readonly number[])[]): number[][] {
  const lower = matrix.map((row) => row.map(() => 0))
  for (let i = 0; i < matrix.length; i += 1) {
    const own = lower[i] ?? []
    for (let j = 0; j <= i; j += 1) {
      const other = lower[j] ?? []
      let sum = matrix[i]?.[j] ?? 0
      for (let k = 0; k < j; k += 1) sum -= (own[k] ?? 0) * (other[k] ?? 0)
      own[j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / (other[j] ?? 1)
    }
  }
  return lower
}
