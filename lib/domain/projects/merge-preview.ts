import { mapAtOnce, splitIntoParts } from '../../base/concurrency.ts'
import type { Write } from '../../engines/table/index.ts'
import { type Actor, mayInspect } from '../../platform/permissions.ts'
import { kinds } from '../kinds/index.ts'
import { headerOf } from '../records/build.ts'
import type { History } from '../records/history.ts'
import type { RecordItem } from '../records/items.ts'
import { findLookAlikes, MOST_LOOK_ALIKES, type LookAlike as RecordLookAlike } from '../records/likeness/look-alikes.ts'
import { valueEdges } from '../records/links.ts'
import { picturesByRecord } from './assets/depicted.ts'
import type { ProjectEntity } from './items.ts'
import { mergeLimits } from './merge.ts'
import { blockerWithName, planRecords, type RecordPlan } from './merge-accept.ts'
import { MAX_BLOCKERS, partLimits, RECORDS_PER_SECOND } from './merge-work.ts'
import type { WholeProject } from './projects.ts'
import { loadReferenced } from './referenced.ts'
import { whyNotMerged } from './transition.ts'

/** Milliseconds for which a preview plans records. The figures of the other records are estimated. */
export const previewLimits = { atMostMs: 10_000 }

/** A record that looks like a record of the project. If `linked`, it belongs to the project too. */
export type PreviewLookAlike = Pick<RecordLookAlike, 'entity_id' | 'how'> & { name: string; linked: boolean }

/** One linked record with its plan. `plan` is undefined if the merge leaves the record as it is. */
export type ForeseenRecord = {
  link: ProjectEntity
  head: RecordItem | undefined
  plan: RecordPlan | undefined
  alike: PreviewLookAlike[]
}

export type Preview = {
  /** The reasons for which the merge would fail, in the merge's own words. */
  blockers: string[]
  size: {
    records: number
    /** Records that were planned. The next three figures count these alone; `writes`, `bytes` and `seconds` are estimates for all. */
    planned: number
    accepted: number
    blocked: number
    left: number
    writes: number
    bytes: number
    parts: number
  }
  /** The estimated duration of the merge. */
  seconds: number
  /** Whether it would continue in the background. */
  goes_on_alone: boolean
  rows: ForeseenRecord[]
}

/**
 * Plans what a merge by this caller would do, with the code of the merge itself. Nothing is written. `rows` belong to `links`,
 * the page that is shown.
 */
export async function previewMerge(
  whole: WholeProject,
  actor: Actor,
  links: readonly ProjectEntity[],
): Promise<Preview> {
  const shown = new Set(links.map((it) => it.entity_id))
  const others = whole.entities.filter((it) => !shown.has(it.entity_id))
  const tally: Tally = { looked: 0, accepted: 0, blocked: 0, writes: 0, bytes: 0, blockers: [] }
  const until = performance.now() + previewLimits.atMostMs
  const context = { actor, depicted: picturesByRecord(whole) }
  // The page that is shown is planned first, without a time limit.
  const planned = await planAndCount(links, context, tally, Number.POSITIVE_INFINITY)
  await planAndCount(others, context, tally, until)
  const reason = whyNotMerged(whole.about, actor)
  const blockers = [...(reason === undefined ? [] : [reason]), ...tally.blockers.sort()]
  return {
    blockers: blockers.slice(0, MAX_BLOCKERS),
    ...estimateAll(whole.entities.length, tally),
    rows: await foreseenRecords(whole, actor, links, planned),
  }
}

/** Plans these records until `until`, and adds them to the tally. */
async function planAndCount(
  links: readonly ProjectEntity[],
  { actor, depicted }: { actor: Actor; depicted: ReturnType<typeof picturesByRecord> },
  tally: Tally,
  until: number,
) {
  const plans: RecordPlan[] = []
  for (const part of splitIntoParts(links, partLimits.recordsInPart)) {
    if (performance.now() > until) break
    const ids = part.map((it) => it.entity_id)
    // A part is always planned to its end.
    const planned = await planRecords(ids, actor, depicted, Number.POSITIVE_INFINITY)
    for (const it of planned) addToTally(tally, it)
    tally.looked += part.length
    plans.push(...planned)
  }
  return plans
}

/** Estimates the figures for all records from those that were planned. */
function estimateAll(records: number, tally: Tally): Pick<Preview, 'size' | 'seconds' | 'goes_on_alone'> {
  const share = tally.looked === 0 ? 0 : records / tally.looked
  const seconds = Math.ceil((share * tally.accepted) / RECORDS_PER_SECOND)
  const size = {
    records,
    planned: tally.looked,
    accepted: tally.accepted,
    blocked: tally.blocked,
    left: tally.looked - tally.accepted - tally.blocked,
    writes: Math.round(share * tally.writes),
    bytes: Math.round(share * tally.bytes),
    parts: Math.ceil(records / partLimits.recordsInPart),
  }
  return { size, seconds, goes_on_alone: seconds * 1000 > mergeLimits.waitedForMs }
}

type Tally = { looked: number; accepted: number; blocked: number; writes: number; bytes: number; blockers: string[] }

function addToTally(tally: Tally, it: RecordPlan): void {
  if ('blocker' in it) {
    tally.blocked += 1
    tally.blockers.push(blockerWithName(it))
    return
  }
  tally.accepted += 1
  tally.writes += it.writes.length
  for (const each of it.writes) tally.bytes += sizeOf(each)
}

const sizeOf = ({ action }: Write) => (action.Put?.Item ? Buffer.byteLength(JSON.stringify(action.Put.Item)) : 0)

async function foreseenRecords(
  whole: WholeProject,
  actor: Actor,
  links: readonly ProjectEntity[],
  planned: readonly RecordPlan[],
): Promise<ForeseenRecord[]> {
  const plans = new Map(planned.map((it) => [it.old.entity_id, it]))
  const similar = new Map<string, RecordLookAlike[]>()
  await mapAtOnce(planned, partLimits.atOnce, async ({ old }) => similar.set(old.entity_id, await lookAlikesOf(old)))
  const similarIds = [...similar.values()].flat().map((it) => it.entity_id)
  const { head } = await loadReferenced([], [...new Set([...links.map((it) => it.entity_id), ...similarIds])])
  const linked = new Set(whole.entities.map((it) => it.entity_id))
  const visible = ({ entity_id, how }: RecordLookAlike): PreviewLookAlike[] => {
    const it = head(entity_id)
    return it && mayInspect(actor, it) ? [{ entity_id, how, name: it.name, linked: linked.has(entity_id) }] : []
  }
  return links.map((link) => ({
    link,
    head: head(link.entity_id),
    plan: plans.get(link.entity_id),
    alike: (similar.get(link.entity_id) ?? []).flatMap(visible).slice(0, MOST_LOOK_ALIKES),
  }))
}

/** Finds the present look-alikes of a record. Records to which it links are left out. */
async function lookAlikesOf(old: History): Promise<RecordLookAlike[]> {
  const { entity_id, kind } = old
  const data = old.proposed ?? old.data
  const { names, identities, point } = headerOf(kinds[kind], data)
  const linked = new Set(valueEdges({ entity_id, kind, data }).map((it) => it.to))
  const lookAlikes = await findLookAlikes({ kind, names, identities, point, entity_id })
  return lookAlikes.filter((it) => !linked.has(it.entity_id))
}
