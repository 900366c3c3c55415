import * as v from 'valibot'
import { languages } from '../../../base/language/languages.ts'
import { once } from '../../../base/once.ts'
import * as s from '../../../base/shapes.ts'
import { calendarKeys } from '../../../engines/calendars/index.ts'
import { cut } from '../../../engines/matching/index.ts'
import { type Actor, maySeeEmail, type Rank, rankHolds, ranks } from '../../permissions.ts'
import type { User } from '../users.ts'

export const ProfileView = s.shape('Profile', () =>
  v.object({
    user_id: s.uuid,
    slug: s.uuid,
    username: s.text,
    email: s.text,
    first_name: s.text,
    middle_name: s.text,
    last_name: s.text,
    biography: s.text,
    area_of_expertise: s.text,
    country: s.text,
    organization: s.text,
    position: s.text,
    university_school: s.text,
    social_links: v.record(v.string(), s.text),
    website_link: s.text,
    contributor_mode: s.oneOf(['basic', 'advanced']),
    score: v.number(),
    member_since: s.text,
    profile_image: s.maybe(s.text),
    avatar_url: s.text,
    organizations: v.array(
      v.object({ id: s.uuid, name: s.text, short_name: s.text, role: s.text, logo: s.maybe(s.text) }),
    ),
    language: v.optional(s.oneOf(['', ...languages])),
    calendar: v.optional(s.oneOf(['', ...calendarKeys])),
  }),
)

/** An organization that a user is in. */
export type ProfileOrganization = { id: string; name: string; short_name: string; role: string; logo: string | null }

/**
 * A user's profile as this caller may see it. Links begin with `origin`. Only a missing image is null.
 * Only the user sees the settings. `organizations` are those that the user is in.
 */
export const profileOf = (
  it: User,
  actor: Actor | null,
  origin: string,
  organizations: readonly ProfileOrganization[],
) => ({
  user_id: it.id,
  slug: it.id,
  username: it.username,
  email: maySeeEmail(actor, it.id) ? it.email : '',
  first_name: it.first_name,
  middle_name: it.middle_name,
  last_name: it.last_name,
  biography: it.biography,
  area_of_expertise: it.area_of_expertise,
  country: it.country,
  organization: it.organization,
  position: it.position,
  university_school: it.university_school,
  social_links: it.social_links,
  website_link: it.website_link,
  contributor_mode: it.contributor_mode,
  score: it.score,
  member_since: memberSince(it),
  profile_image: imageUrl(it, origin),
  avatar_url: it.avatar_url,
  organizations,
  ...(actor?.id === it.id && { language: it.language ?? '', calendar: it.calendar ?? '' }),
})

/** The address of a user's image, or null. Each image has an address of its own, so caches hold no old one. */
export const imageUrl = ({ id, profile_image }: Pick<User, 'id' | 'profile_image'>, origin: string): string | null =>
  profile_image === '' ? null : `${origin}/data/user/${id}/image/?v=${profile_image.slice(-8)}`

export const AccountView = s.shape('Account', () =>
  v.object({
    id: s.uuid,
    username: s.text,
    email: s.text,
    email_verified: v.boolean(),
    groups: v.array(s.text),
    is_staff: v.boolean(),
    is_superuser: v.boolean(),
    reviewer_role: s.maybe(
      v.object({
        role: s.oneOf(ranks),
        is_active: v.boolean(),
        can_override_confidence: v.boolean(),
        can_resolve_conflicts: v.boolean(),
        can_manage_roles: v.boolean(),
      }),
    ),
    reviewer_application: s.maybe(
      v.object({
        id: s.uuid,
        status: s.oneOf(['pending', 'approved', 'rejected']),
        message: s.text,
        created_at: s.time,
      }),
    ),
  }),
)

/** The account as its owner sees it. */
export const accountOf = (it: User) => ({
  id: it.id,
  username: it.username,
  email: it.email,
  email_verified: it.email_verified,
  groups: it.groups,
  is_staff: it.is_staff,
  is_superuser: it.is_superuser,
  reviewer_role: it.reviewer_role && {
    role: it.reviewer_role.role,
    is_active: it.reviewer_role.is_active,
    ...powersOf(it.reviewer_role.role),
  },
  reviewer_application: it.reviewer_application && {
    id: it.reviewer_application.id,
    status: it.reviewer_application.status,
    message: cut(it.reviewer_application.message, 500),
    created_at: it.reviewer_application.created_at,
  },
})

/** Rights of a reviewer's role beyond reviewing, as the rules have them. */
export const powersOf = (role: Rank) => ({
  can_override_confidence: rankHolds(role, 'overridesConfidence'),
  can_resolve_conflicts: rankHolds(role, 'settlesContradiction'),
  can_manage_roles: rankHolds(role, 'managesRoles'),
})

const months = once(() => new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' }))
const memberSince = (it: User) => months().format(new Date(it.date_joined))
