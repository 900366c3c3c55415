import { isProblem, noneIf } from '../errors.ts'
import type { Model, Sort } from './query.ts'
import { isSomewhere, type Where } from './where.ts'

type Wanted = Partial<Where> & {
  search?: string | undefined
  sort?: Sort | undefined
  facets?: boolean | undefined
}

/** Whether the indexes cannot answer it: they know no text, no facets, no place or time, and no order but that of creation. */
export const needsSearch = ({ search, sort, facets, ...where }: Wanted): boolean =>
  isSomewhere(where) ||
  search !== undefined ||
  facets === true ||
  (sort !== undefined && sort !== 'created' && sort !== '-created')

let follower: Promise<typeof import('./model/follower.ts')> | undefined
/** Loaded with the first question: most requests of those who come here ask none, and need not wait for it. */
export async function searchModel(): Promise<Model> {
  // Kept, since Node looks for a module anew each time, which takes longer than to find a page.
  follower ??= import('./model/follower.ts')
  return (await follower).searchModel()
}

/** The search model, where nothing depends on it; undefined while there is none. */
export const modelIfAny = (): Promise<Model | undefined> =>
  searchModel().catch(noneIf((error) => isProblem(error, 'unavailable')))
