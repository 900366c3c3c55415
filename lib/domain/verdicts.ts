import type { Trigger } from './status.ts'

export const verdicts = ['accept', 'reject', 'request_changes'] as const
export type Verdict = (typeof verdicts)[number]

/** What a reviewer's verdict sets in motion, and whether the contributor is owed a reason. */
export const effects = {
  accept: { trigger: 'accept', activity: 'accepted', reason: false },
  reject: { trigger: 'reject', activity: 'rejected', reason: true },
  request_changes: { trigger: 'request_changes', activity: 'changes_requested', reason: true },
} as const satisfies Record<Verdict, { trigger: Trigger; activity: string; reason: boolean }>

export const handlings = ['not_applicable', 'supersedes', 'coexist', 'existing_stands', 'refines', 'disputed'] as const
export type Handling = (typeof handlings)[number]

type Fate = 'accepted' | 'superseded' | 'disputed'

/** How a contradiction is settled: what becomes of the new claim and of its rival, and which of the two values stands. */
export const settlements = {
  supersedes: { claim: 'accepted', rival: 'superseded', stands: 'claim' },
  coexist: { claim: 'accepted', rival: 'accepted', stands: 'claim' },
  existing_stands: { claim: 'superseded', rival: 'accepted', stands: 'rival' },
  refines: { claim: 'accepted', rival: 'accepted', stands: 'claim' },
  disputed: { claim: 'disputed', rival: 'disputed', stands: 'rival' },
} as const satisfies Record<
  Exclude<Handling, 'not_applicable'>,
  { claim: Fate; rival: Fate; stands: 'claim' | 'rival' }
>

export const confidences = ['certain', 'likely', 'uncertain', 'speculative'] as const
export const verificationMethods = [
  'source_crosscheck',
  'expert_knowledge',
  'field_verification',
  'community_consensus',
] as const
