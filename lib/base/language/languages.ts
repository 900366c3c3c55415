/** The languages of the service. The first is the language of its code. */
export const languages = ['en', 'ne'] as const
export type Language = (typeof languages)[number]

/** Marks a text for people that is not a sentence. The catalogue must have it, like every sentence. */
export const phrase = <const T extends string>(text: T): T => text

/** Writes the digits of a text in Devanagari. Example: "7" becomes "७". */
export const inDevanagari = (text: string): string =>
  text.replace(/\d/g, (digit) => String.fromCharCode(0x966 + Number(digit)))
