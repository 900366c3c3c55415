/** Splits words with commas or semicolons between them. */
export const splitWords = (text: string): string[] =>
  text
    .split(/[,;]/)
    .map((it) => it.trim())
    .filter(Boolean)
