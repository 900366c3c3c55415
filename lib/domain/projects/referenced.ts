import { getMany, itemIn } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { type PeopleById, peopleIn } from '../../platform/users/people.ts'
import { keyOf } from '../../platform/users/users.ts'
import { type RecordItem, recordItem } from '../records/items.ts'

/** Loads the people and records that a project names. Makes one DynamoDB call for each hundred. */
export async function loadReferenced(
  people: readonly (string | null)[],
  records: readonly string[],
): Promise<{ people: PeopleById; head: (entity_id: string) => RecordItem | undefined }> {
  const ids = people.filter((id) => id !== null)
  const items = await getMany([...ids.map(keyOf), ...records.map(key.head)])
  return {
    people: peopleIn(items),
    head: (entity_id) => itemIn(items, recordItem, { entity_id }),
  }
}
