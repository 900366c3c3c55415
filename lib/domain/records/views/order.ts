import { type KindKey, kinds } from '../../kinds/index.ts'

/** Sorts the names of members: fields in the order of the kind, then others by alphabet. The table does not keep an order. */
export function namesInOrder(kind: KindKey, names: Iterable<string>): string[] {
  const { fields } = kinds[kind]
  const members = new Set(names)
  const declared = Object.keys(fields).filter((name) => members.has(name))
  const others = [...members].filter((name) => !(name in fields)).sort()
  return [...declared, ...others]
}

/** Sorts the members of values. Equal values must give equal answers, so their order is fixed. */
export const orderValues = (kind: KindKey, data: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(namesInOrder(kind, Object.keys(data)).map((name) => [name, data[name]]))
