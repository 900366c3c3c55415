/** What goes through the members of something by name. */
type Members = { members: (member: (name: string) => void) => void }

/** The names that have been met, in this order. Items have some hundreds; what people name themselves may be without end. */
const ordinals = new Map<string, number>()
const names: string[] = []
const MOST_NAMES = 2000

/**
 * An object with these members, in an order that is the same for all objects with them. The table tells them in any order, and
 * V8 would have to describe each order apart: objects that are alike then take three times as long to read and to use.
 */
export function ordered(from: Members, read: (name: string) => unknown): Record<string, unknown> {
  const [known, values]: [number[], unknown[]] = [[], []]
  const others: [string, unknown][] = []
  from.members((name) => {
    const ordinal = ordinalOf(name)
    const value = read(name)
    if (ordinal === undefined) others.push([name, value])
    else insert(known, values, ordinal, value)
  })
  const made: Record<string, unknown> = {}
  for (let i = 0; i < known.length; i += 1) setMember(made, names[known[i] ?? 0] ?? '', values[i])
  for (const [name, value] of others) setMember(made, name, value)
  return made
}

function ordinalOf(name: string): number | undefined {
  const known = ordinals.get(name)
  if (known !== undefined || names.length >= MOST_NAMES) return known
  ordinals.set(name, names.length)
  return names.push(name) - 1
}

/** Puts a value into its place among those that are in order already. */
function insert(known: number[], values: unknown[], ordinal: number, value: unknown): void {
  let at = known.length
  for (; at > 0 && (known[at - 1] ?? 0) > ordinal; at -= 1) {
    known[at] = known[at - 1] ?? 0
    values[at] = values[at - 1]
  }
  known[at] = ordinal
  values[at] = value
}

/** A member by any name, also by one that an assignment would take for something else. */
export function setMember(of: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') of[name] = value
  else Object.defineProperty(of, name, { value, enumerable: true, writable: true, configurable: true })
}
