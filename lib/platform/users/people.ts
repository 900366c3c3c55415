import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { getMany, itemAt, type Stored } from '../../engines/table/index.ts'
import { type Card, cardOf, keyOf } from './users.ts'

/** A person, as nested in other answers. */
export const UserCardView = s.shape('UserCard', () =>
  v.object({ id: s.uuid, username: s.text, email: s.text, first_name: s.text, last_name: s.text }),
)
/** A person, or the service itself, whose id is null. */
export const AuthorView = s.shape('Author', () => v.object({ ...UserCardView.entries, id: s.maybe(s.uuid) }))

/** Returns the card of a user that was looked up. Null stands for the service itself. */
export type PeopleById = (id: string | null) => Card | null

/** The service itself, for answers that always name an author. */
export const serviceCard = { id: null, username: 'system', email: '', first_name: '', last_name: '' }

/** Finds people among the items of one read, which may hold items of other types. */
export const peopleIn =
  (found: ReadonlyMap<string, Stored>): PeopleById =>
  (id) =>
    id === null ? null : cardOf(itemAt(found, keyOf(id)), id)

/** Loads people, in one call for each hundred. */
export const peopleOf = async (ids: readonly (string | null)[]): Promise<PeopleById> =>
  peopleIn(await getMany(ids.filter((id) => id !== null).map(keyOf)))

/** The present username of a user, or `stored` if the user is unknown. */
export const usernameOf = (people: PeopleById, id: string | null, stored: string): string =>
  people(id)?.username || stored

/** Replaces the stored usernames in `member` by the present ones. One call for each hundred items. */
export async function withCurrentUsernames<
  N extends string,
  T extends { contributor_id: string | null } & Record<N, string>,
>(member: N, things: readonly T[]): Promise<T[]> {
  const people = await peopleOf(things.map((it) => it.contributor_id))
  return things.map((it) => ({ ...it, [member]: usernameOf(people, it.contributor_id, it[member]) }))
}
