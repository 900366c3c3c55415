import type { AccessRecord, Roles } from '../access/judge.ts'

/** `used` counts rights; `unused` and `denied` name them as `function action resource`. */
export type RightsReport = { used: number; unused: string[]; denied: string[] }

/**
 * Compares what each role grants with what was used and denied. The name of an index is data, so all indexes are granted together: one
 * that is used stands for all.
 */
export function compareRights(roles: Roles, { used, denied }: AccessRecord): RightsReport {
  const report: RightsReport = { used: 0, unused: [], denied: [...denied] }
  for (const [name, statements] of roles) {
    for (const { Action, Resource } of statements) {
      const areIndexes = Resource.every((it) => it.includes('/index/'))
      const places = areIndexes ? [Resource] : Resource.map((it) => [it])
      for (const action of Action) {
        for (const place of places) {
          if (place.some((resource) => used.has(`${name} ${action} ${resource}`))) report.used += 1
          else report.unused.push(`${name} ${action} ${place[0]}`)
        }
      }
    }
  }
  return report
}
