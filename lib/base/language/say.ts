import { type Say, speakerOf } from './catalogue.ts'
import type { Language } from './languages.ts'

/** English: every text stays as it is written. */
export const english: Say = (text) => text

let nepali: Promise<Say> | undefined

/**
 * Returns the translator into a language. The catalogue is a file of its own next to the function, and is loaded at the first call.
 */
export async function sayIn(language: Language): Promise<Say> {
  if (language === 'en') return english
  nepali ??= import('./nepali.ts').then((module) => speakerOf(module.nepali))
  // After a failure, the next call loads it again.
  nepali.catch(() => {
    nepali = undefined
  })
  return nepali
}
