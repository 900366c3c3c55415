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

/** A username as it is today; the one that was stored where nobody of that id is known. */
export const usernameOf = (people: PeopleById, id: string | null, stored: string): string =>
  people(id)?.username || stored

/** Things under the usernames that their makers have today, of which `member` holds an earlier one. One call for each hundred. */
export async function signedToday<N extends string, T extends { contributor_id: string | null } & Record<N, string>>(
  member: N,
  things: readonly T[],
): Promise<T[]> {
  const people = await peopleOf(things.map((it) => it.contributor_id))
  return things.map((it) => ({ ...it, [member]: usernameOf(people, it.contributor_id, it[member]) }))
}
