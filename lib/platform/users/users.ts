import * as v from 'valibot'
import { newId, now } from '../../base/clock.ts'
import { conflict, invalid, type Problem } from '../../base/errors.ts'
import { languages } from '../../base/language/languages.ts'
import { calendarKeys } from '../../engines/calendars/index.ts'
import { asciiLowerCase, cut } from '../../engines/matching/index.ts'
import {
  defineItem,
  get,
  type Key,
  type Listing,
  type PageRequest,
  parse,
  put,
  readList,
  remove,
  removeEntry,
  type Stored,
  says,
  type UnitOfWork,
  untilWhole,
  type Write,
  withNextVersion,
} from '../../engines/table/index.ts'
import { indexWrites } from '../name-index/entries.ts'
import { ranks } from '../permissions.ts'
import { key } from '../table/keys.ts'

const ReviewerRole = v.object({
  /** The id of the user. A user has one role at most, so one read finds it. */
  id: v.string(),
  role: v.picklist(ranks),
  expertise_areas: v.array(v.string()),
  is_active: v.boolean(),
  assigned_by: v.nullable(v.string()),
  created_at: v.string(),
  updated_at: v.string(),
})
/** The latest application as the user's own pages show it. The application itself is an item of its own. */
const ReviewerApplication = v.object({
  id: v.string(),
  status: v.picklist(['pending', 'approved', 'rejected']),
  /** The beginning of the message. */
  message: v.string(),
  created_at: v.string(),
  updated_at: v.string(),
})

