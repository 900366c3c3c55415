import { phrase } from '../base/language/languages.ts'
import {
  audienceOf,
  audiencesWith,
  canRead,
  type HistoryAudience,
  historyAudiences,
  isCoarse,
  isForEveryone,
  type Scope,
} from '../base/visibility.ts'

/** The roles of reviewers, from the lowest to the highest. */
export const ranks = ['community_reviewer', 'domain_expert', 'expert_curator'] as const
export type Rank = (typeof ranks)[number]
/** The lower of two ranks. Null if either is. */
export const lowerRank = (one: Rank | null, other: Rank | null): Rank | null =>
  one === null || other === null ? null : (ranks.find((it) => it === one || it === other) ?? null)
/** The caller. `rank` is the role of an active ReviewerRole, else null. */
export type Actor = {
  id: string
  username: string
  email: string
  is_staff: boolean
  is_superuser: boolean
  rank: Rank | null
  /** The `ownership` of the user, which is raised when the account changes hands. Absent means 1. */
  ownership?: number
  /** Set if a machine calls with a key. It has a contributor's rights, limited by its scopes, and never those of staff or reviewers. */
  key?: MachineKey
}
/**
 * Scopes of keys for machines: to read as the owner does, to propose records, to send files and collections, to have hooks of its own.
 */
export const keyScopes = ['read', 'propose', 'import', 'hook'] as const
export type KeyScope = (typeof keyScopes)[number]
export type MachineKey = { id: string; name: string; scopes: readonly KeyScope[] }
/** The members of a stored record that rules look at. `public`: an accepted revision of it stands. */
export type Subject = {
  contributor_id: string | null
  public: boolean
  access_tier?: string | undefined
  deleted_at?: string | null | undefined
  /** Of a flag: who raised it (null: the service itself), and whether it is settled. */
  flagged_by?: string | null | undefined
  is_resolved?: boolean | undefined
  /** Whether it is an open contradiction, or a claim that only those who settle contradictions may settle. */
  contradicts?: boolean | undefined
  /** Of a record that waits, and of its claims: the least rank that may decide. */
  required_persona?: Rank | undefined
  /** Of a project and its parts: its state, the roles of its members by user id, and who sent it in last. */
  project?: { state: string; roles: Readonly<Record<string, string>>; sent_by: string | null } | undefined
  /** The authors of a contribution that waits for a decision. */
  authors?: readonly string[] | undefined
  /** Of an organization: its admins. */
  admins?: readonly string[] | undefined
  /** Of a fork: the record that it is a version of, and whether a reviewer has turned it down. */
  original?: Subject | undefined
  is_rejected?: boolean | undefined
  /** Of a comment: who wrote it. */
  author_id?: string | null | undefined
  /** Of a hook: the key that made it. Null if a person did. */
  key_id?: string | null | undefined
}
export type Open = { open: string } // the reason why no caller is needed
export type Role = { role: (actor: Actor) => boolean } // looks at the actor
export type Lists = { lists: (actor: Actor | null) => Scope } // which items the actor may list
type Sight<S> = (actor: Actor | null, it: S) => boolean
export type Sees<S = never> = { sees: Sight<S>; changes?: never } // looks at the actor and the stored thing
export type Changes<S = never> = { sees: Sight<S>; changes: (actor: Actor, it: S) => Ruling }
/** Whether something is allowed. A refusal may say why, and what role it takes. */
export type Ruling = boolean | { refusal: string }

const anyone = () => true
// prove: staff
const staff = (actor: Actor) => actor.is_staff
const atLeast = (rank: Rank) => (actor: Pick<Actor, 'is_staff' | 'rank'>) =>
  actor.is_staff || ranks.slice(ranks.indexOf(rank)).some((it) => it === actor.rank)
// prove: reviewer
const reviewer = atLeast('community_reviewer')
const expert = atLeast('domain_expert')
const curator = atLeast('expert_curator')

/** The powers of a role beyond reviewing, with the least rank for each. Rules use these ranks. Accounts and roles show the powers. */
export const leastRanks = {
  overridesConfidence: 'domain_expert',
  settlesContradiction: 'domain_expert',
  managesRoles: 'expert_curator',
} satisfies Record<string, Rank>
type Power = keyof typeof leastRanks
const holds = (power: Power) => atLeast(leastRanks[power])
/** Whether somebody of this rank has that power. */
export const rankHolds = (rank: Rank, power: Power): boolean => holds(power)({ is_staff: false, rank })

