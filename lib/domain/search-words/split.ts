/** Splits a text at commas and semicolons. */
export const splitWords = (text: string): string[] =>
  text
    .split(/[,;]/)
    .map((it) => it.trim())
    .filter(Boolean)
