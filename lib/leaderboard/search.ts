import type { Scope } from '../permissions.ts'
import { modelIfAny } from '../search/open.ts'
import { beginning, filterByName } from '../users/search.ts'

/** At most this many people are found by one search: their places are read one by one, and kept with the answer. */
const MOST_FOUND = 500

const everyone: Scope = { signedIn: false, everything: false, own: null }

/**
 * Who is called so: first those of whom the username, full name or last name begins with a text, as the table has them
 * now, then those whose username or full name holds it elsewhere, as search knows them. Of very many, some. Two calls.
 */
export async function whoIs(text: string): Promise<string[]> {
  const [begin, model] = await Promise.all([beginning(text), modelIfAny()])
  const hold = model ? await filterByName(model, text, everyone) : []
  return [...new Set([...begin, ...hold.map((it) => it.id)])].slice(0, MOST_FOUND)
}
