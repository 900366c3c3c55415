import { key } from '../table/keys.ts'
import { getMany, itemIn } from '../table/read.ts'
import { type People, peopleIn } from './people.ts'
import { type Head, head } from './record-items.ts'
import { keyOf } from './users.ts'

/** The people and records that a project names, in one call for each hundred. */
export async function companyOf(
  people: readonly (string | null)[],
  records: readonly string[],
): Promise<{ people: People; head: (entity_id: string) => Head | undefined }> {
  const ids = people.filter((id) => id !== null)
  const found = await getMany([...ids.map(keyOf), ...records.map(key.head)])
  return {
    people: peopleIn(found),
    head: (entity_id) => itemIn(found, head, { entity_id }),
  }
}
