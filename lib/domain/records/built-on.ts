import { clock } from '../../base/clock.ts'
import {
  closeRegister,
  getMany,
  itemIn,
  queryBetween,
  readRegister,
  type Write,
  walkTable,
} from '../../engines/table/index.ts'
import { measureLag } from '../../platform/health/stream-lag.ts'
import { key } from '../../platform/table/keys.ts'
import { IMAGES } from '../pictures/items.ts'
import type { BuiltReason } from './built-reasons.ts'
import type { History } from './history.ts'
import { type Assertion, activityLists, type Decision, type RecordItem, recordItem } from './items.ts'
import { claimEdges, valueEdges } from './links.ts'
import { loadRecordById } from './load.ts'

/**
 * What others have built on a record: their links, claims, comments, pictures and decisions. A rollback, or the taking back of an
 * import, leaves such a record as it is.
 */

/** The work that is to be taken back: its author, the revision that it made, and the time. */
export type Work = {
  by: string
  revision: number
  at: string
  /** Whether a decision belongs to the work itself. Such a decision is not something that others have built. */
  isOwnDecision: (it: Decision) => boolean
}

/** The claims, comments, pictures and decisions of others since the work. Pure. */
export function builtInHistory({ assertions, activities, decisions }: History, work: Work): BuiltReason[] {
  const isLater = ({ created_at }: { created_at: string }) => created_at >= work.at
  const othersClaims = assertions.filter((it) => it.contributor_id !== work.by && isLater(it))
  return [
    ...(othersClaims.some((it) => it.revision_number === null) ? ['claimed' as const] : []),
    // A comment that was deleted leaves its activity, without a text.
    ...(activities.some(
      (it) => it.activity_type === 'commented' && it.comment !== '' && it.user_id !== work.by && isLater(it),
    )
      ? ['commented' as const]
      : []),
    ...(othersClaims.some((it) => it.asserted_property === IMAGES) ? ['pictured' as const] : []),
    ...(decisions.some((it) => it.revision_reviewed >= work.revision && isLater(it) && !work.isOwnDecision(it))
      ? ['decided' as const]
      : []),
  ]
}

/** The records to which a record links by its values and its waiting edit. Relationships are claims: see `targetsOfRecord`. */
const targetsOf = (it: Pick<RecordItem, 'entity_id' | 'kind' | 'data' | 'proposed'>): string[] =>
  [it.data, it.proposed ?? {}].flatMap((data) => valueEdges({ ...it, data }).map(({ to }) => to))
const targetsOfClaims = (claims: readonly Assertion[]): string[] =>
  claims
    .filter((it) => it.reconciliation_status !== 'superseded')
    .flatMap((it) => claimEdges({ ...it, reconciliation_status: 'accepted' }).map(({ to }) => to))
export const targetsOfRecord = (it: RecordItem & { assertions?: readonly Assertion[] }): string[] => [
  ...targetsOf(it),
  ...targetsOfClaims(it.assertions ?? []),
]

/** Entries of related records that one query reads. */
const ENTRIES = 1000
/** The most linking records that are looked at for one record. */
const LOOKED_AT = 100

/**
 * The links to a record. `reasons` is empty if no other record links to it. `forbidNaming`: writes for the transaction that deletes the
 * record. They fail with `conflict` if a link was noted since the read.
 */
export type LinksInto = { reasons: BuiltReason[]; forbidNaming: Write[] }

/**
 * Finds the links to this record from records outside of `going`. Two queries, one call for the records that have entries, and a query for
 * each record that may link by a claim. The projector stores the entries of published records a moment later. A link from outside an import
 * to a record of that import is noted at once (naming.ts).
 */
export async function findLinksInto(
  { entity_id, batch }: Pick<RecordItem, 'entity_id' | 'batch'>,
  going: ReadonlySet<string>,
): Promise<LinksInto> {
  const isOutside = (id: string) => id !== entity_id && !going.has(id)
  const related = await outsideEntries(entity_id, isOutside)
  const at = key.namings(entity_id)
  const named = await queryBetween(at.pk, at.sk, '~', LOOKED_AT + 1)
  const register = readRegister(named.find(({ sk }) => sk === at.sk))
  const notes = named.flatMap(({ from }) => (from === undefined ? [] : String(from)))
  const noted = [...register.held, ...notes, ...register.latest].filter(isOutside)
  const standing = await findLinking(entity_id, [...new Set([...related, ...noted])])
  return { reasons: reasonsOf(standing), forbidNaming: batch ? [closeRegister(at, register)] : [] }
}

function reasonsOf(linking: readonly RecordItem[]): BuiltReason[] {
  if (linking.some((it) => it.public)) return ['linked']
  return linking.length > 0 ? ['linked_waiting'] : []
}

/** Returns the first records outside of `going` whose entries say that they link to this one. */
async function outsideEntries(entity_id: string, isOutside: (id: string) => boolean): Promise<string[]> {
  const found = new Set<string>()
  for (let beyond: string | undefined; found.size < LOOKED_AT; ) {
    const entries = await walkTable({ pk: `RELATED#${entity_id}`, forward: true, limit: ENTRIES, beyond })
    for (const { record, direction } of entries)
      if (direction !== 'outbound' && isOutside(String(record))) found.add(String(record))
    if (entries.length < ENTRIES) break
    beyond = String(entries.at(-1)?.sk)
  }
  return [...found].slice(0, LOOKED_AT + 1)
}

/** The records among `from` that link to this one now, except deleted and rejected ones. */
async function findLinking(entity_id: string, from: readonly string[]): Promise<RecordItem[]> {
  if (from.length === 0) return []
  const found = await getMany(from.map(key.head), true)
  const heads = from
    .flatMap((id) => itemIn(found, recordItem, { entity_id: id }) ?? [])
    .filter((it) => !it.deleted_at && (it.public || it.status !== 'rejected'))
  const linking = heads.filter((it) => targetsOf(it).includes(entity_id))
  if (linking.some((it) => it.public)) return linking
  // A relationship is a claim, which the head does not hold, so these records are read whole.
  const unclear = heads.filter((it) => !linking.includes(it))
  for (const { entity_id: id } of unclear) {
    const loaded = await loadRecordById(id)
    if (loaded && targetsOfClaims(loaded.assertions).includes(entity_id)) linking.push(loaded)
  }
  return linking
}

/** After this time, every request has ended that read a record before it was deleted or taken back. */
const LONGEST_REQUEST_MS = 60_000

/**
 * Whether a second look at a record that was deleted or taken back at `went_at` sees all links to it. By then all requests that read the
 * record before have ended. The projector has followed all their writes.
 */
export async function seesLateLinks(went_at: string): Promise<boolean> {
  const passed = clock.now().getTime() - Date.parse(went_at) - LONGEST_REQUEST_MS
  return passed > 0 && (await measureLag(activityLists)).seconds * 1000 < passed
}
