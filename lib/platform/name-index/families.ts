/** Kinds under which the same heritage may be recorded. Example: a temple as a structure or as a monument. Any other kind is its own family. */
const families: ReadonlyMap<string, string> = new Map([
  ['structure', 'place'],
  ['monument', 'place'],
  ['location', 'place'],
  ['festival', 'celebration'],
  ['event', 'celebration'],
])

/** The family of a kind. Two records of one family may be duplicates. */
export const familyOf = (kind: string): string => families.get(kind) ?? kind

/** The families of these kinds, each once. */
export const familiesOf = (all: readonly string[]): string[] => [...new Set(all.map(familyOf))]
