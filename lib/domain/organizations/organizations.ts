import { newId, now } from '../../base/clock.ts'
import { conflict, forbidden, invalid, notFound } from '../../base/errors.ts'
import {
  get,
  put,
  putEntry,
  remove,
  removeEntry,
  says,
  type UnitOfWork,
  type Write,
  withNextVersion,
} from '../../engines/table/index.ts'
import { foldedName } from '../../platform/name-index/entries.ts'
import { type Actor, maySeeAll } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import {
  asSubject,
  type Membership,
  membership,
  nameClaim,
  type Organization,
  type OrganizationSubject,
  organization,
  placesOf,
  wordsOf,
} from './items.ts'

/** The members of an organization that its admins choose. */
export type OrganizationInput = Pick<
  Organization,
  'name' | 'short_name' | 'description' | 'logo' | 'website' | 'country' | 'focus_areas'
>

/** Loads an organization. Undefined if absent or deleted. One call. */
export async function loadOrganization(id: string): Promise<OrganizationSubject | undefined> {
  const it = await get(organization, { id })
  return it && it.deleted_at === null ? asSubject(it) : undefined
}

/** Creates an organization. The caller becomes its owner. Fails with `invalid` if the name, in any spelling, is taken. */
export function createOrganization(unit: UnitOfWork, actor: Actor, input: OrganizationInput): Organization {
  const at = now()
  const made: Organization = {
    ...input,
    id: newId(),
    is_verified: false,
    owner_id: actor.id,
    admins: [actor.id],
    member_count: 1,
    created_at: at,
    updated_at: at,
    deleted_at: null,
    version: 1,
  }
  const owner: Membership = {
    organization_id: made.id,
    user_id: actor.id,
    role: 'admin',
    confirmed: true,
    joined_at: at,
    version: 1,
  }
  unit.add([
    ...nameWrites(undefined, made),
    put(organization, made, undefined),
    put(membership, owner, undefined),
    ...wordWrites(undefined, made),
  ])
  return made
}

/** The members of an organization that a change may name. Only staff change `is_verified`. */
export type OrganizationChanges = Partial<OrganizationInput & Pick<Organization, 'is_verified'>>

/**
 * Changes an organization. Fails with `refused` if anybody but staff changes `is_verified`. Fails with `invalid` if the new name is taken,
 * and with `conflict` if the organization has changed since it was read.
 */
export function amendOrganization(
  unit: UnitOfWork,
  { about: old }: OrganizationSubject,
  actor: Actor,
  changes: OrganizationChanges,
): Organization {
  const { is_verified = old.is_verified } = changes
  if (is_verified !== old.is_verified && !maySeeAll(actor))
    throw forbidden('Only staff say whether an organization is verified.')
  const isRenamed = changes.name !== undefined && foldedName(changes.name) !== foldedName(old.name)
  const next = withNextVersion<Organization>(old, {
    ...changes,
    is_verified: is_verified && (maySeeAll(actor) || !isRenamed),
    updated_at: now(),
  })
  if (says(old, { ...changes, is_verified: next.is_verified })) return old
  unit.add([...nameWrites(old, next), put(organization, next, old), ...wordWrites(old, next)])
  return next
}

/**
 * Deletes an organization and frees its name. Its items stay, but no list shows them. Fails with `conflict` if it has other
 * members than its owner, and the caller is not staff.
 */
export function deleteOrganization(unit: UnitOfWork, { about: old }: OrganizationSubject, actor: Actor): void {
  if (old.member_count > 1 && !maySeeAll(actor))
    throw conflict('An organization with other members is not deleted. They leave first, or staff delete it.')
  const next = withNextVersion<Organization>(old, { deleted_at: now() })
  unit.add([...nameWrites(old, next), put(organization, next, old), ...wordWrites(old, next)])
}

/** Attempts of a change of members. Many people may join at the same time. */
const ATTEMPTS = 20

/** The members of an organization that a change of its memberships may name. */
type MemberChanges = Partial<Pick<Organization, 'member_count' | 'admins' | 'owner_id'>>

/**
 * Changes an organization as it is now, with further writes, in one transaction. After a conflict `plan` is called again. An error of `plan`
 * is final. Fails with `notFound` if the organization is deleted.
 */
export async function changeMembers<T>(
  unit: UnitOfWork,
  { about }: OrganizationSubject,
  plan: (it: Organization) => Promise<{ changes: MemberChanges; writes: readonly Write[]; result: T }>,
): Promise<T> {
  unit.retryOn('conflict', ATTEMPTS)
  const it = unit.attempt === 1 ? about : await get(organization, about)
  if (!it || it.deleted_at !== null) throw notFound()
  const { changes, writes, result } = await plan(it)
  unit.add([put(organization, withNextVersion<Organization>(it, changes), it), ...writes])
  return result
}

/** The writes by which an organization takes its name and frees the one that it had. */
function nameWrites(old: Organization | undefined, next: Organization): Write[] {
  const before = old && old.deleted_at === null ? foldedName(old.name) : undefined
  const after = next.deleted_at === null ? foldedName(next.name) : undefined
  if (before === after) return []
  const claim = (folded: string) => ({ folded, organization_id: next.id, version: 1 as const })
  return [
    ...(after === undefined ? [] : [put(nameClaim, claim(after), undefined, nameTaken)]),
    ...(before === undefined ? [] : [remove(nameClaim, claim(before))]),
  ]
}

const nameTaken = () => invalid({ name: ['An organization with this name already exists.'] })

/** The writes of the entries by which an organization is found. An entry holds its sort key in each order, so hits are sorted before they are read. */
function wordWrites(old: Organization | undefined, next: Organization): Write[] {
  const [before, after] = [wordsOf(old), wordsOf(next)]
  const isMoved = old !== undefined && placesOf(old).name !== placesOf(next).name
  const entry = { organization_id: next.id, ...placesOf(next) }
  return [
    ...[...after]
      .filter((word) => isMoved || !before.has(word))
      .map((word) => putEntry(key.organizationWord(word, next.id), entry)),
    ...[...before].filter((word) => !after.has(word)).map((word) => removeEntry(key.organizationWord(word, next.id))),
  ]
}
