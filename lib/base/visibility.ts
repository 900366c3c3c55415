/*
 * The readers of published records, in the words that table, search and permissions share.
 * A record has a tier. A tier has an audience. A reader belongs to one or two audiences.
 */

/** The records of a list that a caller may see: published records, own records (`own` is the caller's id), or all records. */
export type Scope = { signedIn: boolean; everything: boolean; own: string | null }

/** The tier that everyone may read. A record without a tier has this tier. */
export const openTier = 'public'
/** The tier that every signed-in reader may read. The wire calls it `restricted`. */
export const signedInTier = 'restricted'

/** Tiers whose records show a coarse place: coordinates to a tenth of a degree. Only people who work on a record see the exact place. */
const coarseTiers: readonly string[] = ['sensitive_indigenous', 'community_only']
/** Whether records of this tier show a coarse place. */
export const isCoarse = (tier: string): boolean => coarseTiers.includes(tier)

/** The readers of published records: everyone, and all signed-in readers. Each audience has its own lists and counters. */
export const audiences = ['published', 'restricted'] as const
export type Audience = (typeof audiences)[number]
const [everyone, signedInOnly] = audiences
/** The audience of records that only signed-in readers read. */
export const signedInAudience = signedInOnly

/** The audience of a published record of this tier: everyone for the open tier, signed-in readers for any other. */
export const audienceOf = (tier: string = openTier): Audience => (tier === openTier ? everyone : signedInOnly)
/** The audiences to which a reader belongs. */
export const audiencesWith = (signedIn: boolean): readonly Audience[] => (signedIn ? audiences : [everyone])
/**
 * The readers of an item that belongs to a record. They are an audience of the record, the people who work on the record (`withheld`), or
 * staff alone (`deleted`). Each has its own lists of claims, flags, activities, decisions and comments.
 */
export const historyAudiences = [...audiences, 'withheld', 'deleted'] as const
export type HistoryAudience = (typeof historyAudiences)[number]

/** The members of a record on which the audience of its items depends. */
export type AudienceSubject = { deleted_at: string | null; public: boolean; access_tier: string }

/** The audience of an item that belongs to a record. `isPublic` is true if every reader of the record may read the item. */
export function historyAudienceOf(about: AudienceSubject, isPublic: boolean): HistoryAudience {
  if (about.deleted_at) return 'deleted'
  return about.public && isPublic ? audienceOf(about.access_tier) : 'withheld'
}

/** Whether everyone may read the published records of this tier. */
export const isForEveryone = (tier: string | undefined): boolean => audienceOf(tier) === everyone
/** The only tier that lists show in this scope. Undefined if they show every tier. */
export const onlyTier = ({ signedIn }: Scope): string | undefined => (signedIn ? undefined : openTier)

/** The facts on which a permission to read depends. `isOwn` is true if the reader is signed in and has contributed the record. */
export type Readable = { isDeleted: boolean; isPublished: boolean; isForEveryone: boolean; isOwn: boolean }
/** A reader. `everything` is true for staff. */
export type Reader = Pick<Scope, 'signedIn' | 'everything'>
/** The one rule on reading. Permissions apply it to a record. Search applies it once to each combination of facts. */
export const canRead = (facts: Readable, { signedIn, everything }: Reader): boolean =>
  everything || (!facts.isDeleted && ((facts.isPublished && (facts.isForEveryone || signedIn)) || facts.isOwn))
