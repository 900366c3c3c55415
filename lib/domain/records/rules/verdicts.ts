import type { Trigger } from './status.ts'

export const verdicts = ['accept', 'accept_with_edits', 'request_changes', 'reject', 'escalate'] as const
export type Verdict = (typeof verdicts)[number]

/** The effects of each verdict. `accepts`: it publishes. `reason`: the reviewer must give the contributor a reason. */
export const verdictEffects = {
  accept: { trigger: 'accept', activity: 'accepted', accepts: true, reason: false },
  accept_with_edits: { trigger: 'accept', activity: 'accepted', accepts: true, reason: false },
  request_changes: { trigger: 'request_changes', activity: 'changes_requested', accepts: false, reason: true },
  reject: { trigger: 'reject', activity: 'rejected', accepts: false, reason: true },
  escalate: { trigger: 'escalate', activity: 'escalated', accepts: false, reason: false },
} as const satisfies Record<Verdict, { trigger: Trigger; activity: string; accepts: boolean; reason: boolean }>

export const handlings = ['not_applicable', 'supersedes', 'coexist', 'existing_stands', 'refines', 'disputed'] as const
export type Handling = (typeof handlings)[number]

type Fate = 'accepted' | 'superseded' | 'disputed'

/** How each handling settles a contradiction: the fate of the new claim and of its rivals, and whose value stands. */
export const handlingRules = {
  supersedes: { claim: 'accepted', rival: 'superseded', stands: 'claim' },
  coexist: { claim: 'accepted', rival: 'accepted', stands: 'claim' },
  existing_stands: { claim: 'superseded', rival: 'accepted', stands: 'rival' },
  refines: { claim: 'accepted', rival: 'accepted', stands: 'claim' },
  disputed: { claim: 'disputed', rival: 'disputed', stands: 'rival' },
} as const satisfies Record<
  Exclude<Handling, 'not_applicable'>,
  { claim: Fate; rival: Fate; stands: 'claim' | 'rival' }
>

export const verificationMethods = [
  'source_crosscheck',
  'expert_knowledge',
  'field_verification',
  'community_consensus',
] as const
