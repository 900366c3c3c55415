import type { routes } from '../../../functions/projects.ts'
import { type Answers, made, nothing, ok, page } from '../answer.ts'
import {
  ForeseenRecord,
  Membership,
  mergePreview,
  Project,
  ProjectActivity,
  ProjectComment,
  ProjectEntity,
  ProjectGraph,
  ProjectRow,
} from '../shapes/project.ts'

const reassign = {
  says: 'Give a member another role',
  more: "The owner's does not change.",
  gives: ok(Membership),
}
/** At once, or 202 where it goes on by itself. */
const movedOn = { ...ok(Project), 202: { shape: Project } }
const relabel = { says: 'Say what a linked record is in a project', gives: ok(ProjectEntity) }
const amend = {
  says: 'Change the text of a comment on a project',
  more: 'A deleted comment, which only holds its place, is 404.',
  gives: ok(ProjectComment),
}

export const projects: Answers<typeof routes> = {
  'GET /data/projects/': { says: 'List the projects', gives: page(ProjectRow) },
  'POST /data/projects/': {
    says: 'Open a project',
    more: 'Whoever opens it is its owner. The slug is its address and stays.',
    gives: made(Project),
    refuses: [429],
  },
  'GET /data/projects/{slug}/': { says: 'Read a project with all that belongs to it', gives: ok(Project) },
  'PUT /data/projects/{slug}/': { says: 'Replace what a project says of itself', gives: ok(Project) },
  'PATCH /data/projects/{slug}/': {
    says: 'Change what a project says of itself',
    more: 'Only the members that are sent change.',
    gives: ok(Project),
  },
  'DELETE /data/projects/{slug}/': { says: 'Delete a project', more: 'Its slug is free again.', gives: nothing },
  'POST /data/projects/{slug}/transition/': {
    says: 'Lead a project to another state',
    more: "`allowed_transitions` of the project names the caller's moves. Into review, what is still missing is refused under `blockers`; back to its authors, `comment` says why. A merge accepts the linked records that wait, or names under `blockers` those that cannot be accepted. A merge that takes longer than 20 seconds goes on by itself: 202, `merge` tells how far it has come, edits are 409, and its end is an activity and a notification.",
    gives: movedOn,
  },
  'POST /data/projects/{slug}/rollback-merge/': {
    says: 'Take a merge back',
    more: 'The records that it accepted wait again as before; what was changed since stays as it is and is named by the activity. What takes longer than 20 seconds goes on by itself, as a merge does.',
    gives: movedOn,
  },
  'GET /data/projects/{slug}/activity/': {
    says: 'List what happened in a project, the latest first',
    gives: page(ProjectActivity),
  },
  'GET /data/projects/{slug}/graph/': {
    says: 'Read the records and assets of a project as a drawing',
    more: 'Records that the caller may not see are left out. Of more than 300 the first are drawn, and `truncated` is true.',
    gives: ok(ProjectGraph),
  },
  'GET /data/projects/{slug}/merge-preview/': {
    says: 'See what a merge would do',
    more: 'For each linked record what it becomes, what it contradicts, what it looks like and what stands in the way, planned by the same code as the merge, as if the caller merged now. `blockers`, `size` and `seconds` are of the whole project; of a large one that cannot be planned within 10 seconds they are reckoned from the records in `size.planned`. Nothing is written.',
    gives: page(ForeseenRecord, mergePreview),
  },
  'GET /data/projects/{slug}/memberships/': {
    says: 'List who works on a project, its owner first',
    gives: page(Membership),
  },
  'POST /data/projects/{slug}/memberships/': {
    says: 'Let someone work on a project',
    more: 'By `user_id` or `username`.',
    gives: made(Membership),
  },
  'GET /data/projects/{slug}/memberships/{id}/': { says: 'Read a membership', gives: ok(Membership) },
  'PUT /data/projects/{slug}/memberships/{id}/': reassign,
  'PATCH /data/projects/{slug}/memberships/{id}/': reassign,
  'DELETE /data/projects/{slug}/memberships/{id}/': {
    says: 'End a membership',
    more: "The owner's cannot be ended.",
    gives: nothing,
  },
  'GET /data/projects/{slug}/entities/': {
    says: 'List the records that are linked to a project',
    more: 'Of a record that the caller may not see, neither name nor id is told.',
    gives: page(ProjectEntity),
  },
  'POST /data/projects/{slug}/entities/': {
    says: 'Link a record to a project',
    more: 'By its review identity.',
    gives: made(ProjectEntity),
  },
  'GET /data/projects/{slug}/entities/{id}/': {
    says: 'Read a link between a project and a record',
    gives: ok(ProjectEntity),
  },
  'PUT /data/projects/{slug}/entities/{id}/': relabel,
  'PATCH /data/projects/{slug}/entities/{id}/': relabel,
  'DELETE /data/projects/{slug}/entities/{id}/': { says: 'Take a record out of a project', gives: nothing },
  'GET /data/projects/{slug}/comments/': {
    says: 'List the comments on a project with the replies to them',
    more: 'Where not all replies are shown, `replies_next` leads to the rest.',
    gives: page(ProjectComment),
  },
  'POST /data/projects/{slug}/comments/': {
    says: 'Comment on a project, or answer a comment',
    gives: made(ProjectComment),
  },
  'GET /data/projects/{slug}/comments/{id}/': { says: 'Read a comment on a project', gives: ok(ProjectComment) },
  'GET /data/projects/{slug}/comments/{id}/replies/': {
    says: 'List the replies to a comment on a project',
    gives: page(ProjectComment),
  },
  'PUT /data/projects/{slug}/comments/{id}/': amend,
  'PATCH /data/projects/{slug}/comments/{id}/': amend,
  'DELETE /data/projects/{slug}/comments/{id}/': {
    says: 'Delete a comment on a project',
    more: 'One that was answered keeps its place, without text and author.',
    gives: nothing,
  },
}
