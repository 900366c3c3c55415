import { edits } from './edits.ts'

/**
 * Of known names the one that was meant, as far as spelling tells: at most a third of the letters differ, and case,
 * hyphens and underscores count for nothing. Undefined when none is near.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const plain = plainOf(name)
  const most = Math.max(1, Math.floor(plain.length / 3))
  let best: { name: string; far: number } | undefined
  for (const each of known) {
    const far = edits(plain, plainOf(each), most)
    if (far <= most && (!best || far < best.far)) best = { name: each, far }
  }
  return best?.name
}

/** "Did you mean ...?" after a sentence, where something is near. */
export function meantBy(name: string, known: Iterable<string>): string {
  const near = nearest(name, known)
  return near === undefined ? '' : ` Did you mean ${near}?`
}

/** More letters than any known name has tell nothing. */
const plainOf = (name: string) =>
  name
    .slice(0, 100)
    .toLowerCase()
    .replace(/[-_\s]/g, '')
