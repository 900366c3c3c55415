import type { Scope } from '../../base/visibility.ts'
import { openSearchModelIfAny } from '../../engines/search/index.ts'
import { filterUsersByName, findUsersByPrefix } from '../../platform/users/search.ts'

/** The most people that one search finds. Their entries are read a hundred at a time, and the answer is cached. */
const MOST_FOUND = 500

const everyone: Scope = { signedIn: false, everything: false, own: null }

/**
 * Finds the ids of people by name. First come those whose username, full name or last name begins with the text, read from the
 * table. Then come those whose username or full name contains it, found by search. Two calls.
 */
export async function findPeople(text: string): Promise<string[]> {
  const [begin, model] = await Promise.all([findUsersByPrefix(text), openSearchModelIfAny()])
  const hold = model ? await filterUsersByName(model, text, everyone) : []
  return [...new Set([...begin, ...hold.map((it) => it.id)])].slice(0, MOST_FOUND)
}
