import * as v from 'valibot'
import { oneOrNone, QueryText } from '../http/params.ts'
import { cut } from '../matching/cut.ts'

/** What a board is asked for. The name of an institution is cut where no stored one is as long. */
export const BoardQuery = v.object({
  search: v.pipe(
    QueryText,
    v.transform((it) => it && cut(it.toLowerCase(), 200)),
  ),
  institution: v.pipe(
    v.optional(v.string(), ''),
    v.transform((it) => cut(it.normalize('NFC').trim(), 256) || undefined),
  ),
  type: oneOrNone(['Curation', 'Revisions', 'Moderation', 'Forks']),
})
