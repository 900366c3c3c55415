import { amended, parse, put } from '../table/item.ts'
import { key } from '../table/keys.ts'
import { get, queryAll } from '../table/read.ts'
import { retryOnConflict } from '../table/retry.ts'
import { activity, decision, historyAudienceOf, type RecordItem, recordItem, toldOf, toldOfDecision } from './items.ts'

/**
 * Moves what happened to a record into the lists of those who may know of it now. It goes by what the record is when this
 * runs, not by the change that was heard, so that hearing it twice or late comes to the same.
 */
export async function moveHistory(old: RecordItem | undefined, next: RecordItem | undefined): Promise<void> {
  if (!old || !next || historyAudienceOf(old, true) === historyAudienceOf(next, true)) return
  const { pk } = key.head(next.entity_id)
  const [acts, verdicts] = await Promise.all([queryAll(pk, 'ACTIVITY#'), queryAll(pk, 'DECISION#')])
  for (const item of acts) await moveActivity(parse(activity, item))
  for (const item of verdicts) await moveDecision(parse(decision, item))
}

const moveActivity = ({ entity_id, activity_id }: { entity_id: string; activity_id: string }): Promise<void> =>
  retryOnConflict(
    async () => {
      const [old, about] = await Promise.all([
        get(activity, { entity_id, activity_id }),
        get(recordItem, { entity_id }),
      ])
      const next = old && about && toldOf(amended(old, {}), about)
      return { result: undefined, writes: next && next.audience !== old.audience ? [put(activity, next, old)] : [] }
    },
    { attempts: 10 },
  )

const moveDecision = ({ entity_id, id }: { entity_id: string; id: string }): Promise<void> =>
  retryOnConflict(
    async () => {
      const [old, about] = await Promise.all([get(decision, { entity_id, id }), get(recordItem, { entity_id })])
      const next = old && about && toldOfDecision(amended(old, {}), about)
      return { result: undefined, writes: next && next.audience !== old.audience ? [put(decision, next, old)] : [] }
    },
    { attempts: 10 },
  )
