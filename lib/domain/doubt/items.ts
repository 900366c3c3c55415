import * as v from 'valibot'
import { defineItem } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'

/** The item types of doubt: the model of today, and the decisions on the claims of each person. */

const Weights = v.record(v.string(), v.number())
/**
 * For whom a model is. The model for reviewers learns from all decisions, the model for everyone only from decisions that everyone may
 * read.
 */
export const doubtScopes = ['reviewers', 'everyone'] as const
export type DoubtScope = (typeof doubtScopes)[number]

export const DoubtModel = v.object({
  scope: v.optional(v.picklist(doubtScopes), 'reviewers'),
  /** Counts up with each fit. */
  number: v.number(),
  fitted_at: v.string(),
  /** The number of decided claims in the fit. With too few there are no weights, and nothing is estimated. */
  decided: v.number(),
  /** The share of them that was kept. */
  base: v.number(),
  intercept: v.number(),
  weights: Weights,
  means: Weights,
  /** How a model of the earlier decisions estimated the latest fifth. */
  judged: v.nullable(
    v.object({ count: v.number(), brier: v.number(), base_brier: v.number(), calibration_error: v.number() }),
  ),
  version: v.number(),
})
export type DoubtModel = v.InferOutput<typeof DoubtModel>
export const doubtModel = defineItem({
  type: 'doubt_model',
  schema: DoubtModel,
  key: ({ scope }: { scope: DoubtScope }) => key.doubtModel(scope),
})

/** The decisions on one person's claims. Estimates are made from it, and no answer shows it. It is deleted when the person leaves. */
const DoubtTally = v.object({ user_id: v.string(), kept: v.number(), decided: v.number(), version: v.number() })
export const doubtTally = defineItem({
  type: 'doubt_tally',
  schema: DoubtTally,
  key: ({ user_id }: { user_id: string }) => key.doubtTally(user_id),
})

/** The decisions on claims that name a source by this reference. It is part of the advice to reviewers. */
export const doubtSource = defineItem({
  type: 'doubt_source',
  schema: v.object({ reference: v.string(), kept: v.number(), decided: v.number(), version: v.number() }),
  key: ({ reference }: { reference: string }) => key.doubtSource(reference),
})