/** Whether a published thing of this tier is shown to this reader. */
export const maySeeTier = (actor: Actor | null, tier: string | undefined): boolean =>
  audiencesWith(actor !== null).includes(audienceOf(tier))

const isOwner = (actor: Actor | null, it: Subject) => actor !== null && actor.id === it.contributor_id
const canSee = (actor: Actor | null, it: Subject) =>
  canRead(
    {
      // prove: deleted
      isDeleted: Boolean(it.deleted_at),
      isPublished: it.public,
      // prove: tier
      isForEveryone: isForEveryone(it.access_tier),
      // prove: own
      isOwn: isOwner(actor, it),
    },
    scopeOf(actor),
  )
const canReview = (actor: Actor | null, it: Subject) => !it.deleted_at && actor !== null && reviewer(actor)
const canInspect = (actor: Actor | null, it: Subject) => canSee(actor, it) || canReview(actor, it)
const ownerOrStaff = (actor: Actor | null, it: Subject) => actor?.is_staff === true || isOwner(actor, it)
/** A key sees the hooks that it has made itself, and no others of its owner. */
const canSeeHook = (actor: Actor | null, it: Subject) =>
  ownerOrStaff(actor, it) && (!actor?.key || actor.key.id === it.key_id)
/** Whether somebody reads the proposals of all, not only their own. */
export const seesAllProposals = expert
/** Allows the owner, staff, and experts, who decide on proposals. */
const canSeeProposal = (actor: Actor | null, it: Subject) =>
  ownerOrStaff(actor, it) || (actor !== null && seesAllProposals(actor))
/** Allows the owner and staff, and reviewers once contributions may cite the scan. */
const canReadScan = (actor: Actor | null, it: Subject) =>
  ownerOrStaff(actor, it) || (it.public && actor !== null && reviewer(actor))
/**
 * Whether the actor may read the values of a fork. The actor must be allowed to inspect the original. Beside that, they must be allowed to
 * inspect the fork, or have contributed the original.
 */
const canReadFork = (actor: Actor | null, it: Subject): boolean =>
  it.original !== undefined &&
  canInspect(actor, it.original) &&
  (canInspect(actor, it) || (!it.deleted_at && isOwner(actor, it.original)))
/**
 * Whether the actor may know that a fork exists, its sort, and which fields it changes. All its readers may. So may all who inspect the
 * original, unless the fork was rejected or its tier is closed to them.
 */
const canSeeFork = (actor: Actor | null, it: Subject): boolean =>
  canReadFork(actor, it) ||
  (it.original !== undefined &&
    canInspect(actor, it.original) &&
    !it.deleted_at &&
    !it.is_rejected &&
    maySeeTier(actor, it.access_tier))
const isFlagger = (actor: Actor, it: Subject) => actor.id === it.flagged_by
const isAuthor = (actor: Actor, it: Subject) => actor.id === it.author_id
const isAdmin = (actor: Actor, it: Subject) => it.admins?.includes(actor.id) ?? false
/** Everyone may see accepted legacy submissions. Whoever is signed in may see all submissions. */
const canSeeSubmission = (actor: Actor | null, it: Subject) => it.public || actor !== null
/**
 * Whoever is signed in may see an approved suggestion. Other suggestions are for reviewers, the submission's contributor and the author.
 */
const canSeeSuggestion = (actor: Actor | null, it: Subject) =>
  actor !== null && (it.public || reviewer(actor) || isOwner(actor, it) || isAuthor(actor, it))
/** Why somebody may not decide on what they have made. */
export const ownWork = 'Nobody decides on a contribution of their own.'
const notOnesOwn = (actor: Actor, it: Pick<Subject, 'authors'>): Ruling =>
  it.authors?.includes(actor.id) ? { refusal: ownWork } : true
/** Allows whoever has that power. The refusal names the rank that is needed for `part` of a decision. */
const mayAs = (actor: Actor, power: Power, part: string): Ruling =>
  holds(power)(actor) || { refusal: `${part} takes at least a ${rankName(leastRanks[power])}.` }
/** A rank as sentences name it. */
export const rankName = (rank: Rank): string => rank.replaceAll('_', ' ')

