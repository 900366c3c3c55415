import { type KindKey, kinds } from '../kinds/index.ts'

/** The name of a kind among search results: its segment, plural and with underscores. */
export const resourceOf = (kind: KindKey): string => kinds[kind].segment.replaceAll('-', '_')

/** The page of the dashboard that shows a record. */
export const urlOf = (kind: KindKey, id: number | string): string => `/knowledge/${kind}/view/${id}`
