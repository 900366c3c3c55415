import { kinds } from '../kinds/index.ts'
import { type Actor, mayInspect } from '../permissions.ts'
import { headerOf } from '../records/build.ts'
import type { History } from '../records/history.ts'
import type { RecordItem } from '../records/items.ts'
import { namedBy } from '../records/links.ts'
import { type Similar, similarTo } from '../records/look-alikes.ts'
import type { Write } from '../table/item.ts'
import { depictedBy } from './assets/depicted.ts'
import type { ProjectEntity } from './items.ts'
import { merging } from './merge.ts'
import { namedBlocker, type Planned, planRecords } from './merge-accept.ts'
import { inParts, limits, MOST_BLOCKERS, PACE } from './merge-work.ts'
import type { Whole } from './projects.ts'
import { loadReferenced } from './referenced.ts'
import { whyNotMerged } from './transition.ts'

/** How long a preview goes on planning; what it has not come to by then it says. */
export const previewing = { atMostMs: 10_000 }

/** A record that looks like one of the project's; `linked` where it belongs to the project, too. */
export type LookAlike = Pick<Similar, 'entity_id' | 'how'> & { name: string; linked: boolean }

/** One linked record: what the merge makes of it, `plan` being undefined where it leaves it as it is. */
export type Foreseen = {
  link: ProjectEntity
  head: RecordItem | undefined
  plan: Planned | undefined
  alike: LookAlike[]
}

export type Preview = {
  /** What would refuse the merge, as it would name it. */
  blockers: string[]
  size: {
    records: number
    /** So many of them wait and were looked at; the rest, where time was short, is reckoned like them. */
    planned: number
    accepted: number
    blocked: number
    left: number
    writes: number
    bytes: number
    parts: number
  }
  /** How long the merge takes, about, and whether that is longer than a request waits. */
  seconds: number
  goes_on_alone: boolean
  rows: Foreseen[]
}

/** What a merge by this caller would do, as the merge itself plans it; `rows` are these links of the project. Nothing is written. */
export async function previewMerge(whole: Whole, actor: Actor, links: readonly ProjectEntity[]): Promise<Preview> {
  const shown = new Set(links.map((it) => it.entity_id))
  const others = whole.entities.filter((it) => !shown.has(it.entity_id))
  const tally: Tally = { looked: 0, accepted: 0, blocked: 0, writes: 0, bytes: 0, blockers: [] }
  const until = performance.now() + previewing.atMostMs
  const by = { actor, depicted: depictedBy(whole) }
  // The links that are shown come first: for them there is always time.
  const planned = await planAll(links, by, tally, Number.POSITIVE_INFINITY)
  await planAll(others, by, tally, until)
  const reason = whyNotMerged(whole.about, actor)
  const blockers = [...(reason === undefined ? [] : [reason]), ...tally.blockers.sort()]
  return {
    blockers: blockers.slice(0, MOST_BLOCKERS),
    ...reckoned(whole.entities.length, tally),
    rows: await foreseen(whole, actor, links, planned),
  }
}

/** Plans what the merge does to these records, as long as there is time, and counts it. */
async function planAll(
  links: readonly ProjectEntity[],
  { actor, depicted }: { actor: Actor; depicted: ReturnType<typeof depictedBy> },
  tally: Tally,
  until: number,
) {
  const all: Planned[] = []
  for (const part of inParts(links, limits.recordsInPart)) {
    if (performance.now() > until) break
    const ids = part.map((it) => it.entity_id)
    // A part that was begun is planned whole.
    const planned = await planRecords(ids, actor, depicted, Number.POSITIVE_INFINITY)
    for (const it of planned) count(tally, it)
    tally.looked += part.length
    all.push(...planned)
  }
  return all
}

/** What is there for all records, where those that were looked at are like the others. */
function reckoned(records: number, tally: Tally): Pick<Preview, 'size' | 'seconds' | 'goes_on_alone'> {
  const share = tally.looked === 0 ? 0 : records / tally.looked
  const seconds = Math.ceil((share * tally.accepted) / PACE)
  const size = {
    records,
    planned: tally.looked,
    accepted: tally.accepted,
    blocked: tally.blocked,
    left: tally.looked - tally.accepted - tally.blocked,
    writes: Math.round(share * tally.writes),
    bytes: Math.round(share * tally.bytes),
    parts: Math.ceil(records / limits.recordsInPart),
  }
  return { size, seconds, goes_on_alone: seconds * 1000 > merging.waitedForMs }
}

type Tally = { looked: number; accepted: number; blocked: number; writes: number; bytes: number; blockers: string[] }

function count(tally: Tally, it: Planned): void {
  if ('blocker' in it) {
    tally.blocked += 1
    tally.blockers.push(namedBlocker(it))
    return
  }
  tally.accepted += 1
  tally.writes += it.writes.length
  for (const each of it.writes) tally.bytes += sizeOf(each)
}

const sizeOf = ({ action }: Write) => (action.Put?.Item ? Buffer.byteLength(JSON.stringify(action.Put.Item)) : 0)

async function foreseen(
  whole: Whole,
  actor: Actor,
  links: readonly ProjectEntity[],
  planned: readonly Planned[],
): Promise<Foreseen[]> {
  const plans = new Map(planned.map((it) => [it.old.entity_id, it]))
  const similar = new Map<string, Similar[]>()
  for (const some of inParts(planned, limits.atOnce))
    await Promise.all(some.map(async ({ old }) => similar.set(old.entity_id, await alikeOf(old))))
  const found = [...similar.values()].flat().map((it) => it.entity_id)
  const { head } = await loadReferenced([], [...new Set([...links.map((it) => it.entity_id), ...found])])
  const linked = new Set(whole.entities.map((it) => it.entity_id))
  const seen = ({ entity_id, how }: Similar): LookAlike[] => {
    const it = head(entity_id)
    return it && mayInspect(actor, it) ? [{ entity_id, how, name: it.name, linked: linked.has(entity_id) }] : []
  }
  return links.map((link) => ({
    link,
    head: head(link.entity_id),
    plan: plans.get(link.entity_id),
    alike: (similar.get(link.entity_id) ?? []).flatMap(seen),
  }))
}

/** What a record looks like today, though it may not have when it was sent. What it names is something else than it. */
async function alikeOf(old: History): Promise<Similar[]> {
  const { entity_id, kind } = old
  const data = old.proposed ?? old.data
  const { names, identities, point } = headerOf(kinds[kind], data)
  const linked = new Set(namedBy({ entity_id, kind, data }).map((it) => it.to))
  const found = await similarTo({ kind, names, identities, point, entity_id })
  return found.filter((it) => !linked.has(it.entity_id))
}
