/** A source that goes through its members by name. */
type Members = { members: (member: (name: string) => void) => void }

/**
 * Names of members, in the order in which they were first read, `MOST_NAMES` at most. Our items have some hundreds, but people may choose
 * names of their own.
 */
const ordinals = new Map<string, number>()
const names: string[] = []
const MOST_NAMES = 2000

/**
 * An object with these members, always in the same order. The table returns them in any order, and V8 makes a hidden class for each
 * order. Objects of many hidden classes take three times as long to read and to use.
 */
export function orderMembers(from: Members, read: (name: string) => unknown): Record<string, unknown> {
  const [known, values]: [number[], unknown[]] = [[], []]
  const others: [string, unknown][] = []
  from.members((name) => {
    const ordinal = ordinalOf(name)
    const value = read(name)
    if (ordinal === undefined) others.push([name, value])
    else insert(known, values, ordinal, value)
  })
  const made: Record<string, unknown> = { ...blankOf(known) }
  for (let i = 0; i < known.length; i += 1) setMember(made, names[known[i] ?? 0] ?? '', values[i])
  for (const [name, value] of others) setMember(made, name, value)
  return made
}

/** The sets of members that were read, as a tree: each path of members, in order, leads to an object that has all of them. */
type Met = { further: Map<number, Met>; blank?: object }
const none: Met = { further: new Map() }
let met = 0
const MOST_MET = 5000
/** The most members that may be set by computed names before V8 makes a dictionary of the object. A dictionary is slow to read and copy. */
const MANY = 12

/** An object with these members, to be copied and filled. Undefined for few members, and once too many sets were read. */
function blankOf(known: readonly number[]): object | undefined {
  if (known.length <= MANY) return undefined
  let at = none
  for (const ordinal of known) {
    let next = at.further.get(ordinal)
    if (!next) {
      if (met >= MOST_MET) return undefined
      met += 1
      next = { further: new Map() }
      at.further.set(ordinal, next)
    }
    at = next
  }
  at.blank ??= blankWith(known.map((ordinal) => names[ordinal] ?? ''))
  return at.blank
}

/** An object with these members, all null. V8 makes objects from parsed JSON fast to use. */
export const blankWith = (names: readonly string[]): Record<string, unknown> =>
  JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`)}}`)

function ordinalOf(name: string): number | undefined {
  const known = ordinals.get(name)
  if (known !== undefined || names.length >= MOST_NAMES) return known
  ordinals.set(name, names.length)
  return names.push(name) - 1
}

/** Inserts a value by its ordinal. */
function insert(known: number[], values: unknown[], ordinal: number, value: unknown): void {
  let at = known.length
  for (; at > 0 && (known[at - 1] ?? 0) > ordinal; at -= 1) {
    known[at] = known[at - 1] ?? 0
    values[at] = values[at - 1]
  }
  known[at] = ordinal
  values[at] = value
}

/** Sets a member of any name. An assignment to `__proto__` would set the prototype. */
export function setMember(of: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') of[name] = value
  else Object.defineProperty(of, name, { value, enumerable: true, writable: true, configurable: true })
}