/** The facts about a decision that rules look at. */
export type Deciding = {
  /** Everyone whose work it is about. */
  authors: readonly string[]
  /** The least rank that may decide. Any reviewer may escalate. */
  required_persona: Rank
  escalates: boolean
  overridesConfidence: boolean
  settlesContradiction: boolean
}
/** Whether somebody has the rank to which a record was escalated. */
const reaches = (actor: Actor, least: Rank): Ruling =>
  atLeast(least)(actor) || { refusal: `This has been escalated: it takes at least a ${rankName(least)}.` }
/** Whether the caller has the rank that settles contradictions. */
export const maySettleContradiction = (actor: Actor): Ruling =>
  mayAs(actor, 'settlesContradiction', phrase('Settling a contradiction'))

/** The rules of a decision. The first rule that does not hold refuses it. */
const decisionRules: readonly ((actor: Actor, it: Deciding) => Ruling)[] = [
  notOnesOwn,
  (actor, { escalates, required_persona: least }) => escalates || reaches(actor, least),
  (actor, it) => !it.overridesConfidence || mayAs(actor, 'overridesConfidence', phrase('Overriding confidence')),
  (actor, it) => !it.settlesContradiction || maySettleContradiction(actor),
]

/** Reviewers may settle flags, but not on a record of their own. An open contradiction takes a domain expert, as in a decision. */
function canSettleFlag(actor: Actor, it: Subject): Ruling {
  if (!reviewer(actor) || isOwner(actor, it) || it.authors?.includes(actor.id)) return false
  return !it.contradicts || maySettleContradiction(actor)
}
/**
 * Reviewers may settle claims of others. Only those who settle contradictions may change a value that stands or waits, or decide a
 * contradiction. An escalated record needs the rank to which it was escalated.
 */
function canSettleClaim(actor: Actor, it: Subject): Ruling {
  const own = reviewer(actor) && notOnesOwn(actor, it)
  if (own !== true) return own
  const escalated = reaches(actor, it.required_persona ?? 'community_reviewer')
  if (escalated !== true) return escalated
  return !it.contradicts || maySettleContradiction(actor)
}
const scope = (actor: Actor | null): Scope => ({
  signedIn: actor !== null,
  everything: maySeeAll(actor),
  own: actor?.id ?? null,
})

const roleIn = (actor: Actor, it: Subject) => it.project?.roles[actor.id]
const reviewable = (it: Subject) => it.project?.state === 'in_review' || it.project?.state === 'approved'
const buildsProject = (actor: Actor, it: Subject) => ['owner', 'editor'].includes(roleIn(actor, it) ?? '')
/** Whether the caller owns or edits the project, or has sent it in: they may not decide on it, whatever their rank. */
export const isProjectAuthor = (actor: Actor, it: Subject): boolean =>
  buildsProject(actor, it) || it.project?.sent_by === actor.id
/** The parts that a caller may have in a project. */
export const projectParts = {
  editors: (actor: Actor, it: Subject) => actor.is_staff || buildsProject(actor, it),
  reviewers: (actor: Actor, it: Subject) =>
    !isProjectAuthor(actor, it) && (reviewer(actor) || roleIn(actor, it) === 'domain_expert'),
  mergers: (actor: Actor, it: Subject) => !isProjectAuthor(actor, it) && expert(actor),
}
/** Reviewers oversee a project in review or approved. Those who may roll back a merge oversee a merged project. */
const canOversee = (actor: Actor, it: Subject) =>
  (reviewable(it) && reviewer(actor)) || (it.project?.state === 'merged' && expert(actor))
/** Allows whoever `canSee` allows, members of the project, and those who oversee it. */
const canSeeProject = (actor: Actor | null, it: Subject) =>
  canSee(actor, it) || (!it.deleted_at && actor !== null && (roleIn(actor, it) !== undefined || canOversee(actor, it)))

