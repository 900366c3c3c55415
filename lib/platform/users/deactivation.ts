import { now } from '../../base/clock.ts'
import { impossible } from '../../base/errors.ts'
import type { UnitOfWork } from '../../engines/table/index.ts'
import type { Actor } from '../permissions.ts'
import { amendUserByPlan, type User } from './users.ts'

/**
 * Closes an account, with a reason that staff and its person read. From the answer on, no session, token, key or hook of it works. Its
 * page is gone, its contributions stay. Fails with `invalid` if the account is the caller's own, or closed already. Undefined if there is
 * no such user.
 */
export const deactivateUser = (
  unit: UnitOfWork,
  id: string,
  reason: string,
  by: Pick<Actor, 'id'>,
): Promise<User | undefined> =>
  amendUserByPlan(unit, id, async (it) => {
    if (it.id === by.id) throw impossible('Nobody deactivates their own account.')
    if (!it.is_active) throw impossible('This account is deactivated already.')
    const deactivation = { reason, by: by.id, at: now() }
    return { changes: { is_active: false, deactivation, token_generation: it.token_generation + 1 } }
  })

/**
 * Opens a closed account again. Its owner has to sign in again. Fails with `invalid` if it is open. Undefined if there is no such user.
 */
export const activateUser = (unit: UnitOfWork, id: string): Promise<User | undefined> =>
  amendUserByPlan(unit, id, async (it) => {
    if (it.is_active) throw impossible('This account is not deactivated.')
    return { changes: { is_active: true, deactivation: null } }
  })
