import { commitPlan, runUnit } from '../../engines/table/immediate.ts'
import { get, type Plan, parse, put, remove, walk, walkTable, withNextVersion } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { actorOf } from '../../platform/users/actor.ts'
import { loadUser } from '../../platform/users/users.ts'
import { canonicalValues, type History, loadHistory } from '../records/history.ts'
import { isPending } from '../records/queue-entry.ts'
import type { Settlement } from '../records/rules/canonical.ts'
import { planRuling } from '../review/decide.ts'
import { type DataSource, dataSource, RESTORING } from '../sources/sources.ts'
import { type SourceRuling, sourceRuling } from './items.ts'

/** The most records of one visit of the sweeper. */
const MOST_A_VISIT = 50

/**
 * Takes back what was decided because of sources that are trusted again: each value stands as before, unless a later decision changed it.
 * A record whose edit waits is left for a later visit. Safe to repeat. Returns the number of records.
 */
export async function restoreRulings(): Promise<number> {
  const sources = (await walk({ index: 'gsi3', pk: RESTORING, forward: true, limit: 10 })).map((item) =>
    parse(dataSource, item),
  )
  let restored = 0
  for (const source of sources) restored += await restoreSource(source)
  return restored
}

async function restoreSource(source: DataSource): Promise<number> {
  const user = await loadUser(source.question?.by ?? '')
  if (!user) return 0
  const { pk } = key.sourceRuling(source.id, '')
  const rulings = (await walkTable({ pk, forward: true, limit: MOST_A_VISIT })).map((item) => parse(sourceRuling, item))
  let restored = 0
  for (const it of rulings) if (await restoreOne(it, source, actorOf(user))) restored += 1
  const left = await walkTable({ pk, forward: true, limit: 1 })
  if (left.length === 0) await endRestoring(source.id)
  return restored
}

/** Returns false if an edit of the record waits. A later visit restores it then. */
const restoreOne = (it: SourceRuling, source: DataSource, actor: Actor): Promise<boolean> =>
  runUnit(async (unit) => {
    unit.retryOn('conflict')
    const history = await loadHistory(it.entity_id)
    const settlement = history && it.verdict === 'accept' ? settlementBack(history, it) : undefined
    if (history && settlement && settlement.outcomes.length > 0) {
      if (isPending(history.status)) return false
      const note = source.question?.reason ?? ''
      unit.add((await planRuling(history, actor, { ...settlement, note })).writes)
    }
    unit.add([remove(sourceRuling, it)])
    return true
  })

/** For each property, lets the claim before a ruling stand again, if the claim after the ruling still stands. */
function settlementBack(history: History, { values, statuses }: SourceRuling): Settlement {
  const standing = canonicalValues(history)
  const back = values.filter(({ property, after }) => (standing.get(property)?.stands ?? null) === after)
  const touched = back.flatMap(({ before, after }) => (after === null ? [before] : [before, after]))
  return {
    outcomes: back.map(({ property, before, after }) => ({
      property,
      stands: before,
      rule: 'source_restored',
      rivals: after === null ? [] : [after],
    })),
    fates: new Map(touched.flatMap((id) => (statuses[id] ? [[id, { status: statuses[id] }] as const] : []))),
  }
}

const endRestoring = (id: string): Promise<void> =>
  commitPlan(async (): Promise<Plan<void>> => {
    const old = await get(dataSource, { id })
    if (!old?.question?.is_restoring) return { result: undefined, writes: [] }
    const next = withNextVersion<DataSource>(old, { question: null })
    return { result: undefined, writes: [put(dataSource, next, old)] }
  })
