import { mapAtOnce } from '../../base/concurrency.ts'
import { walk } from '../../engines/table/index.ts'
import { issuerOf, linkPlan, providers } from '../../platform/auth/link.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import {
  amendUserByPlan,
  loadUserBySubject,
  subjectWrites,
  type User,
  type UserPlan,
  userOf,
} from '../../platform/users/users.ts'
import { type Lot, type Rewrite, trueIfConflict } from './step.ts'

/** Users that are rewritten side by side. */
const AT_ONCE = 4

/**
 * Layout 2 kept the subject of a person under the name of the provider (`idp`). Layout 3 keeps it under the issuer, and finds people by it.
 * Readers take both. A subject that another account claims stays as it is: staff link it.
 */
export const linkSubjects: Rewrite = (position, most) =>
  rewriteUsers(position, most, async (user) => {
    const provider = providers.find((each) => issuerOf(each) !== each && user.subjects[each] !== undefined)
    const subject = provider && user.subjects[provider]
    if (!provider || subject === undefined) return undefined
    const owner = await loadUserBySubject(issuerOf(provider), subject)
    return owner && owner.id !== user.id ? undefined : linkPlan(user, provider, subject)
  })

/** Puts subjects back under the name of the provider. The items that claim them go. */
export const unlinkSubjects: Rewrite = (position, most) =>
  rewriteUsers(position, most, async (user) => {
    const entries = Object.entries(user.subjects)
    const subjects = Object.fromEntries(entries.map(([issuer, subject]) => [nameOf(issuer), subject]))
    const isOld = entries.every(([issuer]) => nameOf(issuer) === issuer)
    return isOld ? undefined : { changes: { subjects }, also: subjectWrites(user, {}) }
  })

const nameOf = (issuer: string) => providers.find((each) => issuerOf(each) === issuer) ?? issuer

/**
 * Rewrites the next users of the list of all users. Each user is one transaction. A user whom others change at this moment counts as
 * changed, so that another pass follows.
 */
async function rewriteUsers(
  position: string | null,
  most: number,
  plan: (user: User) => Promise<UserPlan | undefined>,
): Promise<Lot> {
  const items = await walk({
    index: 'gsi2',
    pk: 'USER',
    forward: true,
    limit: most,
    ...(position !== null && { beyond: position }),
  })
  let changed = 0
  await mapAtOnce(items, AT_ONCE, async (item) => {
    const { id } = userOf(item)
    if (!(await plan(userOf(item)))) return
    // The index may be behind, so the plan is made of the user as it is now.
    const isChanged = await inUnit((unit) => amendUserByPlan(unit, id, plan))
      .then(Boolean)
      .catch(trueIfConflict)
    if (isChanged) changed += 1
  })
  return { next: items.length < most ? null : String(items.at(-1)?.gsi2_sk), changed }
}
