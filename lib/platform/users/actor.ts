import type { Actor } from '../permissions.ts'
import type { User } from './users.ts'

/** A user as whoever calls, or as whoever reads what is sent to them. */
export const actorOf = ({ id, username, email, is_staff, is_superuser, reviewer_role }: User): Actor => ({
  id,
  username,
  email,
  is_staff,
  is_superuser,
  rank: reviewer_role?.is_active ? reviewer_role.role : null,
})
