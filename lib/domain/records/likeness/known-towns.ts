import { foldAlike } from '../../../engines/matching/index.ts'

/**
 * Names of other records, to be compared with these names: the town after a comma is written as in these names, if records or words tell that
 * it is the same place: "Lamp Temple, Patan" is called like "Lamp Temple, Lalitpur". No call if no two towns differ, else that of search.
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
