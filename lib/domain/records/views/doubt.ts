import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'

/**
 * How probable it is that reviewers keep a claim, with the facts for and against it. `effect` is what a fact adds to the log-odds. Facts
 * about the claimant are shown without numbers: the view judges a claim, not a person.
 */
export const DoubtView = s.shape('Doubt', () =>
  v.object({
    assertion: s.uuid,
    property: s.text,
    probability: v.number(),
    model: s.whole,
    evidence: v.array(
      v.object({ fact: s.text, about: s.text, value: s.maybe(v.union([s.text, v.number()])), effect: v.number() }),
    ),
  }),
)
