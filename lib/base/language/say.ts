import { type Say, speakerOf } from './catalogue.ts'
import type { Language } from './languages.ts'

/** The code's own language: everything stays as it is written. */
export const english: Say = (text) => text

let nepali: Promise<Say> | undefined

/**
 * Translates texts of the service into a language. The catalogue lies beside the function, and is loaded when it is
 * first asked for.
 */
export async function sayIn(language: Language): Promise<Say> {
  if (language === 'en') return english
  nepali ??= import('./nepali.ts').then((it) => speakerOf(it.nepali))
  // A failed load is tried again with the next call.
  nepali.catch(() => {
    nepali = undefined
  })
  return nepali
}
