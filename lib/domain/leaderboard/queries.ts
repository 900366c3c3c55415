import * as v from 'valibot'
import { cut } from '../../engines/matching/index.ts'
import { optionalQueryChoice, QueryText } from '../../platform/http/params.ts'

/** The query of a board. A name longer than any stored institution is cut. */
export const BoardQuery = v.object({
  search: v.pipe(
    QueryText,
    v.transform((it) => it && cut(it.toLowerCase(), 200)),
  ),
  institution: v.pipe(
    v.optional(v.string(), ''),
    v.transform((it) => cut(it.normalize('NFC').trim(), 256) || undefined),
  ),
  type: optionalQueryChoice(['Curation', 'Revisions', 'Moderation', 'Forks']),
})
