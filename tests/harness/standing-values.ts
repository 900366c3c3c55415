import type { CanonicalValue } from '../../lib/domain/records/rules/canonical.ts'

/** The value of each property that stands, as the data of a record holds them. */
export const standingValues = (standing: ReadonlyMap<string, CanonicalValue>): Record<string, unknown> =>
  Object.fromEntries(
    [...standing.values()].filter(({ stands }) => stands !== null).map(({ property, value }) => [property, value]),
  )
