import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { itemAt, type Stored } from '../../engines/table/index.ts'
import { type Actor, maySeeEmail } from '../../platform/permissions.ts'
import type { PeopleById } from '../../platform/users/people.ts'
import { keyOf, userOf } from '../../platform/users/users.ts'
import { imageUrl } from '../../platform/users/views/profile.ts'
import { type Membership, memberRoles, type Organization } from './items.ts'
import type { OwnOrganization } from './members.ts'

export const OrganizationView = s.shape('Organization', () =>
  v.object({
    id: s.uuid,
    name: s.text,
    short_name: s.text,
    description: s.text,
    logo: s.maybe(s.text),
    website: s.maybe(s.text),
    country: s.text,
    focus_areas: v.array(s.text),
    is_verified: v.boolean(),
    member_count: s.whole,
    owner_username: s.maybe(s.text),
    created_at: s.time,
  }),
)
export const OrganizationMemberView = s.shape('OrganizationMember', () =>
  v.object({
    id: s.uuid,
    username: s.text,
    first_name: s.text,
    last_name: s.text,
    email: s.text,
    role: s.oneOf(memberRoles),
    confirmed: v.boolean(),
    joined_at: s.time,
    profile_image: s.maybe(s.text),
  }),
)
export const OrganizationDetailView = s.shape('OrganizationDetail', () =>
  v.object({
    ...OrganizationView.entries,
    updated_at: s.time,
    members: v.array(OrganizationMemberView),
    members_next: s.maybe(s.text),
  }),
)

/** An organization as lists show it. */
export const organizationRow = (it: Organization, people: PeopleById) => ({
  id: it.id,
  name: it.name,
  short_name: it.short_name,
  description: it.description,
  logo: it.logo || null,
  website: it.website || null,
  country: it.country,
  focus_areas: it.focus_areas,
  is_verified: it.is_verified,
  member_count: it.member_count,
  owner_username: people(it.owner_id)?.username || null,
  created_at: it.created_at,
})

/** The reader of a member's row: who asks, of which organization, and the address that links begin with. */
type Reader = { of: Organization; actor: Actor | null; origin: string }

/** A member as this reader sees it. The email address is for admins of the organization, staff and the member; for others it is empty. */
export function memberRow(it: Membership, found: ReadonlyMap<string, Stored>, { of, actor, origin }: Reader) {
  const stored = itemAt(found, keyOf(it.user_id))
  const user = stored && userOf(stored)
  const isShown = actor !== null && (of.admins.includes(actor.id) || maySeeEmail(actor, it.user_id))
  return {
    id: it.user_id,
    username: user?.username ?? '',
    first_name: user?.first_name ?? '',
    last_name: user?.last_name ?? '',
    email: isShown ? (user?.email ?? '') : '',
    role: it.role,
    confirmed: it.confirmed,
    joined_at: it.joined_at,
    profile_image: user ? imageUrl(user, origin) : null,
  }
}

/** An organization as the profile of a member shows it. */
export const organizationOfProfile = ({ about, role }: OwnOrganization) => ({
  id: about.id,
  name: about.name,
  short_name: about.short_name,
  role,
  logo: about.logo || null,
})
