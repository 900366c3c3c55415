import { log } from '../../base/telemetry/log.ts'
import { commitPlan } from '../../engines/table/immediate.ts'
import { get, type Plan, parse, put, remove, walk, walkTable, withNextVersion } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { actorOf } from '../../platform/users/actor.ts'
import { loadUser } from '../../platform/users/users.ts'
import { canonicalValues, type History, loadHistory } from '../records/history.ts'
import { isPending } from '../records/queue-entry.ts'
import type { Settlement } from '../records/rules/canonical.ts'
import { planRuling } from '../review/decide.ts'
import { type DataSource, dataSource, RESTORING } from '../sources/sources.ts'
import { type SourceRuling, sourceRuling } from './items.ts'

/** Decisions of a source that are read together. */
const RULINGS_AT_ONCE = 50
/** Milliseconds of one visit of the sweeper, so that its other chores get their turn. */
const VISIT_MS = 20_000

/**
 * Takes back what was decided because of sources that are trusted again: each value stands as before, unless a later decision changed it.
 * A record whose edit waits is left for a later visit, and so is one that fails. Safe to repeat. Returns the number of records.
 */
export async function restoreRulings(): Promise<number> {
  const until = performance.now() + VISIT_MS
  const sources = (await walk({ index: 'gsi3', pk: RESTORING, forward: true, limit: 10 })).map((item) =>
    parse(dataSource, item),
  )
  let restored = 0
  for (const source of sources) restored += await restoreSource(source, until)
  return restored
}

async function restoreSource(source: DataSource, until: number): Promise<number> {
  const user = await loadUser(source.question?.by ?? '')
  if (!user) return 0
  const { pk } = key.sourceRuling(source.id, '')
  let restored = 0
  let beyond: string | undefined
  do {
    const page = await walkTable({ pk, forward: true, limit: RULINGS_AT_ONCE, beyond })
    for (const it of page.map((item) => parse(sourceRuling, item)))
      if (performance.now() < until && (await tryToRestore(it, source, actorOf(user)))) restored += 1
    beyond = page.length < RULINGS_AT_ONCE ? undefined : String(page.at(-1)?.sk)
  } while (beyond !== undefined && performance.now() < until)
  const left = await walkTable({ pk, forward: true, limit: 1 })
  if (left.length === 0) await endRestoring(source.id)
  return restored
}

/** Returns false if the record was left for a later visit. A failure is logged, so that the other records do not wait for this one. */
const tryToRestore = (it: SourceRuling, source: DataSource, actor: Actor): Promise<boolean> =>
  restoreOne(it, source, actor).catch((error: unknown) => {
    log({
      level: 'error',
      message: 'restore',
      error: `${it.entity_id}: ${error instanceof Error ? error.message : 'unknown'}`,
    })
    return false
  })

/** Returns false if an edit of the record waits. A later visit restores it then. */
const restoreOne = (it: SourceRuling, source: DataSource, actor: Actor): Promise<boolean> =>
  inUnit(async (unit) => {
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
