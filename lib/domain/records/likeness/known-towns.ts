import { foldAlike } from '../../../engines/matching/index.ts'

/**
 * Returns the names of other records, changed for a comparison with `names`. If records or words tell that two towns are one place, the
 * names get the town of `names`. Example: "Lamp Temple, Lalitpur" becomes "Lamp Temple, Patan". Costs the calls of search, or none if no
 * towns differ.
 */
export async function withOneTown(
  names: readonly string[],
  others: readonly (readonly string[])[],
): Promise<readonly (readonly string[])[]> {
  const own = names.map(townIn).find((town) => town !== '')
  const towns = own === undefined ? [] : [...new Set(others.flat().map(townIn))]
  const differing = towns.filter((town) => own !== undefined && town !== '' && !foldAlike(town, own))
  if (own === undefined || differing.length === 0) return others
  // The code that asks search is loaded only if towns differ.
  const { nameOneThing } = await import('./known-names.ts')
  const same = await nameOneThing(
    differing.map((town) => [own, town] as const),
    null,
  )
  const known = new Set(differing.filter((_, i) => same[i]))
  return others.map((each) => each.map((name) => (known.has(townIn(name)) ? name.replace(/,.*$/s, `, ${own}`) : name)))
}

const townIn = (name: string): string => /,\s*(.*?)\s*$/s.exec(name)?.[1] ?? ''
