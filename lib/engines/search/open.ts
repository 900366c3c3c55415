import { config } from '../../base/config.ts'
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
let server: Promise<typeof import('./opensearch/index.ts')> | undefined
/**
 * Opens the model of this process, or brings it up to date with the log. Where `SEARCH_URL` is set, returns the model that asks the server.
 * Fails with `unavailable`. The engine's code is imported with the first question, since most requests do not search.
 */
export async function openSearchModel(): Promise<Model> {
  // The promise is kept, because Node resolves the module again at each `import()`, which takes longer than a search.
  if (config.SEARCH_URL !== '') {
    server ??= import('./opensearch/index.ts')
    return (await server).serverModel()
  }
  follower ??= import('./model/follower.ts')
  return (await follower).processModel()
}

/**
 * Opens the model as `openSearchModel` does, for callers that can work without search. Returns undefined instead of failing with
 * `unavailable`.
 */
export async function openSearchModelIfAny(): Promise<Model | undefined> {
  try {
    // A server is asked whether it is there, since opening its model does not call it.
    if (config.SEARCH_URL !== '' && !(await (await import('./opensearch/check.ts')).check()).healthy) return undefined
    return await openSearchModel()
  } catch (error) {
    return noneIf((it) => isProblem(it, 'unavailable'))(error)
  }
}
