import { countEdits } from './edits.ts'

/**
 * The known name that was meant, as far as spelling tells. At most a third of the letters differ; case, spaces, hyphens
 * and underscores do not count. Undefined if none is near.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const plain = plainOf(name)
  const most = Math.max(1, Math.floor(plain.length / 3))
  let best: { name: string; far: number } | undefined
  for (const each of known) {
    const far = countEdits(plain, plainOf(each), most)
    if (far <= most && (!best || far < best.far)) best = { name: each, far }
  }
  return best?.name
}

/** "Did you mean ...?" after a sentence, where something is near. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const near = nearestName(name, known)
  return near === undefined ? '' : ` Did you mean ${near}?`
}

/** Only the first 100 letters count: no known name has more. */
const plainOf = (name: string) =>
  name
    .slice(0, 100)
    .toLowerCase()
    .replace(/[-_\s]/g, '')
