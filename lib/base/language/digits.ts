/** The same text with digits in Devanagari, as readers of Nepali write them. */
export const inDevanagari = (text: string): string =>
  text.replace(/\d/g, (digit) => String.fromCharCode(0x966 + Number(digit)))
