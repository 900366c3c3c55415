/**
 * Letters A to Z in lower case, and nothing else changed. Names that identify somebody fold by this alone. Unicode's
 * own folding turns other letters into ASCII ones (the Kelvin sign into k), and so one address into another.
 */
export const asciiLowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
