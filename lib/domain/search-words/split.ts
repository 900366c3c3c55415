/** Splits a text at commas and semicolons. Blank parts are left out. */
export const splitWords = (text: string): string[] =>
  text
    .split(/[,;]/)
    .map((it) => it.trim())
    .filter(Boolean)
