import { now } from '../../base/clock.ts'
import { checkAllowed, conflict, invalid } from '../../base/errors.ts'
import { checkVersion, getMany, itemIn, put, type UnitOfWork } from '../../engines/table/index.ts'
import { type Actor, mayDecideOn, mayInspect } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { type History, loadHistory } from '../records/history.ts'
import { isPending } from '../records/queue-entry.ts'
import type { ClaimFate, Settlement } from '../records/rules/canonical.ts'
import { planRuling } from '../review/decide.ts'
import type { DataSource } from '../sources/sources.ts'
import { type Fall, planFall } from './falls.ts'
import { type SourceRuling, sourceRuling } from './items.ts'

/** What the caller rules on records that rest on a source in question. `accept` carries out the falls, `reject` lets the values stand. */
export type RulingInput = { entity_ids: readonly string[]; verdict: SourceRuling['verdict']; note: string }

/** The settlement of falls: each former claim is superseded, and the claim after it, if there is one, is accepted. */
const settlementOf = (falls: readonly Fall[]): Settlement => ({
  outcomes: falls.map(({ property, before, after }) => ({
    property,
    stands: after,
    rule: 'source_withdrawn',
    rivals: [before],
  })),
  fates: new Map(
    falls.flatMap(({ before, after }): [string, ClaimFate][] => [
      [before, { status: 'superseded' }],
      ...(after === null ? [] : [[after, { status: 'accepted' }] satisfies [string, ClaimFate]]),
    ]),
  ),
})

/**
 * Decides on records that rest on a source in question, in one transaction. Fails with `refused` on work of the caller's own. Fails with
 * `conflict` if the source is not in question, or has changed since it was read. So it does if a record was decided on or has an edit that
 * waits.
 */
export async function ruleOnDependents(
  unit: UnitOfWork,
  source: DataSource,
  actor: Actor,
  { entity_ids, verdict, note }: RulingInput,
): Promise<SourceRuling[]> {
  const { question } = source
  if (!question || question.standing === 'trusted') throw conflict('This source is not in question.')
  const fallen = new Set(question.references)
  const ids = [...new Set(entity_ids)]
  const [histories, found] = await Promise.all([
    Promise.all(ids.map(loadHistory)),
    getMany(
      ids.map((id) => key.sourceRuling(source.id, id)),
      true,
    ),
  ])
  const rulings: SourceRuling[] = []
  for (const [i, entity_id] of ids.entries()) {
    const history = histories[i]
    if (!history || !mayInspect(actor, history)) throw invalid({ entity_ids: ['There is no record with this id.'] })
    if (itemIn(found, sourceRuling, { source_id: source.id, entity_id })) throw conflict('This was decided on already.')
    rulings.push(await ruleOn(unit, { source, history, fallen, actor, verdict, note }))
  }
  // The source is still in question when the rulings are stored.
  unit.add([checkVersion(key.source(source.id), source.version)])
  return rulings
}

type Ruling = {
  source: DataSource
  history: History
  fallen: ReadonlySet<string>
  actor: Actor
} & Pick<RulingInput, 'verdict' | 'note'>

async function ruleOn(
  unit: UnitOfWork,
  { source, history, fallen, actor, verdict, note }: Ruling,
): Promise<SourceRuling> {
  const falls = planFall(history, fallen)
  if (falls.length === 0) throw invalid({ entity_ids: ['Nothing here rests on this source alone.'] })
  if (isPending(history.status)) throw conflict('An edit of this record waits: that is decided first.')
  const touched = falls.flatMap(({ before, after }) => (after === null ? [before] : [before, after]))
  const claims = history.assertions.filter(({ id }) => touched.includes(id))
  checkAllowed(mayDecideOn(actor, [history.contributor_id, ...claims.map(({ contributor_id }) => contributor_id)]))
  const planned = verdict === 'accept' ? await planRuling(history, actor, { ...settlementOf(falls), note }) : undefined
  const made: SourceRuling = {
    source_id: source.id,
    entity_id: history.entity_id,
    verdict,
    decision: planned?.decision.id ?? null,
    values: falls.map(({ property, before, after }) => ({ property, before, after })),
    statuses: Object.fromEntries(claims.map((it) => [it.id, it.reconciliation_status])),
    by: actor.id,
    at: now(),
    version: 1,
  }
  unit.add([...(planned?.writes ?? []), put(sourceRuling, made, undefined)])
  return made
}
