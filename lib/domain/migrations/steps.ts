import { identifyClaims, unidentifyClaims } from './claims.ts'
import type { Step } from './step.ts'
import { linkSubjects, unlinkSubjects } from './subjects.ts'

/** The steps in their order. The last one leads to `LAYOUT`. */
export const steps: readonly Step[] = [
  {
    to: 3,
    title: 'Subjects of identity providers stand under their issuer, and each is claimed by an item of its own.',
    forward: linkSubjects,
    back: unlinkSubjects,
  },
  {
    to: 4,
    title: 'Claims about no record have the id of their source as their identifier, and are found by it.',
    forward: identifyClaims,
    back: unidentifyClaims,
  },
]
