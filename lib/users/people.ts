import { getMany, itemAt, type Stored } from '../table/read.ts'
import { type Card, cardOf, keyOf } from './users.ts'

/** Who is who, among the users that were looked up; null is the service itself. */
export type PeopleById = (id: string | null) => Card | null

/** How the service itself is shown where there is always somebody. */
export const service = { id: null, username: 'system', email: '', first_name: '', last_name: '' }

/** The people among items that were read together with other things. */
export const peopleIn =
  (found: ReadonlyMap<string, Stored>): PeopleById =>
  (id) =>
    id === null ? null : cardOf(itemAt(found, keyOf(id)), id)

/** Looks people up, in one call for each hundred. */
export const peopleOf = async (ids: readonly (string | null)[]): Promise<PeopleById> =>
  peopleIn(await getMany(ids.filter((id) => id !== null).map(keyOf)))
