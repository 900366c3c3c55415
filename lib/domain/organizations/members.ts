import { now } from '../../base/clock.ts'
import { forbidden, impossible, notFound } from '../../base/errors.ts'
import {
  get,
  getMany,
  type PageRequest,
  parse,
  put,
  readList,
  remove,
  type Stored,
  type UnitOfWork,
  walk,
  withNextVersion,
} from '../../engines/table/index.ts'
import { type Actor, maySeeAll } from '../../platform/permissions.ts'
import { key } from '../../platform/table/keys.ts'
import { keyOf } from '../../platform/users/users.ts'
import {
  type Membership,
  membership,
  membersOf,
  type Organization,
  type OrganizationSubject,
  organization,
  organizationsOf,
} from './items.ts'
import { changeMembers } from './organizations.ts'

/** The most organizations of one person, and the most admins of one organization, which are stored in its item. */
const MOST_MEMBERSHIPS = 100
const MOST_ADMINS = 50

/**
 * Joins an organization as a member whom no admin has confirmed. Joining gives no right to read anything. Fails with `invalid` if the
 * caller is a member already, or is in 100 organizations.
 */
export const joinOrganization = (unit: UnitOfWork, subject: OrganizationSubject, actor: Actor): Promise<Membership> =>
  changeMembers(unit, subject, async (it) => {
    if (await loadMembership(it.id, actor.id)) throw impossible('You are a member of this organization already.')
    if ((await walkMemberships(actor.id)).length >= MOST_MEMBERSHIPS)
      throw impossible(`Nobody is in more than ${MOST_MEMBERSHIPS} organizations.`)
    const made: Membership = {
      organization_id: it.id,
      user_id: actor.id,
      role: 'member',
      confirmed: false,
      joined_at: now(),
      version: 1,
    }
    return {
      changes: { member_count: it.member_count + 1 },
      writes: [put(membership, made, undefined)],
      result: made,
    }
  })

/** Ends the membership of a user. Fails with `invalid` for the owner, and for a user who is no member. */
export const endMembership = (unit: UnitOfWork, subject: OrganizationSubject, user_id: string): Promise<void> =>
  changeMembers(unit, subject, async (it) => {
    const old = await loadMembership(it.id, user_id)
    if (!old) throw impossible('This user is no member of this organization.')
    if (it.owner_id === user_id) throw impossible('The owner does not leave. Make another member the owner first.')
    return {
      changes: { member_count: it.member_count - 1, admins: it.admins.filter((id) => id !== user_id) },
      writes: [remove(membership, old)],
      result: undefined,
    }
  })

/** What an admin changes of a member. With `owner` the member becomes the owner. */
export type MemberInput = {
  role?: Membership['role'] | undefined
  confirmed?: boolean | undefined
  owner?: true | undefined
}

/**
 * Changes the role of a member, or confirms the member. A role also confirms. Fails with `notFound` for a user who is no member.
 * Fails with `refused` if someone else than the owner or staff names an owner, and with `invalid` if the owner would be no admin.
 */
export const amendMembership = (
  unit: UnitOfWork,
  subject: OrganizationSubject,
  actor: Actor,
  user_id: string,
  { role, confirmed, owner }: MemberInput,
): Promise<Membership> =>
  changeMembers(unit, subject, async (it) => {
    const old = await loadMembership(it.id, user_id)
    if (!old) throw notFound()
    if (owner && actor.id !== it.owner_id && !maySeeAll(actor)) throw forbidden('Only the owner names another owner.')
    const owner_id = owner ? user_id : it.owner_id
    const next = withNextVersion<Membership>(old, {
      role: owner ? 'admin' : (role ?? old.role),
      confirmed: confirmed ?? (old.confirmed || role !== undefined || owner === true),
    })
    if (owner_id === user_id && !(next.role === 'admin' && next.confirmed))
      throw impossible('The owner is an admin, and confirmed.')
    const others = it.admins.filter((id) => id !== user_id)
    const admins = next.role === 'admin' ? [...others, user_id] : others
    if (admins.length > MOST_ADMINS) throw impossible(`An organization has no more than ${MOST_ADMINS} admins.`)
    return { changes: { admins, owner_id }, writes: [put(membership, next, old)], result: next }
  })

const loadMembership = (organization_id: string, user_id: string): Promise<Membership | undefined> =>
  get(membership, { organization_id, user_id })

const walkMemberships = async (user: string): Promise<Membership[]> =>
  (await walk({ index: 'gsi3', pk: organizationsOf(user), forward: true, limit: MOST_MEMBERSHIPS })).map((it) =>
    parse(membership, it),
  )

/** An organization with the role that a user has in it. */
export type OwnOrganization = { about: Organization; role: Membership['role'] }

/** Lists the organizations of a user, the earliest joined first. Two calls. It reads an index, so one joined a moment ago may be missing. */
export async function listOrganizationsOf(user: string): Promise<OwnOrganization[]> {
  const own = await walkMemberships(user)
  const found = await getMany(own.map((it) => key.organization(it.organization_id)))
  const byId = new Map(
    [...found.values()].map((item) => parse(organization, item)).map((about) => [about.id, about] as const),
  )
  return own.flatMap(({ organization_id, role }) => {
    const about = byId.get(organization_id)
    return about && about.deleted_at === null ? [{ about, role }] : []
  })
}

export type MemberPage = {
  count: number
  results: Membership[]
  found: ReadonlyMap<string, Stored>
  first?: string | undefined
  last?: string | undefined
}

/** Lists one page of the members by role, admins first; of one role the earliest joined first. `found` holds their users. Two calls. */
export async function listMembers({ id, member_count }: Organization, page: PageRequest): Promise<MemberPage> {
  const list = { partitions: [{ index: 'gsi1' as const, pk: membersOf(id) }], counted: [], forward: true }
  const { items, ...listed } = await readList(list, page, (rows) => rows.map((row) => keyOf(String(row.user_id))))
  return { ...listed, count: member_count, results: items.map((it) => parse(membership, it)) }
}
