/**
 * Takes a person's name out of stored values. A name is found by the person's id beside it. So former names are found, too, and the names
 * of other people stay.
 */

type Members = Readonly<Record<string, unknown>>

/** The people who have left, by id, and what they are called from now on. */
export type Former = ReadonlyMap<string, string>

/** For each member that holds a name: the members that may hold the id of the same person. */
const idsBeside: Readonly<Record<string, readonly string[]>> = {
  contributor: ['contributor_id'],
  contributed_by: ['contributor_id'],
  username: ['user_id', 'held_by', 'id'],
  email: ['user_id', 'id'],
  message: ['user_id'],
  // People call a key after themselves: "Tablet of Maya".
  software: ['contributor_id'],
  machine: ['author_id', 'machine_of'],
}
/** Members that become empty. Any other member gets the new name of the person. */
const emptied: ReadonlySet<string> = new Set(['email', 'message'])
/** Members with the id of a person whose name stands in an object beside them. Example: the payload of an invitation to a project. */
const aroundIds: readonly string[] = ['target_id']

/** Returns a value without the names of these people. Returns the same value if it names none of them. Pure. */
export function scrubValue<T>(value: T, former: Former): T {
  return scrub(value, former, { outer: {}, common: {} }) as T
}

/** What stands around a value: the object that holds it, and the members that a pack of claims has in common. */
type Around = { outer: Members; common: Members }

function scrub(value: unknown, former: Former, around: Around): unknown {
  if (Array.isArray(value)) {
    const next = value.map((it) => scrub(it, former, around))
    return next.every((it, i) => it === value[i]) ? value : next
  }
  if (!isObject(value)) return value
  const inside = { outer: value, common: isObject(value.common) ? value.common : around.common }
  const entries = Object.entries(value).map(([name, it]): [string, unknown] => [
    name,
    typeof it === 'string' ? scrubText(name, it, { value, around }, former) : scrub(it, former, inside),
  ])
  return entries.every(([name, it]) => it === value[name]) ? value : Object.fromEntries(entries)
}

type Place = { value: Members; around: Around }

function scrubText(name: string, text: string, { value, around }: Place, former: Former): string {
  const beside = Object.hasOwn(idsBeside, name) ? (idsBeside[name] ?? []) : []
  if (text === '' || beside.length === 0) return text
  const ids = beside.filter((id) => Object.hasOwn(value, id)).map((id) => value[id])
  const further = [...aroundIds.map((id) => around.outer[id]), ...beside.map((id) => around.common[id])]
  const candidates = ids.length > 0 ? ids : further
  const called = candidates.map((id) => former.get(String(id))).find((it) => it !== undefined)
  if (called === undefined) return text
  return emptied.has(name) ? '' : called
}

// Only plain objects have members with names. Binary values of the table are left alone.
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
