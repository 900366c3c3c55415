import {
  type Actor,
  type Changes,
  type Lists,
  leastRanks,
  type Permission,
  type PermissionBy,
  permissions,
  type Rank,
  rankName,
  ranks,
  type Sees,
  type Subject,
} from '../lib/platform/permissions.ts'

/** The callers who pass a permission, in words. If the rule depends on the role alone, also the roles. */
export type Who = { words: string; roles?: readonly string[] }

type ByThing = PermissionBy<Lists> | PermissionBy<Sees<Subject>> | PermissionBy<Changes<Subject>> | keyof typeof things

/** The reviewers of a rank and of all higher ones, so that a new rank changes no sentence. */
const upwards = (least: Rank) => `reviewers from ${least} upwards`

const contradiction = `An open contradiction takes at least a ${rankName(leastRanks.settlesContradiction)}.`

const visitors = `everyone when it is public; whoever works on it; reviewers while it is in review or approved; once it is merged, ${upwards('domain_expert')}; and staff`

/** The sentences of rules that depend on the stored item. The other rules are described by their roles. */
const things = {
  'record.list': 'Everyone. What the caller may not see is left out and not counted.',
  'record.read':
    'Whoever sees the record: everyone once it is published and its tier is public, whoever is signed in once it is published, its contributor, and staff.',
  'record.update': 'The contributor of the record, and staff.',
  'record.delete': 'The contributor while the record is not published, and staff.',
  'record.restore': 'Staff.',
  'label.change': 'Whose it is, reviewers and staff. Words of one’s own on what is public: reviewers and staff.',
  'review.read': 'Reviewers and staff.',
  'review.decide': 'Reviewers and staff; nobody on a contribution of their own.',
  'history.list': 'Everyone. What the caller may not see is left out and not counted.',
  'history.read': 'Whoever sees the record, and reviewers while it waits.',
  'related.list': 'Everyone. What the caller may not see is left out.',
  'assertion.list': 'Everyone. What the caller may not see is left out and not counted.',
  'assertion.read': 'Whoever sees the record, and reviewers while it waits.',
  'assertion.change': 'Reviewers and staff.',
  'activity.list': 'Everyone. What the caller may not see is not named.',
  'flag.read': 'Whoever is signed in and sees or reviews the record.',
  'flag.change': `Reviewers and staff, but not on a record of their own. ${contradiction}`,
  'flag.resolve': `Whoever raised the flag; reviewers and staff, but not on a record of their own. ${contradiction}`,
  'flag.delete': `Whoever raised the flag while it is open; reviewers and staff, but not on a record of their own. ${contradiction}`,
  'source.list': 'Everyone. What the caller may not see is left out and not counted.',
  'source.read': 'Whoever sees the source: everyone when its tier is public, whoever is signed in otherwise.',
  'source.question': `Staff, and ${upwards('domain_expert')}, who see the source.`,
  'source.change': 'Whoever registered the source, and staff.',
  'cluster.read': 'Everyone. Members that the caller may not see are left out.',
  'cluster.suggest': 'Whoever is signed in. What the caller may not see is left out.',
  'cluster.inspect': `Staff, and ${upwards('expert_curator')}.`,
  'candidate.read': 'Reviewers and staff.',
  'candidate.resolve': 'Reviewers and staff, but not on a record of their own.',
  'cluster.change': `Staff, and ${upwards('expert_curator')}.`,
  'project.list': 'Everyone. Projects that the caller may not see are left out and not counted.',
  'project.read': `Whoever sees the project: ${visitors}.`,
  'project.preview': 'Reviewers and staff who see the project.',
  'request.read': `Whoever is signed in and sees the project: ${visitors}.`,
  'request.decide': 'Reviewers and staff who see the project and do not work on it.',
  'project.follow': `Whoever is signed in and sees the project: ${visitors}.`,
  'project.comment.create': 'Whoever is signed in and sees the project.',
  'project.comment.delete': 'Whoever wrote the comment, and staff.',
  'project.update': 'The owner of the project, its editors, and staff.',
  'project.contribute': 'The owner of the project, its editors, and staff.',
  'project.invite': 'The owner of the project, its editors, and staff; no key.',
  'project.delete': 'The owner of the project, its editors, and staff; no key.',
  'project.transition':
    'Whoever sees the project and has a part in it: its owner, editors and domain experts, reviewers, and staff. Each move is for some of them.',
  'project.rollback': `Staff, and ${upwards('domain_expert')}.`,
  'activity.read': 'Whoever sees the record, and reviewers while it waits.',
  'search.read': 'Everyone. What the caller may not see is neither found nor counted.',
  'assistant.ask': 'Everyone. What the caller may not see is neither quoted nor named.',
  'hook.read': 'Whoever has set the hook, and staff.',
  'hook.change': 'Whoever has set the hook, and staff.',
  'key.revoke': 'Whoever the key is of, and staff.',
  'comment.list': 'Everyone. Comments on what the caller may not see are left out and not counted.',
  'reaction.list': 'Everyone who sees the record or the comment.',
  'comment.read': 'Whoever sees the record, and reviewers while it waits.',
  'comment.create': 'Whoever is signed in and sees the record, and reviewers while it waits.',
  'comment.change': 'Whoever wrote the comment, while they see the record, and staff.',
  'source.restore': 'Staff.',
  'picture.view': 'Whoever sees the record or the project of the image, and reviewers while the record waits.',
  'picture.read': 'Whoever has sent the file, and staff.',
  'picture.change': 'Whoever has sent the file.',
  'import.read': 'Whoever has sent the table, reviewers and staff.',
  'import.change': 'Whoever has sent the table.',
  'import.decide': 'Reviewers and staff; nobody on a table of their own.',
  'import.take_back': 'Staff.',
  'extension.read': `Its author, staff, and ${upwards('domain_expert')}.`,
  'extension.change': 'Its author, and staff.',
  'extension.decide': `Staff, and ${upwards('domain_expert')}; nobody on a proposal of their own.`,
  'alert.read': 'Reviewers and staff.',
  'alert.end': 'Reviewers and staff.',
  'link.read': 'Whoever sees the record.',
  'link.change': 'Reviewers and staff who see the record.',
  'proposal.read': `Its author, staff, and ${upwards('domain_expert')}.`,
  'proposal.change': 'Its author, and staff.',
  'proposal.decide': `Staff, and ${upwards('domain_expert')}; nobody on a proposal of their own.`,
  'scan.read': 'Whoever has sent it, and staff; reviewers once its review has ended.',
  'scan.change': 'Whoever has sent it, and staff.',
  'share.count': 'Everyone who sees the record.',
  'note.read': 'Whoever is signed in. Addresses of visitors are for reviewers and staff.',
  'note.review': 'Reviewers and staff; nobody on a note of their own.',
  'fork.list':
    'Everyone who sees the record. What a fork says is for its author, the contributor of the record, and reviewers.',
  'fork.read':
    'Everyone who sees the record. What it says is for its author, the contributor of the record, and reviewers.',
  'fork.decide': 'Reviewers and staff; nobody on a fork of their own, or of a record of their own.',
  'organization.read': 'Everyone. Addresses of members are for its admins, the member and staff.',
  'organization.join': 'Whoever is signed in.',
  'organization.change': 'Its owner, its admins and staff.',
  'organization.delete': 'Its owner, and staff.',
  'submission.read': 'Everyone once it is accepted, whoever is signed in until then.',
  'suggestion.read':
    'Whoever is signed in once it is taken over; until then whoever made it, whose submission it is, and reviewers.',
  'suggestion.decide': 'Reviewers and staff; nobody on a suggestion of their own.',
} as const satisfies Partial<Record<Permission, string>>

// A permission whose rule depends on the item must have a sentence, else this does not compile.
things satisfies Record<ByThing, string>

/** Describes the callers who pass a permission. */
export function whoMay(permission: Permission): Who {
  const rule = permissions[permission]
  if ('open' in rule) return { words: `Everyone: ${rule.open}.` }
  const roles = 'role' in rule && { roles: personas.filter(({ actor }) => rule.role(actor)).map(({ name }) => name) }
  const words = hasWords(permission) ? things[permission] : rolesInWords(roles ? roles.roles : [])
  return { words, ...roles }
}

const hasWords = (permission: Permission): permission is keyof typeof things => permission in things

const nobody = { id: '', username: '', email: '', is_staff: false, is_superuser: false, rank: null }
const personas: readonly { name: string; actor: Actor }[] = [
  { name: 'user', actor: nobody },
  ...ranks.map((rank) => ({ name: rank, actor: { ...nobody, rank } })),
  { name: 'staff', actor: { ...nobody, is_staff: true } },
]

function rolesInWords(roles: readonly string[]): string {
  if (roles.includes('user')) return 'Whoever is signed in.'
  const least = ranks.find((rank) => roles.includes(rank))
  return least ? `Staff, and ${upwards(least)}.` : 'Staff.'
}