/** Who may do what. One line per permission; every route names exactly one. */
export const permissions = {
  'service.read': { open: 'probes, metrics and the link index say nothing about anyone' },
  'document.read': { open: 'what can be called, and how, is no secret' },
  'public.read': { open: 'it shows what everyone may read, whoever asks' },
  'feed.read': { open: 'it tells of what everyone may read, and of what nobody may any more no more than that' },
  'machine.ask': { open: 'each tool answers what its caller may read, and looks for itself at who may propose' },
  'export.read': { open: 'the files hold what everyone may read' },
  'citation.read': { open: 'it holds what everyone may read, and names what nobody may any more, as the feed does' },
  'citation.create': { role: anyone },
  'token.create': { open: 'nobody is signed in yet' },
  'session.end': { open: 'clears the cookie of whoever sends it' },
  'account.register': { open: 'nobody is signed in yet' },
  'account.recover': { open: 'whoever asks gets a letter at the address, and is told nothing here' },
  'account.link': { open: 'whoever has the link got the letter that it stands in' },
  'account.read': { role: anyone },
  'account.change': { role: anyone },
  'account.export': { role: anyone },
  'account.leave': { role: anyone },
  'token.revoke': { role: anyone },
  'session.own': { role: anyone },
  'hook.own': { role: anyone },
  'hook.read': { sees: canSeeHook },
  'hook.change': { sees: canSeeHook, changes: anyone },
  'key.own': { role: anyone },
  'key.revoke': { sees: ownerOrStaff, changes: anyone },
  'profile.read': { open: 'profiles are public pages; private members are left out by the view' },
  'profile.change': { role: anyone },
  'registry.read': { open: 'the published ontology' },
  'vocabulary.read': { open: 'controlled lists' },
  'calendar.convert': { open: 'arithmetic' },
  'record.list': { lists: scope },
  'record.create': { role: anyone },
  'record.read': { sees: canSee },
  'record.update': { sees: canSee, changes: ownerOrStaff },
  // Only the owner and staff see a record that is not public, so the owner may delete it. Only staff may delete a public record.
  'record.delete': { sees: canSee, changes: (actor, it) => actor.is_staff || !it.public },
  'record.restore': { sees: canSee, changes: staff },
  // For the owner and reviewers. A label in one's own words on a public record takes a reviewer: see lib/domain/labels/input.ts.
  'label.change': { sees: canInspect, changes: (actor, it) => reviewer(actor) || isOwner(actor, it) },
  'review.read': { role: reviewer, sees: canInspect },
  // Some decisions take a higher rank: see decisionRules.
  'review.decide': { role: reviewer, sees: canInspect, changes: notOnesOwn },
  'review.dashboard': { role: reviewer },
  'decision.list': { open: 'who decided what is public; records that the caller may not see are not named' },
  'history.list': { lists: scope },
  'history.read': { sees: canInspect },
  'queue.read': { role: reviewer },
  'queue.claim': { role: reviewer },
  'queue.moderate': { role: staff },
  'contribution.list': { role: anyone },
  'related.list': { lists: scope },
  'search.read': { lists: scope },
  'assistant.ask': { lists: scope },
  'assist.ask': { role: anyone },
  'assertion.list': { lists: scope },
  'assertion.create': { role: anyone },
  'assertion.read': { sees: canInspect },
  'assertion.change': {
    sees: canInspect,
    changes: canSettleClaim,
  },
  'activity.list': { lists: scope },
  'activity.read': { sees: canInspect },
  'flag.list': { role: anyone },
  'flag.read': { role: anyone, sees: canInspect },
  'flag.create': { role: anyone },
  'flag.change': {
    sees: canInspect,
    changes: canSettleFlag,
  },
  'flag.resolve': {
    sees: canInspect,
    changes: (actor, it) => isFlagger(actor, it) || canSettleFlag(actor, it),
  },
  // Whoever raised a flag may withdraw it while it is open.
  'flag.delete': {
    sees: canInspect,
    changes: (actor, it) => (isFlagger(actor, it) && !it.is_resolved) || canSettleFlag(actor, it),
  },
  'notification.own': { role: anyone },
  'letters.own': { role: anyone },
  'letters.link': { open: 'whoever has the link got the letter that it stands in' },
  // Nobody else reads what a person watches, not even staff.
  'watch.own': { role: anyone },
  'watch.link': { open: 'whoever has the link got it from the person who watches' },
  'submission.list': { role: anyone },
  'submission.read': { sees: canSeeSubmission },
  'submission.ids': { open: 'an id says nothing of what it names, and each is checked when it is read' },
  'submission.write': { open: 'nobody may any more, and everyone is told so' },
  'suggestion.list': { role: anyone },
  'suggestion.create': { role: anyone },
  'suggestion.read': { role: anyone, sees: canSeeSuggestion },
  'suggestion.decide': { sees: canSeeSuggestion, changes: (actor, it) => reviewer(actor) && !isAuthor(actor, it) },
  'moderation.read': { role: staff },
  'moderation.change': { role: staff },
  'comment.list': { lists: scope },
  'comment.add': { role: anyone },
  'reaction.list': { lists: scope },
  'reaction.toggle': { role: anyone },
  'comment.read': { sees: canInspect },
  'comment.create': { sees: canInspect, changes: (_, it) => !it.deleted_at },
  'comment.change': { sees: canInspect, changes: (actor, it) => actor.is_staff || isAuthor(actor, it) },
  'source.list': { lists: scope },
  'source.create': { role: anyone },
  'source.read': { sees: canSee },
  'source.restore': { sees: canSee, changes: staff },
  'source.change': { sees: canSee, changes: ownerOrStaff },
  // To question a source changes no value. The later decision on its values checks whose work they are.
  'source.question': { role: expert, sees: canSee, changes: anyone },
  'cluster.list': { open: 'clusters hold canonical labels; their members are filtered by the caller' },
  // Clusters are never hidden.
  'cluster.read': { sees: anyone },
  // Only those who may change a cluster read its log, and the rivals among the claims of its records.
  'cluster.inspect': { role: curator, sees: anyone },
  'cluster.suggest': { role: anyone, sees: anyone },
  'cluster.create': { role: reviewer },
  'cluster.change': { sees: anyone, changes: curator },
  'duplicates.suggest': { role: anyone },
  'graph.read': { open: 'it shows what everyone may read; reviewers also get what they may inspect' },
  'identity.read': { open: 'clusters are for everyone; records that the caller may not see are left out' },
  'candidate.list': { role: reviewer },
  'candidate.read': { role: reviewer, sees: canInspect },
  'candidate.resolve': { sees: canInspect, changes: (actor, it) => reviewer(actor) && notOnesOwn(actor, it) },
  'links.report': { role: reviewer },
  'role.own': { role: anyone },
  'role.read': { role: holds('managesRoles') },
  'role.change': { role: holds('managesRoles') },
  'application.own': { role: anyone },
  'application.read': { role: curator },
  'application.answer': { role: curator },
  'user.read': { role: curator },
  'user.moderate': { role: staff },
  'extension.own': { role: anyone },
  'extension.read': { sees: canSeeProposal },
  'extension.change': { sees: canSeeProposal, changes: ownerOrStaff },
  'extension.decide': { role: expert, sees: canSeeProposal, changes: notOnesOwn },
  'alert.list': { role: reviewer },
  'alert.read': { role: reviewer, sees: canInspect },
  'alert.end': { sees: canInspect, changes: reviewer },
  'link.list': { open: 'links of records that everyone may read' },
  'link.read': { sees: canSee },
  'link.create': { role: reviewer },
  'link.change': { sees: canSee, changes: reviewer },
  'proposal.own': { role: anyone },
  'proposal.read': { sees: canSeeProposal },
  'proposal.change': { sees: canSeeProposal, changes: ownerOrStaff },
  'proposal.decide': { role: expert, sees: canSeeProposal, changes: notOnesOwn },
  'scan.own': { role: anyone },
  'scan.read': { sees: canReadScan },
  'scan.change': { sees: canReadScan, changes: ownerOrStaff },
  'share.create': { open: 'it only counts' },
  'share.count': { lists: scope },
  'note.create': { open: 'visitors have no account' },
  'note.list': { role: anyone },
  // For whoever is signed in. The view leaves out what is for reviewers alone.
  'note.read': { role: anyone, sees: anyone },
  'note.count': { role: reviewer },
  'note.review': { role: reviewer, sees: anyone, changes: notOnesOwn },
  'fork.create': { role: anyone },
  'fork.list': { lists: scope },
  'fork.read': { sees: canSeeFork },
  'fork.decide': { role: reviewer, sees: canSeeFork, changes: notOnesOwn },
  'organization.list': { open: 'organizations are public pages, and so is who is in them' },
  'organization.create': { role: anyone },
  'organization.own': { role: anyone },
  'organization.read': { sees: anyone },
  'organization.join': { sees: anyone, changes: anyone },
  'organization.change': { sees: anyone, changes: (actor, it) => ownerOrStaff(actor, it) || isAdmin(actor, it) },
  'organization.delete': { sees: anyone, changes: ownerOrStaff },
  'project.list': { lists: scope },
  'project.create': { role: anyone },
  'project.read': { sees: canSeeProject },
  'project.follow': { role: anyone, sees: canSeeProject },
  'project.comment.create': { sees: canSeeProject, changes: anyone },
  'project.comment.delete': { sees: canSeeProject, changes: (actor, it) => actor.is_staff || isAuthor(actor, it) },
  'project.update': { sees: canSeeProject, changes: projectParts.editors },
  'project.contribute': { sees: canSeeProject, changes: projectParts.editors },
  // For people only: these two are not among the scopes of keys.
  'project.invite': { sees: canSeeProject, changes: projectParts.editors },
  'project.delete': { sees: canSeeProject, changes: projectParts.editors },
  'project.transition': {
    sees: canSeeProject,
    changes: (actor, it) => Object.values(projectParts).some((isOne) => isOne(actor, it)),
  },
  // Merge requests are shown to those who may see their project.
  'request.list': { role: anyone },
  'request.open': { role: anyone },
  'request.read': { role: anyone, sees: canSeeProject },
  'request.decide': {
    sees: canSeeProject,
    changes: (actor, it) => (isProjectAuthor(actor, it) ? { refusal: ownWork } : projectParts.reviewers(actor, it)),
  },
  'project.preview': { role: reviewer, sees: canSeeProject },
  'project.rollback': { sees: canSeeProject, changes: expert },
  'picture.view': { sees: (actor, it) => (it.project ? canSeeProject(actor, it) : canInspect(actor, it)) },
  'picture.own': { role: anyone },
  'picture.read': { sees: ownerOrStaff },
  'picture.change': { sees: isOwner, changes: anyone },
  'import.own': { role: anyone },
  // The owner of an import sees it. Reviewers see it as the batch in which its rows wait.
  'import.read': { sees: canInspect },
  'import.change': { sees: canInspect, changes: isOwner },
  // Besides its owner, only reviewers and staff see an import, so no role is checked.
  'import.decide': { sees: canInspect, changes: notOnesOwn },
  'import.take_back': { sees: canInspect, changes: staff },
  'board.list': { open: 'who has contributed how much is public; people appear as on their public profiles' },
  'statistics.own': { role: anyone },
} as const satisfies Record<string, Open | Role | Lists | Sees<Subject> | Changes<Subject>>

