/** Marks a text that people read and that is no sentence: the catalogue has it as well. */
export const phrase = <const T extends string>(text: T): T => text
