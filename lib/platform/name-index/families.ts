/** Kinds under which one thing may be recorded: what stands somewhere, and what is celebrated. Every other kind stands for itself. */
const families: ReadonlyMap<string, string> = new Map([
  ['structure', 'place'],
  ['monument', 'place'],
  ['location', 'place'],
  ['festival', 'celebration'],
  ['event', 'celebration'],
])

/** The family of a kind: records of one may be about one thing. */
export const familyOf = (kind: string): string => families.get(kind) ?? kind

/** Every family that there is. */
export const familiesOf = (all: readonly string[]): string[] => [...new Set(all.map(familyOf))]
