import type { Say } from '../../base/language/catalogue.ts'
import { english } from '../../base/language/say.ts'

export const notificationTypes = [
  'submission_update',
  'comment',
  'moderation',
  'suggestion_review',
  'review_decision',
  'revision',
  'reaction',
  'fork',
  'general',
  'project_state_changed',
  'project_comment',
] as const

/** People who work on a project: its owner, its owner and editors, or all of them. */
type ProjectAudience = 'project_owner' | 'project_editors' | 'project_members'

type Notice = {
  type: (typeof notificationTypes)[number]
  /** The people who are notified. `named`: the person whom the event itself names. */
  to: 'contributor' | 'reviewers' | 'earlier_reviewers' | 'named' | 'contributor_unless_named' | ProjectAudience
  /** Also for the person who caused the event. Without it nobody is notified of their own doing. */
  receipt?: true
  /** Not for a stub: a record that was made only because another contribution names it. */
  unless_stub?: true
  /** Not for rows of a batch that wait or are decided together: the batch has notices of its own. */
  unless_batch?: true
  /** The notice is about something that its reader watches. A letter with this notice has a link that stops all watches. */
  of_watches?: true
  /** `{detail}` is a code, such as `suspected_duplicate`. Its words are separated by spaces. */
  coded?: true
  /** The English sentence; it is also the key of its Nepali one. `{detail}` is replaced. The message appends the name of the record or project. */
  says: string
  /** The page of the dashboard that the notice leads to. */
  link: string
}

const view = '/knowledge/entity/view/{entity_id}'
const review = '/curation/review/{entity_id}'
const workspace = '/contribute/projects/{slug}'

