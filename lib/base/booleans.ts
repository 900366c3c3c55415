/** The words for true and false, in queries, forms and settings. */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['1', 'true', 'yes', 'on'].map((it) => [it, true] as const),
  ...['0', 'false', 'no', 'off'].map((it) => [it, false] as const),
])

/** What a text says, in whatever case; undefined when it is neither true nor false. */
export const booleanIn = (text: string): boolean | undefined => booleans.get(text.trim().toLowerCase())
