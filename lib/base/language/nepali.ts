import type { Catalogue } from './catalogue.ts'
import { choices } from './nepali/choices.ts'
import { community } from './nepali/community.ts'
import { fields } from './nepali/fields.ts'
import { files } from './nepali/files.ts'
import { identity } from './nepali/identity.ts'
import { kinds } from './nepali/kinds.ts'
import { letters } from './nepali/letters.ts'
import { notices } from './nepali/notices.ts'
import { pages } from './nepali/pages.ts'
import { patterns } from './nepali/patterns.ts'
import { pictures } from './nepali/pictures.ts'
import { predicates } from './nepali/predicates.ts'
import { records } from './nepali/records.ts'
import { requests } from './nepali/requests.ts'
import { words } from './nepali/words.ts'

/** The parts of the catalogue. No text is in two parts. */
export const parts = [
  kinds,
  fields,
  choices,
  patterns,
  pictures,
  predicates,
  requests,
  files,
  records,
  identity,
  notices,
  letters,
  pages,
  words,
  community,
] as const

/** All texts of the service, in Nepali. `tests/base/language/catalogue.test.ts` fails if a text is missing. */
export const nepali: Catalogue = Object.assign({}, ...parts)
