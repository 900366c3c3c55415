import { type RecordItem, recordItem } from '../records/items.ts'
import { key } from '../table/keys.ts'
import { getMany, itemIn } from '../table/read.ts'
import { type PeopleById, peopleIn } from '../users/people.ts'
import { keyOf } from '../users/users.ts'

/** The people and records that a project names, in one call for each hundred. */
export async function loadReferenced(
  people: readonly (string | null)[],
  records: readonly string[],
): Promise<{ people: PeopleById; head: (entity_id: string) => RecordItem | undefined }> {
  const ids = people.filter((id) => id !== null)
  const found = await getMany([...ids.map(keyOf), ...records.map(key.head)])
  return {
    people: peopleIn(found),
    head: (entity_id) => itemIn(found, recordItem, { entity_id }),
  }
}
