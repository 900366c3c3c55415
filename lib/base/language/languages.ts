/** The languages in which the service speaks; the first is that of its code. */
export const languages = ['en', 'ne'] as const
export type Language = (typeof languages)[number]