/** One row for each notice: its type, its readers, its words and its link. */
export const notices = {
  received: {
    type: 'submission_update',
    to: 'contributor',
    receipt: true,
    unless_stub: true,
    unless_batch: true,
    says: 'Your contribution waits for review',
    link: view,
  },
  waiting: {
    type: 'submission_update',
    to: 'reviewers',
    unless_stub: true,
    unless_batch: true,
    says: 'A contribution waits for review',
    link: review,
  },
  revised: {
    type: 'revision',
    to: 'earlier_reviewers',
    says: 'A contribution that you have reviewed was revised',
    link: review,
  },
  accept: {
    type: 'review_decision',
    to: 'contributor',
    unless_batch: true,
    says: 'Your contribution was accepted',
    link: view,
  },
  accept_with_edits: {
    type: 'review_decision',
    to: 'contributor',
    says: 'Your contribution was accepted with changes by the reviewer',
    link: view,
  },
  source_withdrawn: {
    type: 'review_decision',
    to: 'contributor',
    says: 'A value of your record changed, since its source was put in question',
    link: view,
  },
  source_restored: {
    type: 'review_decision',
    to: 'contributor',
    says: 'A value of your record stands again, since its source is trusted again',
    link: view,
  },
  request_changes: {
    type: 'review_decision',
    to: 'contributor',
    unless_batch: true,
    says: 'A reviewer asks you to change your contribution',
    link: view,
  },
  reject: {
    type: 'review_decision',
    to: 'contributor',
    unless_batch: true,
    says: 'Your contribution was not accepted',
    link: view,
  },
  escalate: {
    type: 'review_decision',
    to: 'contributor',
    says: 'Your contribution was passed on to another reviewer',
    link: view,
  },
  asked: {
    type: 'review_decision',
    to: 'named',
    says: 'You are asked to decide on a contribution',
    link: review,
  },
  flagged: {
    type: 'moderation',
    to: 'contributor',
    coded: true,
    says: 'A record of yours was flagged as {detail}',
    link: view,
    unless_batch: true,
  },
  forked: {
    type: 'fork',
    to: 'contributor',
    says: 'A record of yours was forked',
    link: view,
  },
  fork_merged: {
    type: 'fork',
    to: 'named',
    says: 'Your fork was merged',
    link: view,
  },
  fork_taken: {
    type: 'fork',
    to: 'contributor',
    says: 'Values of a fork were taken over into your record',
    link: view,
  },
  fork_promoted: {
    type: 'fork',
    to: 'contributor',
    says: 'A fork has taken the place of your record',
    link: view,
  },
  commented: {
    type: 'comment',
    to: 'contributor_unless_named',
    says: 'Your contribution was commented on',
    link: view,
  },
  answered: {
    type: 'comment',
    to: 'named',
    says: 'Your comment was answered',
    link: view,
  },
  watched: {
    type: 'general',
    to: 'named',
    of_watches: true,
    says: 'Something that you watch has changed',
    link: view,
  },
  watched_more: {
    type: 'general',
    to: 'named',
    of_watches: true,
    says: 'More records that you watch have changed: {detail}',
    link: '',
  },
  suggested: {
    type: 'submission_update',
    to: 'named',
    says: 'Someone suggests a change to your submission {detail}',
    link: '',
  },
  suggestion_approved: {
    type: 'suggestion_review',
    to: 'named',
    says: 'Your change to the submission {detail} was taken over',
    link: '',
  },
  suggestion_rejected: {
    type: 'suggestion_review',
    to: 'named',
    says: 'Your change to the submission {detail} was not taken over',
    link: '',
  },
  moderated: {
    type: 'moderation',
    to: 'named',
    coded: true,
    says: 'A moderator has looked at your submission: {detail}',
    link: '',
  },
  role: {
    type: 'general',
    to: 'named',
    coded: true,
    says: 'You review as {detail} from now on',
    link: '/curation/review',
  },
  import_read: {
    type: 'general',
    to: 'named',
    receipt: true,
    says: 'Your table {detail} was read',
    link: '',
  },
  import_checked: {
    type: 'general',
    to: 'named',
    receipt: true,
    says: 'The rows of your table {detail} were tried',
    link: '',
  },
  import_done: {
    type: 'submission_update',
    to: 'named',
    receipt: true,
    says: 'The rows of your table {detail} wait for review',
    link: '',
  },
  import_waiting: {
    type: 'submission_update',
    to: 'reviewers',
    says: 'A batch of contributions waits for review: {detail}',
    link: '',
  },
  import_decided: {
    type: 'review_decision',
    to: 'named',
    says: 'A reviewer has decided on your table {detail}',
    link: '',
  },
  import_withdrawn: {
    type: 'general',
    to: 'named',
    receipt: true,
    says: 'What waited of your table {detail} is withdrawn',
    link: '',
  },
  import_taken_back: {
    type: 'moderation',
    to: 'named',
    receipt: true,
    says: 'Your table {detail} was taken back',
    link: '',
  },
  import_rows_taken_back: {
    type: 'moderation',
    to: 'named',
    receipt: true,
    says: 'Rows of your table {detail} were taken back',
    link: '',
  },
  import_failed: {
    type: 'general',
    to: 'named',
    receipt: true,
    says: 'What was to be done with your table {detail} could not be done',
    link: '',
  },
  proposal_approved: {
    type: 'review_decision',
    to: 'named',
    says: 'Your proposal {detail} was approved',
    link: '',
  },
  proposal_rejected: {
    type: 'review_decision',
    to: 'named',
    says: 'Your proposal {detail} was refused',
    link: '',
  },
  project_in_review: {
    type: 'project_state_changed',
    to: 'reviewers',
    says: 'A project waits for review',
    link: workspace,
  },
  project_needs_revision: {
    type: 'project_state_changed',
    to: 'project_editors',
    says: 'A project of yours needs revision',
    link: workspace,
  },
  project_approved: {
    type: 'project_state_changed',
    to: 'project_owner',
    says: 'Your project was approved',
    link: workspace,
  },
  project_merged: {
    type: 'project_state_changed',
    to: 'project_members',
    says: 'A project that you work on was merged',
    link: workspace,
  },
  project_merge_done: {
    type: 'project_state_changed',
    to: 'named',
    receipt: true,
    says: 'The merge that you began is done',
    link: workspace,
  },
  project_rollback_done: {
    type: 'project_state_changed',
    to: 'named',
    receipt: true,
    says: 'The rollback that you began is done',
    link: workspace,
  },
  project_merge_failed: {
    type: 'project_state_changed',
    to: 'named',
    receipt: true,
    says: 'What you began could not be done, and nothing has changed ({detail})',
    link: workspace,
  },
  project_comment: {
    type: 'project_comment',
    to: 'project_members',
    says: 'There is a comment on a project that you work on',
    link: workspace,
  },
} as const satisfies Record<string, Notice>

export type NoticeName = keyof typeof notices
/** The notices that bulletins may send. */
export type WatchNotice = {
  [Name in NoticeName]: (typeof notices)[Name] extends { of_watches: true } ? Name : never
}[NoticeName]
export const isOfWatches = (name: NoticeName): name is WatchNotice => 'of_watches' in notices[name]

export type NoticeInput = {
  detail: string
  about: { entity_id: string; name: string } | undefined
  on?: { slug: string; title: string } | undefined
}

/**
 * Writes a notice in the language of its reader. `about` and `on` are undefined if the reader may not see the record or project. Then the
 * message has no name, and a link to the record or project is empty.
 */
export function writeNotice(
  name: NoticeName,
  { detail, about, on }: NoticeInput,
  say: Say = english,
): { message: string; link: string } {
  const { says, link, coded }: Notice = notices[name]
  const sentence = say(says.replace('{detail}', () => (coded ? detail.replaceAll('_', ' ') : detail)))
  const subjectName = about?.name ?? on?.title
  const hasAddress = subjectName !== undefined || !link.includes('{')
  return {
    message: subjectName === undefined ? `${sentence}${say('.')}` : `${sentence}: ${subjectName}`,
    link: hasAddress ? link.replace('{entity_id}', about?.entity_id ?? '').replace('{slug}', on?.slug ?? '') : '',
  }
}
