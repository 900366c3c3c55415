import { fold } from '../domain/fold.ts'
import { key } from '../table/keys.ts'
import { queryBetween } from '../table/read.ts'
import { readEntry } from './entries.ts'

/** So many people are found by one search. */
export const MOST_FOUND = 50

/** Who is called so: whose username, full name or last name begins with a text. Of very many, some. One call. */
export async function whoIs(text: string): Promise<string[]> {
  const prefix = fold(text)
  if (prefix === '') return []
  const { pk } = key.name('user', '', '')
  const entries = await queryBetween(pk, prefix, `${prefix}\u{10ffff}`, 2 * MOST_FOUND)
  return [...new Set(entries.map((it) => readEntry(it).entity_id))].slice(0, MOST_FOUND)
}
