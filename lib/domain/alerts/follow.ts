import { now } from '../../base/clock.ts'
import { commitPlan } from '../../engines/table/immediate.ts'
import { getMany, itemIn, put, remove, type Write } from '../../engines/table/index.ts'
import { maySee } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import {
  alertIdOf,
  curatorAlert,
  linkTextsOf,
  type ReconciledLink,
  reconciledLink,
  type Target,
  targetOf,
} from './items.ts'
import { alertIssues } from './words.ts'

/** The most links of one record that are asked. */
const MOST_LINKS = 20

/** The links of a record. None unless everyone may read it: nothing is asked about what is hidden. */
function targetsOf(record: RecordItem | undefined): Map<string, Target> {
  if (!record || record.deleted_at || !maySee(null, record)) return new Map()
  const texts = linkTextsOf(record.data).slice(0, MOST_LINKS)
  const targets = texts.flatMap((it) => targetOf(record.entity_id, it) ?? [])
  return new Map(targets.map((it) => [it.id, it]))
}

/**
 * Stores new links of a record, and removes those that it no longer has, with their alerts. It reads the record as it is now, so it is
 * safe to repeat, in any order. No call unless links have come or gone.
 */
export async function followLinks(before: RecordItem | undefined, after: RecordItem | undefined): Promise<void> {
  const [old, next] = [targetsOf(before), targetsOf(after)]
  const touched = [...new Set([...old.keys(), ...next.keys()])].filter((id) => old.has(id) !== next.has(id))
  const entity_id = (after ?? before)?.entity_id
  if (touched.length === 0 || entity_id === undefined) return
  for (const id of touched) await commitPlan(() => planLink(entity_id, id))
}

async function planLink(entity_id: string, id: string): Promise<{ result: undefined; writes: Write[] }> {
  const alertIds = alertIssues.map((issue) => alertIdOf(id, issue))
  const found = await getMany([key.head(entity_id), key.reconciledLink(id), ...alertIds.map(key.curatorAlert)], true)
  const target = targetsOf(itemIn(found, recordItem, { entity_id })).get(id)
  const link = itemIn(found, reconciledLink, { id })
  if (target)
    return { result: undefined, writes: link ? [] : [put(reconciledLink, newLink(entity_id, target), undefined)] }
  const alerts = alertIds.flatMap((alert) => itemIn(found, curatorAlert, { id: alert }) ?? [])
  const writes = [...(link ? [remove(reconciledLink, link)] : []), ...alerts.map((it) => remove(curatorAlert, it))]
  return { result: undefined, writes }
}

/** A link that nobody has asked yet. */
export function newLink(entity_id: string, target: Target): ReconciledLink {
  const at = now()
  const state = { target_label: '', is_stale: false, last_verified: null, due: at }
  return { ...target, entity_id, ...state, created_at: at, updated_at: at, version: 1 }
}
