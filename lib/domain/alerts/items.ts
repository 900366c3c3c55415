import { hash } from 'node:crypto'
import * as v from 'valibot'
import { defineItem } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { parseSameAs } from '../names/same-as.ts'
import type { Values } from '../names/values.ts'
import { type AlertIssue, alertIssues, alertStatuses, authorities } from './words.ts'

/** The item types of links to other collections, and of alerts about them. Both follow from `same_as` of records that everyone reads. */

const ReconciledLink = v.object({
  id: v.string(),
  entity_id: v.string(),
  /** The value of `same_as`, as it was written. */
  value: v.string(),
  target_uri: v.string(),
  target_label: v.string(),
  authority: v.picklist(authorities),
  is_stale: v.boolean(),
  last_verified: v.nullable(v.string()),
  /** When it is asked next: ISO 8601. */
  due: v.string(),
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type ReconciledLink = v.InferOutput<typeof ReconciledLink>

/** Names the list of all links, or of those to one collection. */
export const reconciledList = (authority?: string): string => `RECONCILED${authority ? `#${authority}` : ''}`
/** Links by the time of their next question. */
export const RECONCILED_DUE = 'RECONCILED_DUE'

export const reconciledLink = defineItem({
  type: 'reconciled_link',
  schema: ReconciledLink,
  key: ({ id }: { id: string }) => key.reconciledLink(id),
  indexes: ({ id, authority, created_at, due }) => ({
    gsi1: { pk: reconciledList(authority), sk: `${created_at}#${id}` },
    gsi2: { pk: reconciledList(), sk: `${created_at}#${id}` },
    gsi3: { pk: RECONCILED_DUE, sk: `${due}#${id}` },
  }),
  counted: ({ authority }) => [reconciledList(), reconciledList(authority)],
})

const CuratorAlert = v.object({
  id: v.string(),
  link_id: v.string(),
  entity_id: v.string(),
  issue_type: v.picklist(alertIssues),
  status: v.picklist(alertStatuses),
  detail: v.string(),
  suggested_replacement_uri: v.nullable(v.string()),
  detected_at: v.string(),
  resolved_at: v.nullable(v.string()),
  resolved_by: v.nullable(v.string()),
  created_at: v.string(),
  version: v.number(),
})
export type CuratorAlert = v.InferOutput<typeof CuratorAlert>

/** Names the list of all alerts, or of those with one status. */
export const alertList = (status?: string): string => `ALERT${status ? `#${status}` : ''}`

export const curatorAlert = defineItem({
  type: 'curator_alert',
  schema: CuratorAlert,
  key: ({ id }: { id: string }) => key.curatorAlert(id),
  indexes: ({ id, status, created_at }) => ({
    gsi1: { pk: alertList(status), sk: `${created_at}#${id}` },
    gsi2: { pk: alertList(), sk: `${created_at}#${id}` },
  }),
  counted: ({ status }) => [alertList(), alertList(status)],
})

function uuidOf(...parts: readonly string[]): string {
  const digits = hash('sha256', parts.join('\n'))
  const part = (from: number, to: number) => digits.slice(from, to)
  return `${part(0, 8)}-${part(8, 12)}-5${part(13, 16)}-a${part(17, 20)}-${part(20, 32)}`
}

/** The id of the alert about a link. A link has one for each issue, however often it is found. */
export const alertIdOf = (link: string, issue: AlertIssue): string => uuidOf('alert', link, issue)

export type Target = Pick<ReconciledLink, 'id' | 'value' | 'target_uri' | 'authority'>

/** The values of `same_as` of a record, as they were written. */
export function linkTextsOf({ same_as }: Values): string[] {
  return Array.isArray(same_as) ? same_as.filter((it) => typeof it === 'string') : []
}

/** Reads a value of `same_as` as a link. Undefined unless it is an address, or an id of a known collection. */
export function targetOf(entity_id: string, value: string): Target | undefined {
  const known = parseSameAs(value)
  if (known) {
    const { word, address: target_uri, collection: authority, fault } = known
    return fault ? undefined : { id: uuidOf(entity_id, word), value, target_uri, authority }
  }
  const address = value.trim()
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return undefined
  return { id: uuidOf(entity_id, address), value, target_uri: address, authority: 'other' }
}