/** A user with profile, role and application in one item: one read gives the caller of a request. */
const User = v.object({
  id: v.string(),
  username: v.string(),
  email: v.string(),
  /** Whether the owner has proven the address: by a letter, or by an identity provider. An address without proof is never trusted. */
  email_verified: v.optional(v.boolean(), false),
  is_active: v.boolean(),
  /** Why and by whom the account was closed. Null while it is open. */
  deactivation: v.optional(v.nullable(v.object({ reason: v.string(), by: v.string(), at: v.string() })), null),
  is_staff: v.boolean(),
  is_superuser: v.boolean(),
  groups: v.array(v.string()),
  reviewer_role: v.nullable(ReviewerRole),
  reviewer_application: v.nullable(ReviewerApplication),
  /** A PHC string, or empty: such a user signs in through a provider only. */
  password: v.string(),
  /** Sessions of an earlier generation are void. */
  token_generation: v.number(),
  /**
   * How often the account has changed hands, beginning with 1. Keys, hooks, uploads and jobs that were made under another ownership
   * are void: whoever made them is not its owner any more. See `mayActFor`.
   */
  ownership: v.optional(v.number(), 1),
  /** The user's subject (`sub`) at each identity provider, by issuer. An item of its own claims each of them. */
  subjects: v.record(v.string(), v.string()),
  /** True for users of the local seed. In dev mode they alone can sign in without a password. */
  seeded: v.boolean(),
  first_name: v.string(),
  middle_name: v.string(),
  last_name: v.string(),
  biography: v.string(),
  area_of_expertise: v.string(),
  country: v.string(),
  organization: v.string(),
  position: v.string(),
  university_school: v.string(),
  social_links: v.record(v.string(), v.string()),
  website_link: v.string(),
  birth_date: v.nullable(v.string()),
  contributor_mode: v.picklist(['basic', 'advanced']),
  /** Settings of the user. Null means that each request decides. */
  language: v.optional(v.nullable(v.picklist(languages)), null),
  calendar: v.optional(v.nullable(v.picklist(calendarKeys)), null),
  score: v.number(),
  avatar_url: v.string(),
  /** The id of the uploaded image in the bucket. Empty if there is no image. */
  profile_image: v.string(),
  date_joined: v.string(),
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type User = v.InferOutput<typeof User>

/** The `ownership` of the account at the time when a key, hook, upload or job was made. The item of each stores it. */
export const storedOwnership = v.optional(v.number(), 1)
/** Whether something may still act for its account: the account is active, and has not changed hands since. */
export const mayActFor = (owner: User | undefined, made: { ownership?: number | undefined }): owner is User =>
  owner?.is_active === true && owner.ownership === (made.ownership ?? 1)

export type ReviewerRole = v.InferOutput<typeof ReviewerRole>
export type ReviewerApplication = v.InferOutput<typeof ReviewerApplication>
/** A user as nested in other answers. `email` is '' unless the reader may see it. */
export type Card = { id: string; username: string; email: string; first_name: string; last_name: string }

export const user = defineItem({
  type: 'user',
  schema: User,
  key: ({ id }: { id: string }) => key.user(id),
  indexes: (it) => ({
    gsi2: { pk: 'USER', sk: `${it.created_at}#${it.id}` },
    ...(it.reviewer_role && { gsi1: { pk: 'ROLE', sk: `${it.reviewer_role.created_at}#${it.id}` } }),
  }),
  counted: (it) => ['USER', ...(it.reviewer_role ? ['ROLE'] : [])],
})

// The items that make email and username unique. The user who stores the item first has the name.
const Claim = v.object({ value: v.string(), user_id: v.string(), version: v.literal(1) })
/** The version of a claim to an address rises with each owner, so that no writer takes the claim of another for their own. */
const EmailClaim = v.object({ ...Claim.entries, version: v.number() })
/** The claim to an address. */
export const emailClaim = defineItem({
  type: 'email',
  schema: EmailClaim,
  key: ({ value }: { value: string }) => key.email(value),
})
const usernameClaim = defineItem({
  type: 'username',
  schema: Claim,
  key: ({ value }: { value: string }) => key.username(value),
})

const subjectClaim = defineItem({
  type: 'subject',
  schema: v.object({ issuer: v.string(), subject: v.string(), user_id: v.string(), version: v.literal(1) }),
  key: (it: { issuer: string; subject: string }) => key.subject(it.issuer, it.subject),
})

/** Loads the user whom an identity provider knows by this subject. Two calls, or one if there is none. */
export async function loadUserBySubject(issuer: string, subject: string): Promise<User | undefined> {
  const claim = await get(subjectClaim, { issuer, subject })
  return claim && loadUser(claim.user_id)
}

/**
 * Returns the writes that make `next` the subjects of a user: they claim the new subjects and free the others. They fail with `conflict`
 * if another user has one of them.
 */
export function subjectWrites({ id: user_id, subjects: old }: User, next: User['subjects']): Write[] {
  const isIn = (these: User['subjects'], issuer: string, subject: string) => these[issuer] === subject
  const gone = Object.entries(old).filter(([issuer, subject]) => !isIn(next, issuer, subject))
  const made = Object.entries(next).filter(([issuer, subject]) => !isIn(old, issuer, subject))
  return [
    ...gone.map(([issuer, subject]) => removeEntry(subjectClaim.key({ issuer, subject }))),
    ...made.map(([issuer, subject]) =>
      put(subjectClaim, { issuer, subject, user_id, version: 1 }, undefined, subjectTaken),
    ),
  ]
}
const subjectTaken = () => conflict('Another account is linked to this subject.')

/** Loads a user. The slug of a profile is the same id. */
export const loadUser = (id: string): Promise<User | undefined> => get(user, { id })

/** Loads the user who signs in with this address, in any letter case. */
export async function loadUserByEmail(email: string): Promise<User | undefined> {
  const claim = await get(emailClaim, { value: asciiLowerCase(email) })
  return claim && loadClaimOwner(claim)
}

/** Loads the user with this username, in any letter case. */
export async function loadUserByUsername(username: string): Promise<User | undefined> {
  const claim = await get(usernameClaim, { value: asciiLowerCase(username) })
  return claim && loadClaimOwner(claim)
}

/** Loads the user of a claim. If only the claim is in place yet, waits for the rest of its transaction. */
const loadClaimOwner = async ({ user_id }: { user_id: string }): Promise<User | undefined> =>
  (
    await untilWhole(
      async () => ({ user: await loadUser(user_id) }),
      ({ user }) => user !== undefined,
    )
  )?.user

/** Lists one page of all users, oldest first unless `forward` is false. `cardOf` and `userOf` read its items. */
export const listUsers = (place: PageRequest, forward = true): Promise<Listing> =>
  readList({ partitions: [{ index: 'gsi2', pk: 'USER' }], counted: ['USER'], forward }, place)

/** The key of a user, for lists that fetch items of several types in one call. `cardOf` and `userOf` read the item. */
export const keyOf = (id: string): Key => key.user(id)

/** The card of a stored user. If the user is unknown, only the id is filled in. */
export const cardOf = (stored: Stored | User | undefined, id = ''): Card => ({
  id: String(stored?.id ?? id),
  username: String(stored?.username ?? ''),
  email: '',
  first_name: String(stored?.first_name ?? ''),
  last_name: String(stored?.last_name ?? ''),
})

/** Parses a stored user that was read together with other items. */
export const userOf = (stored: Stored): User => parse(user, stored)

/** Creates a user. The commit fails with `invalid` if the email or the username is taken. */
export const createUser = (unit: UnitOfWork, input: Pick<User, 'email' | 'username'> & Partial<User>): User =>
  addUser(unit, input, usernameTaken)

/**
 * Registers a user whose address is not proven. If nobody has claimed the address, the user claims it. Otherwise the user gets the address
 * without the claim, so nobody learns by registering which addresses have accounts. Without a username, one is made of the email. The
 * commit fails with `invalid` if the username is taken.
 */
export async function registerUser(
  unit: UnitOfWork,
  { username, ...input }: Pick<User, 'email'> & Partial<Omit<User, 'username'>> & { username: string | undefined },
): Promise<User> {
  unit.retryOn('conflict', 20)
  const isClaimed = (await get(emailClaim, { value: asciiLowerCase(input.email) })) !== undefined
  const name = username ?? (await findFreeUsername(usernameFrom(input.email)))
  const nameTaken = username === undefined ? conflict : usernameTaken
  return addUser(unit, { ...input, username: name, email_verified: false }, nameTaken, isClaimed ? 'leave' : 'claim')
}

/**
 * Creates a user whose username is the beginning of the email, with a number if that is taken. The commit fails with `invalid` if
 * the email is taken. If another request takes the username first, the unit runs again and finds the next free one.
 */
export async function createUserNamedAfterEmail(
  unit: UnitOfWork,
  input: Pick<User, 'email'> & Partial<User>,
): Promise<User> {
  unit.retryOn('conflict', 20)
  return addUser(unit, { ...input, username: await findFreeUsername(usernameFrom(input.email)) }, conflict)
}

function addUser(
  unit: UnitOfWork,
  input: Pick<User, 'email' | 'username'> & Partial<User>,
  nameTaken: () => Problem,
  address: 'must claim' | 'claim' | 'leave' = 'must claim',
): User {
  const at = now()
  const created: User = {
    ...defaults,
    id: newId(),
    date_joined: at,
    created_at: at,
    updated_at: at,
    ...input,
    email: asciiLowerCase(input.email),
    username: asciiLowerCase(input.username),
    version: 1,
  }
  unit.add([
    put(user, created, undefined),
    ...(address === 'leave'
      ? []
      : [put(emailClaim, claimOf(created), undefined, address === 'claim' ? conflict : emailTaken)]),
    put(usernameClaim, { value: created.username, user_id: created.id, version: 1 }, undefined, nameTaken),
    ...subjectWrites({ ...created, subjects: {} }, created.subjects),
    ...indexWrites(undefined, byName(created)),
    ...indexWrites(undefined, byAddress(created)),
  ])
  return created
}

/** The claim of a user to their address, as it is stored. */
export const claimOf = ({ id, email }: Pick<User, 'id' | 'email'>) => ({
  value: email,
  user_id: id,
  version: 1 as const,
})

/**
 * Finds a free username. Example: `maya`, then `maya1` to `maya9`, then `maya` and eight random characters. One call for each of the first
 * ten that it tries.
 */
async function findFreeUsername(base: string): Promise<string> {
  for (let suffix = 0; suffix < 10; suffix += 1) {
    const username = suffix === 0 ? base : `${base}${suffix}`
    if (!(await get(usernameClaim, { value: username }))) return username
  }
  return base + newId().slice(0, 8)
}

/** Members of a user that `amendUser` changes. `proveAddress` changes the email, `renameUser` the username: both are claims. */
export type UserChanges = Partial<Omit<User, 'id' | 'email' | 'username' | 'version' | 'created_at'>>

/** Returns the next version of a user, and the writes that store it. */
function planChange(old: User, changes: UserChanges): { next: User; writes: Write[] } {
  const next = withNextVersion(old, { ...changes, updated_at: now() })
  return { next, writes: [put(user, next, old), ...indexWrites(byName(old), byName(next))] }
}

/** Changes a user as it is now; see `amendUserByPlan`. */
export const amendUser = (
  unit: UnitOfWork,
  id: string,
  changesOf: (it: User) => UserChanges,
): Promise<User | undefined> => amendUserByPlan(unit, id, async (it) => ({ changes: changesOf(it) }))

/** Changes of a user, and further writes for the same transaction. */
export type UserPlan = { changes: UserChanges; also?: readonly Write[] }

/**
 * Changes a user as it is now. If another request changes the user first, the unit runs again. An error of `plan` is final. If `plan`
 * returns undefined, nothing is written. Returns the changed user, or undefined if there is no such user or no plan.
 */
export async function amendUserByPlan(
  unit: UnitOfWork,
  id: string,
  plan: (it: User) => Promise<UserPlan | undefined>,
): Promise<User | undefined> {
  unit.retryOn('conflict')
  const latest = await loadUser(id)
  const planned = latest && (await plan(latest))
  if (!planned) return undefined
  if (says(latest, planned.changes) && !planned.also?.length) return latest
  const { next, writes } = planChange(latest, planned.changes)
  unit.add([...writes, ...(planned.also ?? [])])
  return next
}

/**
 * Returns the writes that empty an account for good. Its username becomes `former`, its old username is free, and sessions and keys end.
 */
export function eraseUser(old: User, former: string): Write[] {
  const { id, date_joined, created_at } = old
  const blank = { ...defaults, groups: [], id, date_joined, created_at, username: former, email: '', is_active: false }
  const next: User = {
    ...blank,
    token_generation: old.token_generation + 1,
    ownership: old.ownership + 1,
    updated_at: now(),
    version: old.version + 1,
  }
  return [
    put(user, next, old),
    put(usernameClaim, { value: former, user_id: id, version: 1 }, undefined, usernameTaken),
    remove(usernameClaim, { value: old.username, user_id: id, version: 1 }),
    ...subjectWrites(old, {}),
    ...indexWrites(byName(old), byName(next)),
    ...indexWrites(byAddress(old), undefined),
  ]
}

/** The write that frees the address of a user for others. None if another account has claimed it. One call. */
export async function freeAddress({ id, email }: User): Promise<Write[]> {
  const claim = await get(emailClaim, { value: email })
  return claim?.user_id === id ? [remove(emailClaim, claim)] : []
}

/** Changes a username and frees the old one. The commit fails with `invalid` if the new one is taken. */
export async function renameUser(unit: UnitOfWork, old: User, username: string): Promise<User> {
  const next = withNextVersion(old, { username: asciiLowerCase(username), updated_at: now() })
  if (next.username === old.username) return old
  unit.add([
    put(user, next, old),
    put(usernameClaim, { value: next.username, user_id: old.id, version: 1 }, undefined, usernameTaken),
    remove(usernameClaim, { value: old.username, user_id: old.id, version: 1 }),
    ...indexWrites(byName(old), byName(next)),
  ])
  return next
}

const byName = ({ id, username, first_name, middle_name, last_name }: User) => ({
  entity_id: id,
  kind: 'user',
  id,
  names: [username, `${first_name} ${last_name}`, `${first_name} ${middle_name} ${last_name}`, last_name],
})
/** Addresses have entries of their own kind. The index finds entries by their beginning, so a search by name could otherwise guess an address. */
export const byAddress = ({ id, email }: User) => ({ entity_id: id, kind: 'user_email', id, names: [email] })

const emailTaken = () => invalid({ email: ['A user with this email address already exists.'] })
const usernameTaken = () => invalid({ username: ['This username is already taken.'] })

/**
 * Makes a username of at most 40 characters out of the local part of an email. Characters that usernames cannot have become hyphens.
 * Examples: `maya+x@one.example` gives `maya-x`, and `li@one.example` gives `user-li`.
 */
function usernameFrom(email: string): string {
  const plain = (email.split('@')[0] ?? '').toLowerCase().replace(/[^a-z0-9_.-]/g, '-')
  return cut(plain.length < 3 ? `user-${plain}` : plain, 40)
}

const defaults = {
  email_verified: false,
  is_active: true,
  deactivation: null,
  is_staff: false,
  is_superuser: false,
  groups: ['Contributors'],
  reviewer_role: null,
  reviewer_application: null,
  password: '',
  token_generation: 1,
  ownership: 1,
  subjects: {},
  seeded: false,
  first_name: '',
  middle_name: '',
  last_name: '',
  biography: '',
  area_of_expertise: '',
  country: '',
  organization: '',
  position: '',
  university_school: '',
  social_links: {},
  website_link: '',
  birth_date: null,
  contributor_mode: 'basic',
  language: null,
  calendar: null,
  score: 0,
  avatar_url: '',
  profile_image: '',
} satisfies Partial<User>
