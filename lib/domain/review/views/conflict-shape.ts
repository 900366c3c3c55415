import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import { handlings } from '../../records/rules/verdicts.ts'
import { AssertionView } from '../../records/views/record.ts'

/** A pending claim (`rival`) and the claim that it meets (`standing`), with a proposal how to settle the two. */
export const ConflictView = s.shape('Conflict', () =>
  v.object({
    property: s.text,
    label: s.text,
    standing: AssertionView,
    rival: AssertionView,
    verdict: s.oneOf(['refines', 'compatible', 'contradicts']),
    proposed_handling: s.oneOf(handlings),
    why: s.text,
    flag: s.maybe(s.uuid),
  }),
)
