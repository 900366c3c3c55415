/**
 * Returns a function that makes a value at its first call and keeps it. So the start of a function does not pay for the value.
 * If `make` fails, the next call runs it again.
 * @__NO_SIDE_EFFECTS__
 */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
