import type { CanonicalValue } from '../../lib/domain/records/rules/canonical.ts'

/** The standing values by property, in the form of the data of a record. */
export const standingValues = (standing: ReadonlyMap<string, CanonicalValue>): Record<string, unknown> =>
  Object.fromEntries(
    [...standing.values()].filter(({ stands }) => stands !== null).map(({ property, value }) => [property, value]),
  )
