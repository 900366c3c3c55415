import { countEdits } from './edits.ts'

/**
 * Finds the name in `known` that is spelt most like `name`. At most a third of the letters may differ, or one letter of a short name.
 * Ignores case, spaces, hyphens and underscores. Undefined if no known name is near.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const plain = plainOf(name)
  const most = Math.max(1, Math.floor(plain.length / 3))
  let best: { name: string; edits: number } | undefined
  for (const candidate of known) {
    const edits = countEdits(plain, plainOf(candidate), most)
    if (edits <= most && (!best || edits < best.edits)) best = { name: candidate, edits }
  }
  return best?.name
}

/** Returns " Did you mean X?", to be added to a sentence. '' if no known name is near. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const near = nearestName(name, known)
  return near === undefined ? '' : ` Did you mean ${near}?`
}

/**
 * A name without case, spaces, hyphens and underscores. Known names have at most 100 letters, so the rest is cut off.
 */
const plainOf = (name: string) =>
  name
    .slice(0, 100)
    .toLowerCase()
    .replace(/[-_\s]/g, '')