export type Permission = keyof typeof permissions
/** The names of the permissions whose rule is an R. */
export type PermissionBy<R> = { [P in Permission]: (typeof permissions)[P] extends R ? P : never }[Permission]

/** Permissions of keys, with the scope that each takes. A key proposes, and decides on nothing. */
const machineScopes: Readonly<Partial<Record<Permission, KeyScope>>> = {
  'record.create': 'propose',
  'record.update': 'propose',
  'assertion.create': 'propose',
  'picture.own': 'propose',
  'picture.change': 'propose',
  'source.create': 'propose',
  'suggestion.create': 'propose',
  'fork.create': 'propose',
  'flag.create': 'propose',
  'extension.own': 'propose',
  'extension.change': 'propose',
  'proposal.own': 'propose',
  'proposal.change': 'propose',
  'scan.own': 'propose',
  'scan.change': 'propose',
  'assist.ask': 'read',
  'duplicates.suggest': 'read',
  'assistant.ask': 'read',
  'search.read': 'read',
  'citation.create': 'propose',
  'hook.own': 'hook',
  'hook.read': 'hook',
  'hook.change': 'hook',
  'import.own': 'import',
  'import.change': 'import',
  'project.create': 'import',
  'project.update': 'import',
  'project.contribute': 'import',
  'request.open': 'import',
}
/** Permissions that no key has, not even to read. */
const peopleOnly: readonly Permission[] = ['key.own', 'key.revoke', 'letters.own', 'session.own', 'account.export']

