import { mapAtOnce } from '../../base/concurrency.ts'
import { addressOf, childId } from '../../base/ids/address.ts'
import { signedInAudience } from '../../base/visibility.ts'
import { type KindKey, kindOfCode, kinds } from '../../domain/kinds/index.ts'
import { type Decision, decision, type RecordItem, recordItem, revision } from '../../domain/records/items.ts'
import { type Publication, wasDeleted } from '../../domain/records/past/publications.ts'
import { pastRow } from '../../domain/records/past/record.ts'
import { getMany, itemIn, parse, walkTable } from '../../engines/table/index.ts'
import { maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import type { CitedEntry } from './items.ts'
import { type CitedRow, citeRows, type RowToCite } from './rows.ts'
import type { WithdrawalRule } from './view-shape.ts'

/** A cited record as it can be shown now. It has no row if a rule withholds all of it. `gone`: the ends of links that are withheld. */
export type Resolved = {
  entry: CitedEntry
  row: CitedRow | undefined
  rule: WithdrawalRule | undefined
  gone: readonly string[]
}

/** Histories that are read at the same time. */
const HISTORIES_AT_ONCE = 10

/**
 * Resolves entries to records as they were when cited. One call reads a hundred records, a hundred old revisions, or a hundred linked
 * records. A record that has been published again costs one more call.
 */
export async function resolveEntries(entries: readonly CitedEntry[]): Promise<Resolved[]> {
  const found = await getMany(entries.map(({ entity_id }) => key.head(entity_id)))
  const heads = new Map(entries.map(({ entity_id }) => [entity_id, itemIn(found, recordItem, { entity_id })] as const))
  const open = entries.filter((it) => ruleOn(heads.get(it.entity_id)) === undefined)
  const past = await loadCited(open, heads)
  const known = open.flatMap((it) => ({ entry: it, row: past.get(it.entity_id) }))
  const rows = await citeRows(known.flatMap(({ entry, row }): RowToCite[] => (row ? [{ row, told: entry.links }] : [])))
  const byId = new Map(rows.map((row) => [row.cultural_entity_id, row]))
  return entries.map((entry): Resolved => {
    const row = byId.get(entry.entity_id)
    if (!row) return { entry, row, rule: ruleOn(heads.get(entry.entity_id)) ?? 'taken_back', gone: [] }
    const gone = entry.links.filter((link) => !row.links.includes(link))
    return { entry, row, rule: gone.length > 0 ? 'link_withdrawn' : undefined, gone }
  })
}

/** Which rule withholds a record from everyone. Undefined if everyone may read it. */
export function ruleOn(head: RecordItem | undefined): WithdrawalRule | undefined {
  if (!head || head.deleted_at) return 'deleted'
  if (!head.public) return 'taken_back'
  return maySee(null, head) ? undefined : signedInAudience
}

/** Rows of records as their cited revisions published them, by review identity. What a rollback took back is left out. */
async function loadCited(
  entries: readonly CitedEntry[],
  heads: ReadonlyMap<string, RecordItem | undefined>,
): Promise<Map<string, RecordItem>> {
  const rows = new Map<string, RecordItem>()
  const changed: { head: RecordItem; entry: CitedEntry }[] = []
  for (const entry of entries) {
    const head = heads.get(entry.entity_id)
    if (head?.accepted_revision === entry.revision) rows.set(entry.entity_id, head)
    else if (head) changed.push({ head, entry })
  }
  const publications = await mapAtOnce(changed, HISTORIES_AT_ONCE, async ({ head, entry }) => ({
    head,
    publication: await publicationOf(entry),
  }))
  for (const row of await loadPublished(publications)) rows.set(row.entity_id, row)
  return rows
}

/** The publication of a cited revision. Undefined if a rollback took it back. One small call, more if `accepted` is 0. */
async function publicationOf({ entity_id, revision: number, accepted }: CitedEntry): Promise<Publication | undefined> {
  const span = accepted === 0 ? { from: 0, until: Number.MAX_SAFE_INTEGER } : { from: accepted, until: accepted }
  const made = await findDecision(entity_id, span, ({ accepted_revision }) => accepted_revision === number)
  return made && { at: made.created_at, number, decision: made }
}

/** The publication that held at a moment. Undefined if nothing was public then. No call if nothing was published since, else a few small ones. */
export async function findPublicationAt(head: RecordItem, at: string): Promise<Publication | undefined> {
  if (wasDeleted(head, at)) return undefined
  if (head.accepted_revision !== null && head.accepted_at !== null && head.accepted_at <= at)
    return { at: head.accepted_at, number: head.accepted_revision, decision: undefined }
  const span = { from: 0, until: Date.parse(at) }
  const made = await findDecision(head.entity_id, span, (it) => it.accepted_revision !== null && it.created_at <= at)
  return made && { at: made.created_at, number: made.accepted_revision ?? 0, decision: made }
}

/** Decisions that one call reads, latest first. */
const DECISIONS_IN_STEP = 10
/** The most milliseconds between the time of a decision and the time in its id. */
const SKEW = 5000
/** The last moment that an id can carry. */
const LAST = 2 ** 42 - 2

/** Finds the latest decision that fits, among those of a span of time. The ids of decisions sort by time, so it reads few decisions. */
async function findDecision(
  entity_id: string,
  { from, until }: { from: number; until: number },
  fits: (it: Decision) => boolean,
): Promise<Decision | undefined> {
  const { pk, sk: prefix } = key.decision(entity_id, '')
  let beyond = key.decision(entity_id, childId(entity_id, Math.min(until + SKEW, LAST), 0, 0)).sk
  for (;;) {
    const items = await walkTable({ pk, prefix, forward: false, limit: DECISIONS_IN_STEP, beyond })
    const decisions = items.map((item) => parse(decision, item))
    const found = decisions.find(fits)
    const last = decisions.at(-1)
    if (found || !last || items.length < DECISIONS_IN_STEP) return found
    if (Date.parse(last.created_at) < from - SKEW) return undefined
    beyond = key.decision(entity_id, last.id).sk
  }
}

/** Records with the values of their publications. One call for each hundred. */
export async function loadPublished(
  published: readonly { head: RecordItem; publication: Publication | undefined }[],
): Promise<RecordItem[]> {
  const keys = published.flatMap(({ head, publication }) =>
    publication ? [key.revision(head.entity_id, publication.number)] : [],
  )
  const found = await getMany(keys)
  return published.flatMap(({ head, publication }) => {
    const { entity_id } = head
    const stored = publication && itemIn(found, revision, { entity_id, revision_number: publication.number })
    return (stored && pastRow(head, { publication, revision: stored }, null)) ?? []
  })
}

/** How a record is named without its values: by kind and id. */
export function nameOfEntry({ entity_id }: Pick<CitedEntry, 'entity_id'>): {
  kind: KindKey
  id: number | string
  cultural_entity_id: string
} {
  const address = addressOf(entity_id)
  const kind = kindOfCode(address?.kindCode ?? 0)?.key ?? 'entity'
  return { kind, id: kinds[kind].record ? (address?.sequence ?? 0) : entity_id, cultural_entity_id: entity_id }
}
