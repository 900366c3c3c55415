import type { Item, Value } from './expressions.ts'

/** Where a partition lies. */
export function hash(text: string): number {
  let h = 2166136261
  for (let i = 0; i < text.length; i += 1) h = Math.imul(h ^ text.charCodeAt(i), 16777619)
  return (h ^ (h >>> 13)) >>> 0
}

/** Whether two items, or values, are the same. */
export function isSame(a: Item | Value, b: Item | Value): boolean {
  if (a === b) return true
  const [names, others] = [Object.keys(a), Object.keys(b)]
  return names.length === others.length && names.every((name) => equal(a[name], b[name]))
}
function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((each, i) => equal(each, b[i]))
  return isSame(a as Item, b as Item)
}
