import { mapAtOnce } from '../../base/concurrency.ts'
import { isConflict, noneIf } from '../../base/errors.ts'
import { walk } from '../../engines/table/index.ts'
import { issuerOf, linkPlan, providers } from '../../platform/auth/link.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { amendUserByPlan, subjectWrites, type User, type UserPlan, userOf } from '../../platform/users/users.ts'
import type { Lot, Rewrite } from './step.ts'

/** Users that are rewritten side by side. */
const AT_ONCE = 4

/**
 * Layout 2 kept the subject of a person under the name of the provider (`idp`). Layout 3 keeps it under the issuer, and finds people by it.
 * Readers take both. A subject that another account claims stays as it is: staff link it.
 */
export const linkSubjects: Rewrite = (position, most) =>
  rewriteUsers(position, most, (user) => {
    const provider = providers.find((each) => issuerOf(each) !== each && user.subjects[each] !== undefined)
    const subject = provider && user.subjects[provider]
    return provider && subject !== undefined ? linkPlan(user, provider, subject) : undefined
  })

/** Puts subjects back under the name of the provider. The items that claim them go. */
export const unlinkSubjects: Rewrite = (position, most) =>
  rewriteUsers(position, most, (user) => {
    const entries = Object.entries(user.subjects)
    const subjects = Object.fromEntries(entries.map(([issuer, subject]) => [nameOf(issuer), subject]))
    const isOld = entries.every(([issuer]) => nameOf(issuer) === issuer)
    return isOld ? undefined : { changes: { subjects }, also: subjectWrites(user, {}) }
  })

const nameOf = (issuer: string) => providers.find((each) => issuerOf(each) === issuer) ?? issuer

/** Rewrites the next users of the list of all users. Each user is one transaction. */
async function rewriteUsers(
  position: string | null,
  most: number,
  plan: (user: User) => UserPlan | undefined,
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
    if (!plan(userOf(item))) return
    // The index may be behind, so the plan is made of the user as it is now.
    const amended = await inUnit((unit) => amendUserByPlan(unit, id, async (it) => plan(it))).catch(noneIf(isConflict))
    if (amended) changed += 1
  })
  return { next: items.length < most ? null : String(items.at(-1)?.gsi2_sk), changed }
}
