/** Attributes that every read needs: keys, type, shape, version, and the mark of a two-phase commit. */
const always = ['pk', 'sk', 'type', 'shape', 'version', 'staged_by', 'staged_as', 'staged_type']

type Projection = { ProjectionExpression: string; ExpressionAttributeNames: Record<string, string> }
const known = new WeakMap<readonly string[], Projection>()

/** The projection of a read to these members. It costs the same units, but its reply is shorter. */
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
