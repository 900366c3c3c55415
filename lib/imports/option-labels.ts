import type { Field } from '../kinds/index.ts'
import { optionsOf } from '../kinds/schema/enums.ts'
import type { Say } from '../language/catalogue.ts'
import { sayIn } from '../language/say.ts'

let nepali: Say | undefined
const byLabel = new Map<Field['vocabulary'], ReadonlyMap<string, string>>()

/** Loads the words in which options are labelled in Nepali; before that they are not known. */
export async function loadLabels(): Promise<void> {
  nepali ??= await sayIn('ne')
}

/** The option of a controlled list that has this label in Nepali. */
export function optionLabelled({ vocabulary }: Field, text: string): string | undefined {
  if (!vocabulary || !nepali || !/\p{Script=Devanagari}/u.test(text)) return undefined
  const say = nepali
  const known =
    byLabel.get(vocabulary) ??
    new Map(optionsOf(vocabulary).map(({ value, label }) => [say(label).normalize('NFC'), value]))
  byLabel.set(vocabulary, known)
  return known.get(text.normalize('NFC').trim())
}
