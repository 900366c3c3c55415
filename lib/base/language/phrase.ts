/** Marks a text that people read and that is no sentence, so that the catalogue must have it as well. */
export const phrase = <const T extends string>(text: T): T => text
