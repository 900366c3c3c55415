import { parse } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { queryAll } from '../table/read.ts'
import {
  type Activity,
  activity,
  type Decision,
  decision,
  type Flag,
  flag,
  type Revision,
  revision,
} from './record-items.ts'
import { assemble, type Loaded } from './records.ts'

/** A record with everything that happened to it; each list newest first. */
export type History = Loaded & { revisions: Revision[]; activities: Activity[]; decisions: Decision[]; flags: Flag[] }

/** The whole partition of a record in one query; undefined when there is none. */
export async function loadHistory(entity_id: string): Promise<History | undefined> {
  const items = (await queryAll(key.head(entity_id).pk, '')).reverse()
  const loaded = assemble(items)
  if (!loaded) return undefined
  const of = (type: string) => items.filter((item) => item.type === type)
  return {
    ...loaded,
    revisions: of(revision.type).map((item) => parse(revision, item)),
    activities: of(activity.type).map((item) => parse(activity, item)),
    decisions: of(decision.type).map((item) => parse(decision, item)),
    flags: of(flag.type).map((item) => parse(flag, item)),
  }
}
