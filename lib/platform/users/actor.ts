import type { Actor } from '../permissions.ts'
import type { User } from './users.ts'

/** A user as a caller, or as the reader of a message. */
export const actorOf = ({ id, username, email, is_staff, is_superuser, ownership, reviewer_role }: User): Actor => ({
  id,
  username,
  email,
  is_staff,
  is_superuser,
  ownership,
  rank: reviewer_role?.is_active ? reviewer_role.role : null,
})
