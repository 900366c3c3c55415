import { routes as activities } from '../../functions/activities.ts'
import { routes as assertions } from '../../functions/assertions.ts'
import { routes as assets } from '../../functions/assets.ts'
import { routes as assistant } from '../../functions/assistant.ts'
import { routes as calendars } from '../../functions/calendars.ts'
import { routes as changes } from '../../functions/changes.ts'
import { routes as clusters } from '../../functions/clusters.ts'
import { routes as comments } from '../../functions/comments.ts'
import { routes as documents } from '../../functions/documents.ts'
import { routes as entities } from '../../functions/entities.ts'
import { routes as exports } from '../../functions/exports.ts'
import { routes as flags } from '../../functions/flags.ts'
import { routes as health } from '../../functions/health.ts'
import { routes as hooks } from '../../functions/hooks.ts'
import { routes as iiif } from '../../functions/iiif.ts'
import { routes as imports } from '../../functions/imports.ts'
import { routes as keys } from '../../functions/keys.ts'
import { routes as leaderboard } from '../../functions/leaderboard.ts'
import { routes as notifications } from '../../functions/notifications.ts'
import { routes as oai } from '../../functions/oai.ts'
import { routes as pictures } from '../../functions/pictures.ts'
import { routes as profileImages } from '../../functions/profile-images.ts'
import { routes as projects } from '../../functions/projects.ts'
import { routes as queue } from '../../functions/queue.ts'
import { routes as reconcile } from '../../functions/reconcile.ts'
import { routes as records } from '../../functions/records.ts'
import { routes as registry } from '../../functions/registry.ts'
import { routes as reviews } from '../../functions/reviews.ts'
import { routes as revisions } from '../../functions/revisions.ts'
import { routes as roles } from '../../functions/roles.ts'
import { routes as search } from '../../functions/search.ts'
import { routes as sources } from '../../functions/sources.ts'
import { routes as submissions } from '../../functions/submissions.ts'
import { routes as tokens } from '../../functions/tokens.ts'
import { routes as users } from '../../functions/users.ts'
import type { Routes } from '../../lib/http/route.ts'
import type { Answer } from './answer.ts'
import * as answers from './answers/index.ts'

export type Group = { about: string; routes: Routes; answers: Readonly<Record<string, Answer>> }

/** Every group of routes with its answers, in the order in which a reader meets them. */
export const groups: Readonly<Record<string, Group>> = {
  tokens: { about: 'Signing in and out, and new accounts.', routes: tokens, answers: answers.tokens },
  users: { about: 'The own account, and the profiles of others.', routes: users, answers: answers.users },
  'profile-images': { about: 'Pictures on profiles.', routes: profileImages, answers: answers.profileImages },
  keys: { about: "Keys with which programs call in a person's name.", routes: keys, answers: answers.keys },
  registry: { about: 'The published description of all kinds of record.', routes: registry, answers: answers.registry },
  calendars: { about: 'Dates in the calendars of Nepal.', routes: calendars, answers: answers.calendars },
  records: {
    about: 'Records of each kind, with the source of every value.',
    routes: records,
    answers: answers.records,
  },
  sources: { about: 'Books, surveys and collections that records name.', routes: sources, answers: answers.sources },
  assertions: { about: 'Claims about records, each with its source.', routes: assertions, answers: answers.assertions },
  clusters: { about: 'Records that mean the same thing.', routes: clusters, answers: answers.clusters },
  entities: { about: 'Contributions by their review identity.', routes: entities, answers: answers.entities },
  revisions: {
    about: 'What records have been, and why they are what they are.',
    routes: revisions,
    answers: answers.revisions,
  },
  comments: { about: 'What people say of records.', routes: comments, answers: answers.comments },
  activities: { about: 'What happens.', routes: activities, answers: answers.activities },
  flags: { about: 'What someone finds wrong with a record.', routes: flags, answers: answers.flags },
  queue: { about: 'What waits for review.', routes: queue, answers: answers.queue },
  reviews: { about: 'Deciding, and what has been decided.', routes: reviews, answers: answers.reviews },
  roles: { about: 'Who reviews.', routes: roles, answers: answers.roles },
  projects: {
    about: 'What people put together before it is merged into the public record.',
    routes: projects,
    answers: answers.projects,
  },
  assets: {
    about: 'The files of projects, and the text that is read from them.',
    routes: assets,
    answers: answers.assets,
  },
  pictures: {
    about: 'Files that become pictures of records, and IIIF manifests of what has pictures.',
    routes: pictures,
    answers: answers.pictures,
  },
  iiif: { about: 'Images by the IIIF Image API 3.0.', routes: iiif, answers: answers.iiif },
  imports: {
    about: 'Tables: sent, mapped, tried, run as a batch, reviewed, taken back.',
    routes: imports,
    answers: answers.imports,
  },
  submissions: {
    about: 'What was once sent in on a form, and what people would change of it.',
    routes: submissions,
    answers: answers.submissions,
  },
  search: { about: 'Finding everything that has a name.', routes: search, answers: answers.search },
  assistant: { about: 'Answers from what records say.', routes: assistant, answers: answers.assistant },
  leaderboard: {
    about: 'Who has contributed how much.',
    routes: leaderboard,
    answers: answers.leaderboard,
  },
  notifications: { about: 'What the caller has been told.', routes: notifications, answers: answers.notifications },
  reconcile: {
    about: 'Matching the columns of other tools with records: Reconciliation Service API 0.2.',
    routes: reconcile,
    answers: answers.reconcile,
  },
  hooks: { about: 'Being told of changes as they happen.', routes: hooks, answers: answers.hooks },
  changes: {
    about: 'What has become of public records, for mirrors and harvesters.',
    routes: changes,
    answers: answers.changes,
  },
  oai: { about: 'Harvesting by OAI-PMH 2.0.', routes: oai, answers: answers.oai },
  exports: { about: 'Files of all that is published.', routes: exports, answers: answers.exports },
  health: { about: 'Probes, metrics and the link index.', routes: health, answers: answers.health },
  documents: { about: 'This document and its page.', routes: documents, answers: answers.documents },
}
