import { type KindKey, kinds } from '../../kinds/index.ts'

/** Fields in the order of the kind, then others by alphabet. The table does not keep the order of members. */
export function namesInOrder(kind: KindKey, names: Iterable<string>): string[] {
  const { fields } = kinds[kind]
  const given = new Set(names)
  const known = Object.keys(fields).filter((name) => given.has(name))
  return [...known, ...[...given].filter((name) => !(name in fields)).sort()]
}

/** Equal values must give equal answers, so their order is fixed. */
export const orderValues = (kind: KindKey, data: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(namesInOrder(kind, Object.keys(data)).map((name) => [name, data[name]]))
