import type { UnitOfWork } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { actorOf } from '../../platform/users/actor.ts'
import { createUserNamedAfterEmail, loadUser } from '../../platform/users/users.ts'

/** The user in whose name visitors' notes become contributions. Nobody signs in as this user. */
const VISITOR = '00000000-0000-4000-8000-76697369746f'

/**
 * Returns the author of what visitors say, so that no reviewer is the author of what the reviewer judges. The account is made with the first
 * note that becomes a contribution. One call.
 */
export async function visitorActor(unit: UnitOfWork): Promise<Actor> {
  const user =
    (await loadUser(VISITOR)) ??
    (await createUserNamedAfterEmail(unit, {
      id: VISITOR,
      email: 'visitor@visitors.invalid',
      first_name: 'Visitor',
      is_active: false,
      groups: [],
    }))
  return actorOf(user)
}
