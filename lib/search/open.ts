import { isProblem } from '../errors.ts'
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

/** Loaded with the first question: most requests of those who come here ask none, and need not wait for it. */
export const searchModel = async (): Promise<Model> => (await import('./model/follower.ts')).searchModel()

/** The search model, where nothing depends on it; undefined while there is none. */
export async function modelIfAny(): Promise<Model | undefined> {
  try {
    return await searchModel()
  } catch (error) {
    if (isProblem(error, 'unavailable')) return undefined
    throw error
  }
}
