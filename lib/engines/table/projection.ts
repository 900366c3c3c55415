/** Attributes that every reader needs besides those it asks for: where an item lies, what it is, and what a large transaction has written on it. */
const always = ['pk', 'sk', 'type', 'shape', 'version', 'staged_by', 'staged_as', 'staged_type']

type Projection = { ProjectionExpression: string; ExpressionAttributeNames: Record<string, string> }
const known = new WeakMap<readonly string[], Projection>()

/** How a read says that it wants these attributes and no others. It costs the same units, and the answer is as long as what is used of it. */
export function projectionOf(members: readonly string[]): Projection {
  const found = known.get(members)
  if (found) return found
  const names = [...new Set([...always, ...members])].map((name, i) => [`#m${i}`, name] as const)
  const made = {
    ProjectionExpression: names.map(([alias]) => alias).join(','),
    ExpressionAttributeNames: Object.fromEntries(names),
  }
  known.set(members, made)
  return made
}