/**
 * Whether a caller with this key may use a permission. True for a caller without a key, and for open permissions. `reads`: the request
 * changes nothing.
 */
export function mayWithKey(key: MachineKey | undefined, permission: Permission, reads: boolean): Ruling {
  if (!key || 'open' in permissions[permission]) return true
  const scope = machineScopes[permission] ?? (reads && !peopleOnly.includes(permission) ? 'read' : undefined)
  if (scope === undefined) return { refusal: 'A key for machines may not do this.' }
  return key.scopes.includes(scope) || { refusal: `This key is not for this: it takes the scope "${scope}".` }
}

/** Whether the caller may see every record: staff may. */
export const maySeeAll = (actor: Actor | null): boolean => actor?.is_staff ?? false
/** Whether the caller may see that user's email address: it is for the person and for staff. */
export const maySeeEmail = (actor: Actor | null, user: string): boolean =>
  actor !== null && (actor.is_staff || actor.id === user)
/** Whether this caller may see that record. For handlers that load a further record. */
export const maySee = (actor: Actor | null, it: Subject): boolean => canSee(actor, it)
/**
 * Whether a person may see a record without the rights of any role. A flag that the contributor will read may name another record only if
 * this is true. A role may end while the flag stays.
 */
export const maySeeAsOwner = (user: string, it: Subject): boolean =>
  canRead(
    {
      isDeleted: Boolean(it.deleted_at),
      isPublished: it.public,
      isForEveryone: isForEveryone(it.access_tier),
      isOwn: user === it.contributor_id,
    },
    { signedIn: true, everything: false },
  )
