import type { Catalogue } from './catalogue.ts'
import { choices } from './nepali/choices.ts'
import { fields } from './nepali/fields.ts'
import { kinds } from './nepali/kinds.ts'
import { patterns } from './nepali/patterns.ts'

/** Everything that the service says, in Nepali. `tests/language/catalogue.test.ts` keeps it complete. */
export const nepali: Catalogue = { ...kinds, ...fields, ...choices, ...patterns }
