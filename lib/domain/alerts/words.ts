import { collectionKeys } from '../names/same-as.ts'

/** The values of the enumerations of links and alerts. */

export const authorities = [...collectionKeys, 'other'] as const
export const alertIssues = ['stale_link', 'label_drift', 'supersession'] as const
export type AlertIssue = (typeof alertIssues)[number]
export const alertStatuses = ['open', 'resolved', 'ignored'] as const
export type AlertStatus = (typeof alertStatuses)[number]
