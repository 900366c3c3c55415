/**
 * Makes something when it is first asked for, and keeps it: what the start of a function can do without.
 * A maker that fails is asked again.
 * @__NO_SIDE_EFFECTS__
 */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
