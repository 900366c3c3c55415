import * as v from 'valibot'
import { fold } from '../../engines/matching/index.ts'
import { defineItem } from '../../engines/table/index.ts'
import { foldedName } from '../../platform/name-index/entries.ts'
import type { Subject } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'

/** Each membership of an organization is an item of its own, in the partition of the organization. */

/** The roles of members, lowest first. Lists of members begin with the highest role. */
export const memberRoles = ['member', 'editor', 'admin'] as const

const text = v.optional(v.string(), '')

/** An organization with the ids of its admins, so that one read shows who may change it. */
const Organization = v.object({
  id: v.string(),
  name: v.string(),
  short_name: text,
  description: text,
  logo: text,
  website: text,
  country: text,
  focus_areas: v.array(v.string()),
  /** Only staff set it. It becomes false if anyone else changes the name. */
  is_verified: v.boolean(),
  /** The owner is one of `admins`, too. */
  owner_id: v.string(),
  admins: v.array(v.string()),
  member_count: v.number(),
  created_at: v.string(),
  updated_at: v.string(),
  deleted_at: v.nullable(v.string()),
  version: v.number(),
})
export type Organization = v.InferOutput<typeof Organization>

/** The list of all organizations. */
export const ALL = 'ORGANIZATION'

/** The sort key of an organization in each order of the list. */
export const placesOf = ({ id, name, created_at }: Pick<Organization, 'id' | 'name' | 'created_at'>) => ({
  name: `${foldedName(name)}#${id}`,
  created_at: `${created_at}#${id}`,
})

export const organization = defineItem({
  type: 'organization',
  schema: Organization,
  key: ({ id }: { id: string }) => key.organization(id),
  indexes: (it) =>
    it.deleted_at === null
      ? { gsi1: { pk: ALL, sk: placesOf(it).name }, gsi2: { pk: ALL, sk: placesOf(it).created_at } }
      : {},
  counted: (it) => (it.deleted_at === null ? [ALL] : []),
})

/** An organization as the subject of permissions. */
export type OrganizationSubject = Subject & { about: Organization; version: number }
/** Returns an organization with its owner and admins, by whom permissions decide. */
export const asSubject = (about: Organization): OrganizationSubject => ({
  about,
  contributor_id: about.owner_id,
  public: true,
  deleted_at: about.deleted_at,
  admins: about.admins,
  version: about.version,
})

/** The claim to a name. The first organization that writes it has the name, in any spelling that folds alike. */
export const nameClaim = defineItem({
  type: 'organization_name',
  schema: v.object({ folded: v.string(), organization_id: v.string(), version: v.literal(1) }),
  key: ({ folded }: { folded: string }) => key.organizationName(folded),
})

const Membership = v.object({
  organization_id: v.string(),
  user_id: v.string(),
  role: v.picklist(memberRoles),
  /** True if an admin has confirmed the member. Joining does not confirm. */
  confirmed: v.boolean(),
  joined_at: v.string(),
  version: v.number(),
})
export type Membership = v.InferOutput<typeof Membership>

/** The list of the members of an organization, and that of the organizations of a user. */
export const membersOf = (organization: string) => `ORGANIZATION#MEMBERS#${organization}`
export const organizationsOf = (user: string) => `ORGANIZATION#OF#${user}`

export const membership = defineItem({
  type: 'organization_member',
  schema: Membership,
  key: (it: { organization_id: string; user_id: string }) => key.organizationMember(it.organization_id, it.user_id),
  indexes: ({ organization_id, user_id, role, joined_at }) => ({
    // Admins, then editors, then members. Of one role, those who joined first come first.
    gsi1: {
      pk: membersOf(organization_id),
      sk: `${memberRoles.length - memberRoles.indexOf(role)}#${joined_at}#${user_id}`,
    },
    gsi3: { pk: organizationsOf(user_id), sk: `${joined_at}#${organization_id}` },
  }),
})

/** The most words by which an organization is found. Words of its names come first, then those of its description from its beginning. */
const MOST_WORDS = 35

/** The folded words by which an organization is found. None if it is deleted. */
export function wordsOf(it: Organization | undefined): Set<string> {
  if (!it || it.deleted_at !== null) return new Set()
  const words = [it.name, it.short_name, it.description].flatMap((part) => fold(part).split(' '))
  return new Set([...new Set(words.map((word) => word.slice(0, 60)).filter(Boolean))].slice(0, MOST_WORDS))
}
