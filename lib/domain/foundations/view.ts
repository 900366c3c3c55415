import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { kindKeys, kinds } from '../kinds/index.ts'
import type { SourceBatch } from './batches.ts'
import type { DependentPage, DependentValue } from './dependents.ts'
import type { SourceRuling } from './items.ts'

/** One value that rests on a source. `instead`: what would stand without the source. Null if nothing would, or if the value stays. */
export const DependentView = s.shape('SourceDependent', () =>
  v.object({
    entity_id: s.uuid,
    kind: s.oneOf(kindKeys),
    cidoc_id: s.maybe(s.whole),
    entity_name: s.text,
    property: s.text,
    label: s.text,
    value: s.text,
    claim: s.uuid,
    rests_on_it_alone: v.boolean(),
    instead: s.maybe(v.object({ claim: s.uuid, value: s.text })),
    decided: s.maybe(s.oneOf(['accept', 'reject'])),
  }),
)
export const dependentCounts = () => ({
  counts: v.array(v.object({ kind: s.oneOf(kindKeys), alone: s.whole, supported: s.whole })),
  is_exact: v.boolean(),
})

export function dependentView({
  record,
  footing,
  stays,
  instead,
  ruling,
}: DependentValue): s.Output<typeof DependentView> {
  const kind = kinds[record.kind]
  return {
    entity_id: record.entity_id,
    kind: record.kind,
    cidoc_id: kind.record ? record.id : null,
    entity_name: record.name,
    property: footing.property,
    label: kind.fields[footing.property]?.label ?? footing.property,
    value: footing.value,
    claim: footing.claim,
    rests_on_it_alone: !stays,
    instead,
    decided: ruling?.verdict ?? null,
  }
}

export const countsOf = ({ counts, is_exact }: DependentPage) => ({ counts, is_exact })

export const RulingView = s.shape('SourceRuling', () =>
  v.object({
    entity_id: s.uuid,
    verdict: s.oneOf(['accept', 'reject']),
    decision: s.maybe(s.uuid),
    values: v.array(v.object({ property: s.text, before: s.uuid, after: s.maybe(s.uuid) })),
    at: s.time,
  }),
)

export const rulingView = ({
  entity_id,
  verdict,
  decision,
  values,
  at,
}: SourceRuling): s.Output<typeof RulingView> => ({
  entity_id,
  verdict,
  decision,
  values,
  at,
})

/**
 * A source in question, as the queue shows it. `resting`: how many values rested on it alone when it was put in question. `decided`: how
 * many of them were decided on.
 */
export const SourceBatchView = s.shape('SourceBatch', () =>
  v.object({
    id: s.uuid,
    name: s.text,
    source_type: s.text,
    standing: s.oneOf(['questioned', 'withdrawn']),
    reason: s.text,
    at: s.time,
    resting: s.whole,
    decided: s.whole,
  }),
)

/** Shows a source in question. Empty if it is in question no longer. */
export function sourceBatchView({ source, decided }: SourceBatch): s.Output<typeof SourceBatchView>[] {
  const { id, name, source_type, question } = source
  if (!question || question.standing === 'trusted') return []
  const { standing, reason, at, resting } = question
  return [{ id, name, source_type, standing, reason, at, resting, decided }]
}
