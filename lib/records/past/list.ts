import { invalid } from '../../errors.ts'
import type { Kind } from '../../kinds/index.ts'
import { type Actor, audiencesWith } from '../../permissions.ts'
import { parse, read } from '../../table/item.ts'
import { key } from '../../table/keys.ts'
import { type PageRequest, type PageResult, readList } from '../../table/pages.ts'
import { getMany, itemIn, queryAll } from '../../table/read.ts'
import { decision, listsOf, RecordRow, recordItem, revision, rowMembers } from '../items.ts'
import { isAbsent, type Publication, publicationAt } from './publications.ts'
import { rowAt } from './record.ts'

/** `more`: there may be further records behind this page. */
type PastPage = PageResult<RecordRow> & { more: boolean }

/**
 * One page of the records of a kind that were public at a moment, newest first. What was public then is in today's list or
 * hidden today. So the page is a part of today's list, of what had been made by then, and what was not public yet is left out of
 * it: it may be shorter than was asked for. `count` is the size of today's list, which this one cannot exceed.
 * Calls: two, one for each record of the page that has been published anew since, and one for each hundred of these.
 */
export async function listAt(
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
    // The sign is behind all ids of that moment.
    { limit, offset: 0, from: from ?? { side: 'after', at: `${at}~` } },
  )
  const rows = listing.items.map((item) => read(RecordRow, recordItem, item))
  const results = await rowsAt(rows, at, actor)
  return { count: listing.count, results, first: listing.first, last: listing.last, more: rows.length === limit }
}

/** So many histories are read at a time. */
const AT_ONCE = 20

/** These records as they were then, those that were public. */
async function rowsAt(rows: readonly RecordRow[], at: string, actor: Actor | null): Promise<RecordRow[]> {
  const changed = rows.filter((it) => !isUnchanged(it, at))
  const then = new Map<string, Publication>()
  for (let start = 0; start < changed.length; start += AT_ONCE)
    await Promise.all(
      changed.slice(start, start + AT_ONCE).map(async (it) => {
        const found = await publishedAt(it, at)
        if (found) then.set(it.entity_id, found)
      }),
    )
  const kept = await getMany([...then].map(([entity_id, { number }]) => key.revision(entity_id, number)))
  return rows.flatMap((it): RecordRow[] => {
    if (isUnchanged(it, at)) return isAbsent(it, at) ? [] : [{ ...it, updated_at: it.accepted_at ?? it.updated_at }]
    const found = then.get(it.entity_id)
    const values = found && itemIn(kept, revision, { entity_id: it.entity_id, revision_number: found.number })
    const row = values && rowAt(it, { found, revision: values }, actor)
    return row ? [row] : []
  })
}

/** What is public of it today was so then. */
const isUnchanged = ({ accepted_at }: RecordRow, at: string) => accepted_at !== null && accepted_at <= at

async function publishedAt(it: RecordRow, at: string): Promise<Publication | undefined> {
  const { pk, sk } = key.decision(it.entity_id, '')
  const decisions = (await queryAll(pk, sk)).map((item) => parse(decision, item))
  return publicationAt(it, decisions, at)
}
