import { cut } from '../../matching/cut.ts'
import { once } from '../../once.ts'
import { type Actor, maySeeEmail } from '../../permissions.ts'
import type { User } from '../users.ts'

/**
 * A user's profile as this caller may see it; links begin with `origin`. No member is null but the image, when there is none.
 * Settings are for the person alone.
 */
export const profileOf = (it: User, actor: Actor | null, origin: string) => ({
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
  organizations: [],
  ...(actor?.id === it.id && { language: it.language ?? '', calendar: it.calendar ?? '' }),
})

/** Where a user's image is, or null. Another image has another address, so that caches need not be told. */
export const imageUrl = ({ id, profile_image }: Pick<User, 'id' | 'profile_image'>, origin: string): string | null =>
  profile_image === '' ? null : `${origin}/data/user/${id}/image/?v=${profile_image.slice(-8)}`

/** What a signed-in person is told of the own account. */
export const accountOf = (it: User) => ({
  id: it.id,
  username: it.username,
  email: it.email,
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

/** What a reviewer's role allows beyond reviewing. */
export const powersOf = (role: NonNullable<User['reviewer_role']>['role']) => ({
  can_override_confidence: role !== 'community_reviewer',
  can_resolve_conflicts: role !== 'community_reviewer',
  can_manage_roles: role === 'expert_curator',
})

const months = once(() => new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' }))
const memberSince = (it: User) => months().format(new Date(it.date_joined))
