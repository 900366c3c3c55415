import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { getMany, itemAt, type Stored } from '../../engines/table/index.ts'
import { type Card, cardOf, keyOf } from './users.ts'

/** A person, as nested in other things. */
export const UserCardView = s.shape('UserCard', () =>
  v.object({ id: s.uuid, username: s.text, email: s.text, first_name: s.text, last_name: s.text }),
)
/** A person, or the service itself, whose id is null. */
export const AuthorView = s.shape('Author', () => v.object({ ...UserCardView.entries, id: s.maybe(s.uuid) }))

/** Who is who, among the users that were looked up; null is the service itself. */
export type PeopleById = (id: string | null) => Card | null

/** How the service itself is shown where there is always somebody. */
export const serviceCard = { id: null, username: 'system', email: '', first_name: '', last_name: '' }

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
export async function withCurrentUsernames<
  N extends string,
  T extends { contributor_id: string | null } & Record<N, string>,
>(member: N, things: readonly T[]): Promise<T[]> {
  const people = await peopleOf(things.map((it) => it.contributor_id))
  return things.map((it) => ({ ...it, [member]: usernameOf(people, it.contributor_id, it[member]) }))
}
