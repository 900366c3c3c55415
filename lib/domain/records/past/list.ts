import { invalid } from '../../../base/errors.ts'
import { audiencesWith } from '../../../base/visibility.ts'
import {
  getMany,
  itemIn,
  type PageRequest,
  type PageResult,
  parse,
  queryAll,
  read,
  readList,
} from '../../../engines/table/index.ts'
import type { Actor } from '../../../platform/permissions.ts'
import { key } from '../../../platform/table/keys.ts'
import type { Kind } from '../../kinds/index.ts'
import { decision, listsOf, RecordRow, recordItem, revision, rowMembers } from '../items.ts'
import { type Publication, publicationAt, wasDeleted } from './publications.ts'
import { pastRow } from './record.ts'

/** `more`: there may be records after this page. */
type PastPage = PageResult<RecordRow> & { more: boolean }

/**
 * One page of the records of a kind that were public at a moment, newest first. It is a page of today's list without records
 * that were not public then, so it may be short. Records that are hidden today are missing. `count` is the size of today's list.
 * Calls: two, one for each record of the page that was published again since, and one for each hundred of these.
 */
export async function listPastRows(
  { kind, at, actor }: { kind: Kind; at: string; actor: Actor | null },
  { limit, offset, from }: PageRequest,
): Promise<PastPage> {
  if (offset > 0 && !from) throw invalid({ offset: ['Of a past time, follow the links in "next".'] })
  const partitions = audiencesWith(actor !== null).map((audience) => ({
    index: 'gsi1' as const,
    pk: listsOf.kind(kind.key, audience),
  }))
  const listing = await readList(
    { partitions, counted: partitions.map(({ pk }) => pk), members: rowMembers },
    // `~` sorts after every id, so records made at this very moment are included.
    { limit, offset: 0, from: from ?? { side: 'after', at: `${at}~` } },
  )
  const rows = listing.items.map((item) => read(RecordRow, recordItem, item))
  const results = await rowsAt(rows, at, actor)
  return { count: listing.count, results, first: listing.first, last: listing.last, more: rows.length === limit }
}

/** So many histories are read at once. */
const AT_ONCE = 20

/** Drops records that were not public then, and gives the others their values of then. */
async function rowsAt(rows: readonly RecordRow[], at: string, actor: Actor | null): Promise<RecordRow[]> {
  const changed = rows.filter((it) => !isUnchanged(it, at))
  const then = new Map<string, Publication>()
  for (let start = 0; start < changed.length; start += AT_ONCE)
    await Promise.all(
      changed.slice(start, start + AT_ONCE).map(async (it) => {
        const found = await findPublication(it, at)
        if (found) then.set(it.entity_id, found)
      }),
    )
  const kept = await getMany([...then].map(([entity_id, { number }]) => key.revision(entity_id, number)))
  return rows.flatMap((it): RecordRow[] => {
    if (isUnchanged(it, at)) return wasDeleted(it, at) ? [] : [{ ...it, updated_at: it.accepted_at ?? it.updated_at }]
    const found = then.get(it.entity_id)
    const values = found && itemIn(kept, revision, { entity_id: it.entity_id, revision_number: found.number })
    const row = values && pastRow(it, { found, revision: values }, actor)
    return row ? [row] : []
  })
}

/** Then the values of then are the values of today, and no history need be read. */
const isUnchanged = ({ accepted_at }: RecordRow, at: string) => accepted_at !== null && accepted_at <= at

async function findPublication(it: RecordRow, at: string): Promise<Publication | undefined> {
  const { pk, sk } = key.decision(it.entity_id, '')
  const decisions = (await queryAll(pk, sk)).map((item) => parse(decision, item))
  return publicationAt(it, decisions, at)
}
