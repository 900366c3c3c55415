import { isProblem, noneIf } from '../../base/errors.ts'
import type { Model, SortOrder } from './query.ts'
import { isSomewhere, type WhereQuery } from './where.ts'

type ListQuery = Partial<WhereQuery> & {
  search?: string | undefined
  sort?: SortOrder | undefined
  facets?: boolean | undefined
}

/**
 * Whether a list must be answered by search. The table's indexes know no text, facets, places or years, and no order
 * but that of creation.
 */
export const needsSearch = ({ search, sort, facets, ...where }: ListQuery): boolean =>
  isSomewhere(where) ||
  search !== undefined ||
  facets === true ||
  (sort !== undefined && sort !== 'created' && sort !== '-created')

let follower: Promise<typeof import('./model/follower.ts')> | undefined
/**
 * Opens the model of this process, or brings it up to date with the log. Fails with `unavailable`. The code is loaded
 * with the first question, since most requests ask none.
 */
export async function openSearchModel(): Promise<Model> {
  // The promise is kept: each `import()` makes Node resolve the module anew, which takes longer than a search.
  follower ??= import('./model/follower.ts')
  return (await follower).processModel()
}

/** The same for callers that can do without search: undefined instead of `unavailable`. */
export const openSearchModelIfAny = (): Promise<Model | undefined> =>
  openSearchModel().catch(noneIf((error) => isProblem(error, 'unavailable')))
