/**
 * Who reads what is published: the words that the table, search and permissions share.
 * A record has a tier. A tier has an audience. A reader belongs to one or two audiences.
 */

/** Which records of a list the caller may be shown: published ones of these tiers, own ones, or all. */
export type Scope = { signedIn: boolean; everything: boolean; own: string | null }

/** The tier of what everyone may read; a record that names no tier is of this one. */
export const openTier = 'public'
/** The tier that anyone who is signed in may read. The wire calls it `restricted`. */
export const signedInTier = 'restricted'

/** Records of these tiers show their place to a tenth of a degree, except to those who work on them. */
const coarseTiers: readonly string[] = ['sensitive_indigenous', 'community_only']
/** Whether a record of this tier shows its place to a tenth of a degree only. */
export const isCoarse = (tier: string): boolean => coarseTiers.includes(tier)

/** The readers of published records: everyone, and whoever is signed in. Lists are kept and counted for each apart. */
export const audiences = ['published', 'restricted'] as const
export type Audience = (typeof audiences)[number]
const [everyone, signedInOnly] = audiences

/** The audience of a published record of this tier. This is the one rule on tiers; all others call it. */
export const audienceOf = (tier: string = openTier): Audience => (tier === openTier ? everyone : signedInOnly)
/** The audiences to which a reader belongs. */
export const audiencesWith = (signedIn: boolean): readonly Audience[] => (signedIn ? audiences : [everyone])
/**
 * The readers of an item that belongs to a record: an audience of the record, those who work on the record (`withheld`),
 * or staff alone (`deleted`). Claims, flags, activities, decisions and comments are listed for each of them apart.
 */
export const historyAudiences = [...audiences, 'withheld', 'deleted'] as const
export type HistoryAudience = (typeof historyAudiences)[number]

/** The members of a record on which the audience of its items depends. */
export type AudienceSubject = { deleted_at: string | null; public: boolean; access_tier: string }

/** Returns the audience of an item that belongs to a record. `isPublic`: every reader of the record may read the item. */
export function historyAudienceOf(about: AudienceSubject, isPublic: boolean): HistoryAudience {
  if (about.deleted_at) return 'deleted'
  return about.public && isPublic ? audienceOf(about.access_tier) : 'withheld'
}

/** Whether everyone may read what is published in this tier. */
export const isForEveryone = (tier: string | undefined): boolean => audienceOf(tier) === everyone
/** The one tier that lists are held to in this scope; undefined where they show every tier. */
export const onlyTier = ({ signedIn }: Scope): string | undefined => (signedIn ? undefined : openTier)

/** What a permission to read depends on. `isOwn`: the reader has contributed it, which takes being signed in. */
export type Readable = { isDeleted: boolean; isPublished: boolean; isForEveryone: boolean; isOwn: boolean }
/** Who reads. `everything`: staff. */
export type Reader = Pick<Scope, 'signedIn' | 'everything'>
/** The one rule on who may read a thing. Permissions ask it of a record; search asks it once for each combination of facts. */
export const canRead = (it: Readable, { signedIn, everything }: Reader): boolean =>
  everything || (!it.isDeleted && ((it.isPublished && (it.isForEveryone || signedIn)) || it.isOwn))
