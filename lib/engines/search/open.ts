import { isProblem, noneIf } from '../../base/errors.ts'
import type { Model, SortOrder } from './query.ts'
import { isSomewhere, type WhereQuery } from './where.ts'

type ListQuery = Partial<WhereQuery> & {
  search?: string | undefined
  sort?: SortOrder | undefined
  facets?: boolean | undefined
}

/**
 * Whether a list needs search. The table's indexes know no text, facets, places or times, and no order but that of
 * creation.
 */
export const needsSearch = ({ search, sort, facets, ...where }: ListQuery): boolean =>
  isSomewhere(where) ||
  search !== undefined ||
  facets === true ||
  (sort !== undefined && sort !== 'created' && sort !== '-created')

let follower: Promise<typeof import('./model/follower.ts')> | undefined
/**
 * The model of this process, up to date with the log. Its code is loaded with the first question, since most requests
 * ask none.
 */
export async function openSearchModel(): Promise<Model> {
  // Kept: Node resolves the module anew with each `import()`, which takes longer than finding a page.
  follower ??= import('./model/follower.ts')
  return (await follower).processModel()
}

/** The same for callers that can do without search: undefined while there is no model. */
export const openSearchModelIfAny = (): Promise<Model | undefined> =>
  openSearchModel().catch(noneIf((error) => isProblem(error, 'unavailable')))
