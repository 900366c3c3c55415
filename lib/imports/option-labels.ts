import type { Field } from '../kinds/index.ts'
import { optionsOf } from '../kinds/schema/enums.ts'
import { sayIn } from '../language/say.ts'

/** The words in which options are labelled in Nepali. */
const nepali = await sayIn('ne')
const byLabel = new Map<Field['vocabulary'], ReadonlyMap<string, string>>()

/** The option of a controlled list that has this label in Nepali. */
export function optionLabelled({ vocabulary }: Field, text: string): string | undefined {
  if (!vocabulary || !/\p{Script=Devanagari}/u.test(text)) return undefined
  const known =
    byLabel.get(vocabulary) ??
    new Map(optionsOf(vocabulary).map(({ value, label }) => [nepali(label).normalize('NFC'), value]))
  byLabel.set(vocabulary, known)
  return known.get(text.normalize('NFC').trim())
}
