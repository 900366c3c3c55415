/** Names of members with the names inside of them; null where there are none, or any. */
export type Members = { readonly [name: string]: Members | null }

const members = new WeakMap<object, Members>()

/** Says which members a schema of a body reads, aliases included; answers the schema. */
export function readingMembers<S extends object>(schema: S, read: Members): S {
  members.set(schema, read)
  return schema
}

/** What was said of a schema by `readingMembers`; undefined for any other. */
export const membersOfBody = (schema: object): Members | undefined => members.get(schema)
