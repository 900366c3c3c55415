import * as v from 'valibot'
import { fold } from '../../engines/matching/index.ts'
import {
  getMany,
  itemIn,
  type PageRequest,
  type PageResult,
  parse,
  queryBetween,
  readList,
} from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { type PeopleById, peopleIn, peopleOf } from '../../platform/users/people.ts'
import { keyOf } from '../../platform/users/users.ts'
import { ALL, type Organization, organization } from './items.ts'

/** The orders of the list of organizations. */
export const orders = ['name', 'created_at'] as const
type Order = { by: (typeof orders)[number]; forward: boolean }
export type OrganizationPage = PageResult<Organization> & { people: PeopleById }

/** Lists one page of all organizations. `people` finds their owners. Two calls. */
export async function listOrganizations({ by, forward }: Order, page: PageRequest): Promise<OrganizationPage> {
  const index = by === 'name' ? 'gsi1' : 'gsi2'
  const { items, found, ...listed } = await readList(
    { partitions: [{ index, pk: ALL }], counted: [ALL], forward },
    page,
    (rows) => rows.map((row) => keyOf(String(row.owner_id))),
  )
  return { ...listed, results: items.map((it) => parse(organization, it)), people: peopleIn(found) }
}

/** The most organizations that are read for one word of a search, and the most words of a search. */
const MOST_FOUND = 300
const MOST_WORDS = 6

const Entry = v.object({ organization_id: v.string(), name: v.string(), created_at: v.string() })

/**
 * Lists one page of the organizations that match all words of the text. A word matches if a word of names or description begins with it.
 * One query for each word, then two calls for the page. Exact up to 300 organizations for a word.
 */
export async function searchOrganizations(
  text: string,
  { by, forward }: Order,
  { offset, limit }: PageRequest,
): Promise<OrganizationPage> {
  const words = [...new Set(fold(text).split(' '))].filter(Boolean).slice(0, MOST_WORDS)
  const [first = new Map(), ...others] = await Promise.all(words.map(findByWord))
  const hits = [...first.values()].filter(({ organization_id: id }) => others.every((each) => each.has(id)))
  const sorted = hits.sort((a, b) => (a[by] < b[by] === forward ? -1 : 1))
  const ids = sorted.slice(offset, offset + limit).map((it) => it.organization_id)
  const found = await getMany(ids.map((id) => key.organization(id)))
  const results = ids.flatMap((id) => itemIn(found, organization, { id }) ?? []).filter((it) => it.deleted_at === null)
  return { count: sorted.length, results, people: await peopleOf(results.map((it) => it.owner_id)) }
}

async function findByWord(word: string): Promise<Map<string, v.InferOutput<typeof Entry>>> {
  const { pk } = key.organizationWord('', '')
  const stored = await queryBetween(pk, word, `${word}\u{10ffff}`, MOST_FOUND)
  const entries = stored.map((entry) => v.parse(Entry, entry))
  return new Map(entries.map((entry) => [entry.organization_id, entry]))
}
