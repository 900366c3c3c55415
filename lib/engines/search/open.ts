import { isProblem, noneIf } from '../../base/errors.ts'
import type { Model, SortOrder } from './query.ts'
import { isSomewhere, type WhereQuery } from './where.ts'

type ListQuery = Partial<WhereQuery> & {
  search?: string | undefined
  sort?: SortOrder | undefined
  facets?: boolean | undefined
}

/**
 * Whether a list needs search. The indexes of the table have no text, facets, places or years, and only the order of
 * creation.
 */
export const needsSearch = ({ search, sort, facets, ...where }: ListQuery): boolean =>
  isSomewhere(where) ||
  search !== undefined ||
  facets === true ||
  (sort !== undefined && sort !== 'created' && sort !== '-created')

let follower: Promise<typeof import('./model/follower.ts')> | undefined
/**
 * Opens the model of this process, or brings it up to date with the log. Fails with `unavailable`. The engine's code is
 * imported with the first question, since most requests do not search.
 */
export async function openSearchModel(): Promise<Model> {
  // The promise is kept, because Node resolves the module again at each `import()`, which takes longer than a search.
  follower ??= import('./model/follower.ts')
  return (await follower).processModel()
}

/** Does the same for callers that can work without search. Undefined instead of `unavailable`. */
export const openSearchModelIfAny = (): Promise<Model | undefined> =>
  openSearchModel().catch(noneIf((error) => isProblem(error, 'unavailable')))
