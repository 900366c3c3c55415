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

/** Sets of members that have been met, member by member in their order, with an object that has them all. */
type Met = { further: Map<number, Met>; blank?: object }
const none: Met = { further: new Map() }
let met = 0
const MOST_MET = 5000
/** V8 keeps an object as a dictionary, which is slow to read and to copy, when so many members are added by computed names. */
const MANY = 12

/** An object with these members, to be copied and filled; nothing where they are few, or too many sets have been met. */
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

/** An object with these members, all null. V8 makes a fast one of what it reads as JSON. */
export const blankWith = (names: readonly string[]): Record<string, unknown> =>
  JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`)}}`)

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