/** Whether this caller may see that record, or may review it. */
export const mayInspect = (actor: Actor | null, it: Subject): boolean => canInspect(actor, it)
/** Whether this caller may see that project. */
export const mayVisit = (actor: Actor | null, it: Subject): boolean => canSeeProject(actor, it)
/** Whether the caller may give that decision. */
export const mayDecide = (actor: Actor, it: Deciding): Ruling =>
  decisionRules.map((rule) => rule(actor, it)).find((ruling) => ruling !== true) ?? true
/** Whether the caller may decide on the work of these authors. */
export const mayDecideOn = (actor: Actor, authors: readonly string[]): Ruling => notOnesOwn(actor, { authors })
/** Whether someone has at least that rank; staff have every rank. */
export const hasRank = (who: Pick<Actor, 'is_staff' | 'rank'>, least: Rank): boolean => atLeast(least)(who)
/** Whether the caller may give that user a role, or take it. Only staff may change a role of their own. */
export const mayChangeRoleOf = (actor: Actor, user: string): boolean => actor.is_staff || actor.id !== user
/** Whether the caller may answer that user's application. */
export const mayAnswer = (actor: Actor, applicant: string): boolean => actor.id !== applicant
/** Whether the caller works on that record: its contributor, reviewers, staff. They see edits that wait, and claims that lost. */
export const worksOn = (actor: Actor | null, it: Pick<Subject, 'contributor_id'>): boolean =>
  actor !== null && (actor.id === it.contributor_id || reviewer(actor))
/**
 * Whether the caller may know how often a thing was changed. The number includes edits that wait, so it is for those who work on a
 * record, wrote a comment, raised a flag or lead an organization. A project hides no changes from those who see it.
 */
export const mayCountChanges = (actor: Actor | null, it: Subject): boolean =>
  actor !== null &&
  (it.project !== undefined || worksOn(actor, it) || isAuthor(actor, it) || isFlagger(actor, it) || isAdmin(actor, it))
/** Whether this caller may know exactly where that record is. */
export const maySeePlace = (
  actor: Actor | null,
  it: Pick<Subject, 'contributor_id'> & { access_tier: string },
): boolean => !isCoarse(it.access_tier) || worksOn(actor, it)
/** Whether the caller may review: an active reviewer of any rank, or staff. */
export const mayReview = (actor: Actor | null): boolean => actor !== null && reviewer(actor)

/**
 * Lists the audiences to which the caller belongs on every record. On records that they work on, callers also read
 * withheld items. Lists of claims, flags, activities, decisions and comments are chosen by this rule alone.
 */
export function audiencesFor(actor: Actor | null): readonly HistoryAudience[] {
  if (maySeeAll(actor)) return historyAudiences
  const open = audiencesWith(actor !== null)
  return mayReview(actor) ? [...open, 'withheld'] : open
}
/** Whether the caller may know that this fork exists. */
export const maySeeFork = (actor: Actor | null, it: Subject): boolean => canSeeFork(actor, it)
/** Whether the caller may read the values and the reason of that fork. */
export const mayReadFork = (actor: Actor | null, it: Subject): boolean => canReadFork(actor, it)
/** Whether the caller may see that suggestion. */
export const mayFollow = (actor: Actor | null, it: Subject): boolean => canSeeSuggestion(actor, it)
/** Which records of a list this caller may be shown. For handlers that read a further list. */
export const scopeOf = (actor: Actor | null): Scope => scope(actor)
