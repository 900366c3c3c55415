import { type Actor, maySeeEmail } from '../../permissions.ts'
import type { Application } from '../applications.ts'
import type { PeopleById } from '../people.ts'
import type { Holder } from '../roles.ts'
import { type Card, cardOf, type User } from '../users.ts'
import { powersOf } from './profile.ts'

/** A reviewer's role with its user and who assigned it, as this caller may see them. */
export const roleView = (it: Holder, people: PeopleById, actor: Actor) => ({
  id: it.reviewer_role.id,
  user: { ...cardOf(it), email: addressOf(it, actor) },
  role: it.reviewer_role.role,
  expertise_areas: it.reviewer_role.expertise_areas,
  is_active: it.reviewer_role.is_active,
  assigned_by: people(it.reviewer_role.assigned_by),
  ...powersOf(it.reviewer_role.role),
  created_at: it.reviewer_role.created_at,
  updated_at: it.reviewer_role.updated_at,
})

/** The own application; of nobody's, every member is null. */
export const ownApplicationView = (it: Application | undefined) => ({
  id: it?.id ?? null,
  message: it?.message ?? null,
  status: it?.status ?? null,
  created_at: it?.created_at ?? null,
  updated_at: it?.updated_at ?? null,
})

/** An application as those see it who answer it. */
export const applicationView = (it: Application, people: PeopleById) => ({
  id: it.id,
  user: people(it.user_id),
  message: it.message,
  status: it.status,
  admin_notes: it.admin_notes,
  reviewed_by: people(it.reviewed_by),
  reviewed_at: it.reviewed_at,
  created_at: it.created_at,
  updated_at: it.updated_at,
})

/** A user as those see it who give roles. */
export const userView = (it: User, actor: Actor) => ({
  id: it.id,
  username: it.username,
  email: addressOf(it, actor),
  first_name: it.first_name,
  last_name: it.last_name,
  is_active: it.is_active,
  is_staff: it.is_staff,
  is_superuser: it.is_superuser,
  date_joined: it.date_joined,
  groups: it.groups,
  reviewer_role: it.reviewer_role && {
    id: it.reviewer_role.id,
    role: it.reviewer_role.role,
    is_active: it.reviewer_role.is_active,
  },
})

const addressOf = (it: User, actor: Actor): Card['email'] => (maySeeEmail(actor, it.id) ? it.email : '')
