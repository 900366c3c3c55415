/**
 * Turns A to Z into lower case and changes nothing else. User names and addresses are compared by this form. Unicode's
 * lower case would turn the Kelvin sign into k, and so one person's address into another's.
 */
export const asciiLowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
