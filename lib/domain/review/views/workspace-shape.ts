import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import { ranks } from '../../../platform/permissions.ts'
import { handlings, verdicts } from '../../records/rules/verdicts.ts'
import { ChangeView } from '../../records/views/difference.ts'
import { DoubtView } from '../../records/views/doubt.ts'
import {
  ActivityView,
  ContributionView,
  ReviewDecisionView,
  ReviewFlagView,
  RevisionView,
} from '../../records/views/entity.ts'
import { ExplainedPropertyView } from '../../records/views/explain.ts'
import { ConflictView } from './conflict-shape.ts'
import { ForkContextView } from './fork-shape.ts'
import { LeaseView, urgency } from './queue.ts'

/** A value that falls with a source in question. `instead`: what the plan lets stand in its place; null if nothing would stand. */
const FallView = s.shape('Fall', () =>
  v.object({
    property: s.text,
    label: s.text,
    value: s.text,
    claim: s.uuid,
    source: v.object({ id: s.uuid, name: s.text, standing: s.oneOf(['questioned', 'withdrawn']), reason: s.text }),
    instead: s.maybe(v.object({ claim: s.uuid, value: s.text })),
    decided: s.maybe(s.oneOf(['accept', 'reject'])),
  }),
)

export const WorkspaceView = s.shape('Workspace', () =>
  v.object({
    ...ContributionView.entries,
    current_revision: s.maybe(RevisionView),
    contributor_stats: v.object({
      total_contributions: s.whole,
      accepted_contributions: s.whole,
      acceptance_rate: v.number(),
    }),
    required_persona: s.oneOf(ranks),
    allowed_verdicts: v.array(s.oneOf(verdicts)),
    allowed_handlings: v.array(s.oneOf(handlings)),
    refusal: s.maybe(s.text),
    lease: s.maybe(v.object({ ...LeaseView.entries, is_mine: v.boolean() })),
    accepted_revision: s.maybe(s.whole),
    revisions: v.array(RevisionView),
    activities: v.array(ActivityView),
    review_decisions: v.array(ReviewDecisionView),
    flags: v.array(ReviewFlagView),
    difference: v.array(ChangeView),
    properties: v.array(ExplainedPropertyView),
    conflicts: v.array(ConflictView),
    falls: v.array(FallView),
    ...urgency(),
    doubts: v.optional(v.array(DoubtView)),
    fork_context: s.maybe(ForkContextView),
  }),
)
