import { getMany, itemIn, type Stored } from '../../engines/table/index.ts'
import { type Actor, mayInspect } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type PeopleById, peopleIn } from '../../platform/users/people.ts'
import { keyOf } from '../../platform/users/users.ts'
import { type RecordItem, recordItem } from '../records/items.ts'

/** The head of a record, by its id. Undefined if it was not loaded or is not there. */
export type HeadOf = (entity_id: string) => RecordItem | undefined
export type Referenced = { people: PeopleById; head: HeadOf }

/** Loads the people and records that a project names. Makes one DynamoDB call for each hundred. */
export async function loadReferenced(
  people: readonly (string | null)[],
  records: readonly string[],
): Promise<Referenced> {
  const ids = people.filter((id) => id !== null)
  return referencedIn(await getMany([...ids.map(keyOf), ...records.map(key.head)]))
}

/** The people and heads of records among these items. */
export const referencedIn = (items: ReadonlyMap<string, Stored>): Referenced => ({
  people: peopleIn(items),
  head: (entity_id) => itemIn(items, recordItem, { entity_id }),
})

/** Whether a reader may learn the id of a record that a project names. */
export type Knows = (entity_id: string) => boolean

/** Returns a test: whether the caller may learn the id of a record. Whoever may see or review the record may. */
export const knownTo =
  (actor: Actor | null, head: HeadOf): Knows =>
  (entity_id) => {
    const it = head(entity_id)
    return it !== undefined && mayInspect(actor, it)
  }
