import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import { type Actor, maySeeAll, maySeeEmail, ranks } from '../../permissions.ts'
import type { Application } from '../applications.ts'
import { type PeopleById, UserCardView } from '../people.ts'
import type { RoleHolder } from '../roles.ts'
import { type Card, cardOf, type User } from '../users.ts'
import { powersOf } from './profile.ts'

export const ReviewerRoleView = s.shape('ReviewerRole', () =>
  v.object({
    id: s.uuid,
    user: UserCardView,
    role: s.oneOf(ranks),
    expertise_areas: v.array(s.text),
    is_active: v.boolean(),
    assigned_by: s.maybe(UserCardView),
    can_override_confidence: v.boolean(),
    can_resolve_conflicts: v.boolean(),
    can_manage_roles: v.boolean(),
    created_at: s.time,
    updated_at: s.time,
  }),
)

/** A reviewer's role with its user and the person who assigned it, as this caller may see them. */
export const roleView = (it: RoleHolder, people: PeopleById, actor: Actor) => ({
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

const applicationState = () => s.oneOf(['pending', 'approved', 'rejected'])
/** The caller's application. Each member is null if there is none. */
export const OwnApplicationView = s.shape('OwnApplication', () =>
  v.object({
    id: s.maybe(s.uuid),
    message: s.maybe(s.text),
    status: s.maybe(applicationState()),
    created_at: s.maybe(s.time),
    updated_at: s.maybe(s.time),
  }),
)

/** The caller's application. Each member is null if there is none. */
export const ownApplicationView = (it: Application | undefined) => ({
  id: it?.id ?? null,
  message: it?.message ?? null,
  status: it?.status ?? null,
  created_at: it?.created_at ?? null,
  updated_at: it?.updated_at ?? null,
})

export const ApplicationView = s.shape('Application', () =>
  v.object({
    id: s.uuid,
    user: s.maybe(UserCardView),
    message: s.text,
    status: applicationState(),
    admin_notes: s.text,
    reviewed_by: s.maybe(UserCardView),
    reviewed_at: s.maybe(s.time),
    created_at: s.time,
    updated_at: s.time,
  }),
)

/** An application as curators see it. */
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

export const UserView = s.shape('User', () =>
  v.object({
    ...UserCardView.entries,
    email_verified: v.boolean(),
    is_active: v.boolean(),
    deactivation: s.maybe(v.object({ reason: s.text, by: s.uuid, at: s.time })),
    is_staff: v.boolean(),
    is_superuser: v.boolean(),
    date_joined: s.time,
    groups: v.array(s.text),
    reviewer_role: s.maybe(v.object({ id: s.uuid, role: s.oneOf(ranks), is_active: v.boolean() })),
  }),
)

/** A user as curators see it. Only staff read why an account was deactivated. */
export const userView = (it: User, actor: Actor) => ({
  id: it.id,
  username: it.username,
  email: addressOf(it, actor),
  first_name: it.first_name,
  last_name: it.last_name,
  email_verified: it.email_verified,
  is_active: it.is_active,
  deactivation: maySeeAll(actor) ? it.deactivation : null,
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
