import * as v from 'valibot'
import {
  defineItem,
  getMany,
  itemIn,
  putAlways,
  queryBetween,
  type Write,
  walkTable,
} from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { IMAGES } from '../pictures/items.ts'
import type { History } from './history.ts'
import { type Assertion, type Decision, type RecordItem, recordItem } from './items.ts'
import { claimEdges, valueEdges } from './links.ts'
import { loadRecordById } from './load.ts'

/**
 * What others have built on a record: their links, claims, comments, pictures and decisions. Whoever takes work back leaves a
 * record on which others have built.
 */

/** `linked_waiting`: only a contribution that waits links to it, which few may know. */
export const builtReasons = ['linked', 'linked_waiting', 'claimed', 'commented', 'pictured', 'decided'] as const
export type BuiltReason = (typeof builtReasons)[number]

/** Says that a record of an import is named by a record of somebody else. It is stored with the link, so no link is missed. */
const Naming = v.object({ to: v.string(), from: v.string(), version: v.literal(1) })
const naming = defineItem({
  type: 'naming',
  schema: Naming,
  key: (it: { to: string; from: string }) => key.naming(it.to, it.from),
})

/** The writes that note for each of the records `to` that the record `from` names it. */
export const namingWrites = (to: readonly string[], from: string): Write[] =>
  [...new Set(to)].map((each) => putAlways(naming, { to: each, from, version: 1 }))

/** Whether a link by this person to this record is noted: it came with an import of somebody else, who may take it back. */
export const isNamingNoted = (
  target: { batch?: object | null | undefined; contributor_id: string | null },
  actor: { id: string },
): boolean => Boolean(target.batch) && target.contributor_id !== actor.id

/** The work that is to be taken back: whose it is, and which revision it made at what time. */
export type Work = {
  by: string
  revision: number
  at: string
  /** Whether a decision belongs to the work itself, and so does not keep it. */
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

/** The records to which a record links, by its values, by its waiting edit and by its relationships. */
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
/** Linking records that are looked at, at most, for one record. */
const LOOKED_AT = 100

/**
 * Whether records outside of `going` link to this record, and whether only waiting ones do. Two queries; two more calls if other
 * records have entries. A link of a published record has its entry once the projector has seen it. A link by somebody else to a
 * record of an import has one from the start.
 */
export async function findLinksInto(record: History, going: ReadonlySet<string>): Promise<BuiltReason[]> {
  const { entity_id } = record
  const outgoing = new Set(targetsOfRecord(record))
  const isOutside = (id: string) => id !== entity_id && !going.has(id)
  const related = await outsideEntries(entity_id, isOutside)
  const named = await queryBetween(key.naming(entity_id, '').pk, '!', '~', LOOKED_AT)
  const noted = named.map(({ from }) => String(from)).filter(isOutside)
  const standing = await findLinking(entity_id, [...new Set([...related, ...noted])], outgoing)
  if (standing.some((it) => it.public)) return ['linked']
  return standing.length > 0 ? ['linked_waiting'] : []
}

/** The first records outside of what goes that have an entry as related to this one. */
async function outsideEntries(entity_id: string, isOutside: (id: string) => boolean): Promise<string[]> {
  const found = new Set<string>()
  for (let beyond: string | undefined; found.size < LOOKED_AT; ) {
    const entries = await walkTable({ pk: `RELATED#${entity_id}`, forward: true, limit: ENTRIES, beyond })
    for (const { record } of entries) if (isOutside(String(record))) found.add(String(record))
    if (entries.length < ENTRIES) break
    beyond = String(entries.at(-1)?.sk)
  }
  return [...found].slice(0, LOOKED_AT)
}

/** Those of the records `from` that stand or wait, and link to this one now. */
async function findLinking(
  entity_id: string,
  from: readonly string[],
  outgoing: ReadonlySet<string>,
): Promise<RecordItem[]> {
  if (from.length === 0) return []
  const found = await getMany(from.map(key.head), true)
  const heads = from
    .flatMap((id) => itemIn(found, recordItem, { entity_id: id }) ?? [])
    .filter((it) => !it.deleted_at && (it.public || it.status !== 'rejected'))
  const linking = heads.filter((it) => targetsOf(it).includes(entity_id))
  if (linking.some((it) => it.public)) return linking
  // A relationship is a claim, which the head does not hold. Entries of links that lead out of the record are no others.
  const unclear = heads.filter((it) => !linking.includes(it) && !outgoing.has(it.entity_id))
  for (const { entity_id: id } of unclear) {
    const loaded = await loadRecordById(id)
    if (loaded && targetsOfClaims(loaded.assertions).includes(entity_id)) linking.push(loaded)
  }
  return linking
}
