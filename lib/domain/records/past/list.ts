import { mapAtOnce } from '../../../base/concurrency.ts'
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

/** `more`: further records may follow this page. */
type PastPage = PageResult<RecordRow> & { more: boolean }

/**
 * Returns one page of the records of a kind that were public at a moment, newest first. It is a page of today's list without
 * the records that were not public at that moment, so it may be short. Records that are hidden today are missing. `count` is
 * the size of today's list.
 *
 * Costs two calls, one for each record of the page that was published again since, and one for each hundred of them.
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

const HISTORIES_AT_ONCE = 20

/** Drops the rows of records that were not public at `at`. All other rows get their values of that moment. */
async function rowsAt(rows: readonly RecordRow[], at: string, actor: Actor | null): Promise<RecordRow[]> {
  const changed = rows.filter((row) => !isUnchanged(row, at))
  const publications = new Map<string, Publication>()
  await mapAtOnce(changed, HISTORIES_AT_ONCE, async (row) => {
    const publication = await findPublication(row, at)
    if (publication) publications.set(row.entity_id, publication)
  })
  const revisions = await getMany([...publications].map(([entity_id, { number }]) => key.revision(entity_id, number)))
  return rows.flatMap((row): RecordRow[] => {
    if (isUnchanged(row, at))
      return wasDeleted(row, at) ? [] : [{ ...row, updated_at: row.accepted_at ?? row.updated_at }]
    const publication = publications.get(row.entity_id)
    const published =
      publication && itemIn(revisions, revision, { entity_id: row.entity_id, revision_number: publication.number })
    const past = published && pastRow(row, { publication, revision: published }, actor)
    return past ? [past] : []
  })
}

/** Whether the values of that moment are the values of today, so that no history has to be read. */
const isUnchanged = ({ accepted_at }: RecordRow, at: string) => accepted_at !== null && accepted_at <= at

async function findPublication(row: RecordRow, at: string): Promise<Publication | undefined> {
  const { pk, sk } = key.decision(row.entity_id, '')
  const decisions = (await queryAll(pk, sk)).map((item) => parse(decision, item))
  return publicationAt(row, decisions, at)
}
