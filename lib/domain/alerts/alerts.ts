import { now } from '../../base/clock.ts'
import { impossible } from '../../base/errors.ts'
import {
  get,
  getMany,
  itemIn,
  type PageRequest,
  type PageResult,
  parse,
  put,
  readList,
  type UnitOfWork,
  withNextVersion,
} from '../../engines/table/index.ts'
import { type Actor, maySee, type Subject } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type RecordItem, recordItem } from '../records/items.ts'
import {
  alertList,
  type CuratorAlert,
  curatorAlert,
  type ReconciledLink,
  reconciledLink,
  reconciledList,
} from './items.ts'
import type { AlertStatus } from './words.ts'

/** A link with its record. Whoever may see the record may see the link. */
export type LinkSubject = Subject & { link: ReconciledLink; record: RecordItem; version: number }
/** An alert as permissions see it: who may see it follows from the members of its record. */
export type AlertSubject = Subject & { alert: CuratorAlert; link: ReconciledLink; record: RecordItem; version: number }

export const subjectOf = ({ contributor_id, public: isPublic, access_tier, deleted_at }: RecordItem): Subject => ({
  contributor_id,
  public: isPublic,
  access_tier,
  deleted_at,
})

/** Loads a link with its record. Two calls. */
export async function loadLink(id: string): Promise<LinkSubject | undefined> {
  const link = await get(reconciledLink, { id })
  const record = link && (await get(recordItem, { entity_id: link.entity_id }))
  return link && record && { ...subjectOf(record), link, record, version: link.version }
}

/** Loads an alert with its link and record. Two calls. */
export async function loadAlert(id: string): Promise<AlertSubject | undefined> {
  const alert = await get(curatorAlert, { id })
  if (!alert) return undefined
  const found = await getMany([key.reconciledLink(alert.link_id), key.head(alert.entity_id)], true)
  const link = itemIn(found, reconciledLink, { id: alert.link_id })
  const record = itemIn(found, recordItem, { entity_id: alert.entity_id })
  return link && record && { ...subjectOf(record), alert, link, record, version: alert.version }
}

/** Whether everyone may read a record now. The list may still hold a record that was hidden a moment ago. */
const isOpen = (record: RecordItem | undefined): record is RecordItem =>
  record !== undefined && !record.deleted_at && maySee(null, record)

type LinkFilter = { authority?: string | undefined; is_stale?: boolean | undefined }

/** Lists links of records that everyone reads, newest first. One query, or more with `is_stale`, and one batch read. */
export async function listLinks(
  { authority, is_stale }: LinkFilter,
  place: PageRequest,
): Promise<PageResult<LinkSubject>> {
  const pk = reconciledList(authority)
  const { items, found, ...listed } = await readList(
    {
      partitions: [{ index: authority ? 'gsi1' : 'gsi2', pk }],
      counted: [pk],
      ...(is_stale !== undefined && { only: { is_stale } }),
    },
    place,
    (rows) => rows.map((row) => key.head(parse(reconciledLink, row).entity_id)),
  )
  const results = items.flatMap((item): LinkSubject[] => {
    const link = parse(reconciledLink, item)
    const record = itemIn(found, recordItem, { entity_id: link.entity_id })
    return isOpen(record) ? [{ ...subjectOf(record), link, record, version: link.version }] : []
  })
  return { ...listed, results }
}

type AlertFilter = { status?: string | undefined; issue_type?: string | undefined }

/** Lists alerts, newest first. One query, or more with `issue_type`, and one batch read. */
export async function listAlerts(
  { status, issue_type }: AlertFilter,
  place: PageRequest,
): Promise<PageResult<AlertSubject>> {
  const pk = alertList(status)
  const { items, found, ...listed } = await readList(
    {
      partitions: [{ index: status ? 'gsi1' : 'gsi2', pk }],
      counted: [pk],
      ...(issue_type && { only: { issue_type } }),
    },
    place,
    (rows) =>
      rows
        .map((row) => parse(curatorAlert, row))
        .flatMap(({ link_id, entity_id }) => [key.reconciledLink(link_id), key.head(entity_id)]),
  )
  const results = items.flatMap((item): AlertSubject[] => {
    const alert = parse(curatorAlert, item)
    const link = itemIn(found, reconciledLink, { id: alert.link_id })
    const record = itemIn(found, recordItem, { entity_id: alert.entity_id })
    return link && isOpen(record) ? [{ ...subjectOf(record), alert, link, record, version: alert.version }] : []
  })
  return { ...listed, results }
}

/** Ends an alert. Fails with `invalid` if it is not open, and with `conflict` if somebody else was faster. */
export function endAlert(
  unit: UnitOfWork,
  it: AlertSubject,
  status: Exclude<AlertStatus, 'open'>,
  actor: Actor,
): AlertSubject {
  if (it.alert.status !== 'open') throw impossible(`This alert is ${it.alert.status} already.`)
  const alert = withNextVersion<CuratorAlert>(it.alert, { status, resolved_at: now(), resolved_by: actor.id })
  unit.add([put(curatorAlert, alert, it.alert)])
  return { ...it, alert, version: alert.version }
}
