import { type KindKey, kinds } from '../../kinds/index.ts'

/** Names of values in the order of the kind's fields, then the others by name: the table does not keep the order of members. */
export function namesInOrder(kind: KindKey, names: Iterable<string>): string[] {
  const { fields } = kinds[kind]
  const given = new Set(names)
  const known = Object.keys(fields).filter((name) => given.has(name))
  return [...known, ...[...given].filter((name) => !(name in fields)).sort()]
}

/** Values in that order, so that equal values are equal answers. */
export const ordered = (kind: KindKey, data: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(namesInOrder(kind, Object.keys(data)).map((name) => [name, data[name]]))
