import { sayIn } from '../../base/language/say.ts'
import type { Field } from '../kinds/index.ts'
import { optionsOf } from '../kinds/schema/enums.ts'

/** The Nepali labels of options. */
const nepali = await sayIn('ne')
const byLabel = new Map<Field['vocabulary'], ReadonlyMap<string, string>>()

/** The option with this Nepali label. */
export function optionLabelled({ vocabulary }: Field, text: string): string | undefined {
  if (!vocabulary || !/\p{Script=Devanagari}/u.test(text)) return undefined
  const known =
    byLabel.get(vocabulary) ??
    new Map(optionsOf(vocabulary).map(({ value, label }) => [nepali(label).normalize('NFC'), value]))
  byLabel.set(vocabulary, known)
  return known.get(text.normalize('NFC').trim())
}
