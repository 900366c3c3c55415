import { mapAtOnce } from '../../base/concurrency.ts'
import { mapWithinBudget } from '../../base/telemetry/budget.ts'
import { type RecordItem, recordItem } from '../../domain/records/items.ts'
import { getMany, itemIn } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { type Citation, type CitedEntry, loadEntries, RECORDS_IN_PART } from './items.ts'
import { findPublicationAt, loadPublished, nameOfEntry, resolveEntries, ruleOn } from './resolve.ts'
import { type CitedRow, citeRows, type RowToCite } from './rows.ts'
import type { WithdrawalRule } from './view-shape.ts'

/** What the older answer is compared with: the records `ids` as they were `at` a moment (null: now), or a later citation of the question. */
export type Later = { ids: readonly string[]; at: string | null } | { citation: Citation }

/** One record that differs. All differences together, applied by review identity, turn the older answer into the later one. */
export type Difference = {
  change: 'added' | 'changed' | 'removed'
  about: ReturnType<typeof nameOfEntry>
  row: CitedRow | undefined
  /** The rule that withholds a removed record from everyone. */
  rule: WithdrawalRule | undefined
}
export type DifferencePage = { differences: Difference[]; next: string | undefined }

/** Records that are compared together at first. The cost decides how many follow. */
const COMPARED_AT_ONCE = 10
const MOST_COMPARED = 100
const HISTORIES_AT_ONCE = 10

/**
 * Compares the records after a review identity, in order. Reads at most two parts of each citation, so the size of the answers does not
 * change the cost. The next page begins after `next`; undefined at the end.
 */
export async function pageOfDifference(earlier: Citation, later: Later, after: string): Promise<DifferencePage> {
  const old = await entriesAfter(earlier, after)
  const fresh = 'citation' in later ? await entriesAfter(later.citation, after) : undefined
  const freshIds = fresh?.entries.map(({ entity_id }) => entity_id) ?? ('ids' in later ? later.ids : [])
  const until = [old.until, fresh?.until].filter((it) => it !== undefined).sort()[0]
  const isWithin = (id: string) => id > after && (until === undefined || id <= until)
  const all = [...new Set([...old.entries.map(({ entity_id }) => entity_id), ...freshIds])].filter(isWithin).sort()
  const ids = all.slice(0, MOST_COMPARED)
  const before = byId(old.entries)
  const compare = async (part: readonly string[]) => {
    const now = fresh
      ? await rowsOfEntries(part, byId(fresh.entries))
      : await rowsAt(part, new Set(freshIds), 'at' in later ? later.at : null)
    return part.map((id) => differenceOf(id, before.get(id), now.get(id)))
  }
  // A record that did not change has the result undefined and still counts as `done`, so the next page begins after it.
  const { results, done } = await mapWithinBudget(ids, COMPARED_AT_ONCE, compare)
  const isWhole = done === all.length
  return {
    differences: results.filter((it) => it !== undefined),
    next: isWhole ? until : ids[done - 1],
  }
}

const byId = (entries: readonly CitedEntry[]) => new Map(entries.map((it) => [it.entity_id, it]))

/**
 * The entries of a citation after a review identity, two parts at most. `until`: the last identity of these parts, if the citation has
 * further parts.
 */
async function entriesAfter(
  { id, starts }: Citation,
  after: string,
): Promise<{ entries: CitedEntry[]; until?: string }> {
  const first = Math.max(
    0,
    starts.findLastIndex((start) => start <= after),
  )
  const entries = starts.length === 0 ? [] : await loadEntries(id, first, first + 1)
  const until = first + 2 < starts.length ? entries.at(-1)?.entity_id : undefined
  return { entries: entries.filter(({ entity_id }) => entity_id > after), ...(until !== undefined && { until }) }
}

/** A record of the later answer: its row, or the rule that withholds it from everyone. */
type LaterRow = { entry?: CitedEntry | undefined; row: CitedRow | undefined; rule: WithdrawalRule | undefined }

function differenceOf(id: string, old: CitedEntry | undefined, later: LaterRow | undefined): Difference | undefined {
  const about = nameOfEntry({ entity_id: id })
  const told = later?.entry ?? later?.row
  if (told && old?.digest === told.digest) return undefined
  if (later?.row) return { change: old ? 'changed' : 'added', about, row: later.row, rule: undefined }
  return old && { change: 'removed', about, row: undefined, rule: later?.rule }
}

/** Rows of a later citation's entries. A record that is not in the citation has only the rule that withholds the record today, if any. */
async function rowsOfEntries(
  ids: readonly string[],
  entries: ReadonlyMap<string, CitedEntry>,
): Promise<Map<string, LaterRow>> {
  const lacking = ids.filter((id) => !entries.has(id))
  const [told, others] = await Promise.all([
    resolveEntries(ids.flatMap((id) => entries.get(id) ?? [])),
    rowsAt(lacking, none, null),
  ])
  return new Map([...others, ...told.map((it) => [it.entry.entity_id, it] as const)])
}
const none: ReadonlySet<string> = new Set()

/** Rows as they were public at a moment (null: now). A record outside of the answers has only the rule that withholds the record, if any. */
async function rowsAt(
  ids: readonly string[],
  answers: ReadonlySet<string>,
  at: string | null,
): Promise<Map<string, LaterRow>> {
  const found = await getMany(ids.map(key.head))
  const heads = ids.flatMap((entity_id) => itemIn(found, recordItem, { entity_id }) ?? [])
  const open = heads.filter((head) => ruleOn(head) === undefined && answers.has(head.entity_id))
  const rows = at === null ? open : await publishedAt(open, at)
  const cited = new Map(
    (await citeRows(rows.map((row): RowToCite => ({ row })))).map((row) => [row.cultural_entity_id, row]),
  )
  const byHead = new Map(heads.map((head) => [head.entity_id, head]))
  return new Map(ids.map((id) => [id, { row: cited.get(id), rule: ruleOn(byHead.get(id)) }]))
}

/** Records with the values that were public at a moment. Records that were not public then are left out. */
async function publishedAt(heads: readonly RecordItem[], at: string): Promise<RecordItem[]> {
  const find = async (head: RecordItem) => ({ head, publication: await findPublicationAt(head, at) })
  return loadPublished(await mapAtOnce(heads, HISTORIES_AT_ONCE, find))
}

/** The numbers of the first and the last part that hold `limit` records from `offset` on. */
export const partsAround = (offset: number, limit: number): [number, number] => [
  Math.floor(offset / RECORDS_IN_PART),
  Math.floor((offset + limit - 1) / RECORDS_IN_PART),
]
