import { routes as account } from '../functions/account.ts'
import { routes as assertions } from '../functions/assertions.ts'
import { routes as assets } from '../functions/assets.ts'
import { routes as assistant } from '../functions/assistant.ts'
import { routes as calendars } from '../functions/calendars.ts'
import { routes as changes } from '../functions/changes.ts'
import { routes as clusters } from '../functions/clusters.ts'
import { routes as comments } from '../functions/comments.ts'
import { routes as documents } from '../functions/documents.ts'
import { routes as entities } from '../functions/entities.ts'
import { routes as exports } from '../functions/exports.ts'
import { routes as flags } from '../functions/flags.ts'
import { routes as health } from '../functions/health.ts'
import { routes as hooks } from '../functions/hooks.ts'
import { routes as iiif } from '../functions/iiif.ts'
import { routes as imports } from '../functions/imports.ts'
import { routes as leaderboard } from '../functions/leaderboard.ts'
import { routes as mcp } from '../functions/mcp.ts'
import { routes as notifications } from '../functions/notifications.ts'
import { routes as oai } from '../functions/oai.ts'
import { routes as pictures } from '../functions/pictures.ts'
import { routes as profileImages } from '../functions/profile-images.ts'
import { routes as projects } from '../functions/projects.ts'
import { routes as queue } from '../functions/queue.ts'
import { routes as reconcile } from '../functions/reconcile.ts'
import { routes as records } from '../functions/records.ts'
import { routes as registry } from '../functions/registry.ts'
import { routes as reviews } from '../functions/reviews.ts'
import { routes as revisions } from '../functions/revisions.ts'
import { routes as roles } from '../functions/roles.ts'
import { routes as scans } from '../functions/scans.ts'
import { routes as search } from '../functions/search.ts'
import { routes as sources } from '../functions/sources.ts'
import { routes as submissions } from '../functions/submissions.ts'
import { routes as tokens } from '../functions/tokens.ts'
import { routes as users } from '../functions/users.ts'
import { routes as watches } from '../functions/watches.ts'
import type { Routes } from '../lib/platform/http/route.ts'

export type Group = { about: string; routes: Routes }

/** All groups of routes, in the order of the document. */
export const groups: Readonly<Record<string, Group>> = {
  tokens: { about: 'Signing in and out, and new accounts.', routes: tokens },
  users: { about: 'The own account, the profiles of others, and organizations.', routes: users },
  account: { about: 'Proven addresses, passwords by letter, and sessions.', routes: account },
  'profile-images': { about: 'Pictures on profiles.', routes: profileImages },
  registry: {
    about: 'The published description of all kinds of record, and proposals that it should grow.',
    routes: registry,
  },
  calendars: { about: 'Dates in the calendars of Nepal.', routes: calendars },
  records: {
    about: 'Records of each kind, with the source of every value.',
    routes: records,
  },
  sources: { about: 'Books, surveys and collections that records name.', routes: sources },
  assertions: { about: 'Claims about records, each with its source.', routes: assertions },
  clusters: {
    about: 'Records that mean the same thing, proposals on records, and the graph of all records.',
    routes: clusters,
  },
  entities: { about: 'Contributions by their review identity.', routes: entities },
  revisions: {
    about: 'What records have been, and why they are what they are.',
    routes: revisions,
  },
  comments: { about: 'What people say of records.', routes: comments },
  scans: { about: 'Scanned documents: sent, read, corrected, handed over as contributions.', routes: scans },
  flags: { about: 'What someone finds wrong with a record.', routes: flags },
  queue: { about: 'What waits for review.', routes: queue },
  reviews: { about: 'Deciding, and what has been decided; merge requests.', routes: reviews },
  roles: { about: 'Who reviews.', routes: roles },
  projects: {
    about: 'What people put together before it is merged into the public record.',
    routes: projects,
  },
  assets: {
    about: 'The files of projects, and the text that is read from them.',
    routes: assets,
  },
  pictures: {
    about: 'Files that become pictures of records, and IIIF manifests of what has pictures.',
    routes: pictures,
  },
  iiif: { about: 'Images by the IIIF Image API 3.0.', routes: iiif },
  imports: {
    about: 'Tables: sent, mapped, tried, run as a batch, reviewed, taken back.',
    routes: imports,
  },
  submissions: {
    about: 'What was once sent in on a form, and what people would change of it.',
    routes: submissions,
  },
  search: { about: 'Finding everything that has a name.', routes: search },
  assistant: { about: 'Answers from what records say.', routes: assistant },
  leaderboard: {
    about: 'Who has contributed how much.',
    routes: leaderboard,
  },
  notifications: { about: 'What the caller has been told.', routes: notifications },
  reconcile: {
    about: 'Matching the columns of other tools with records: Reconciliation Service API 0.2.',
    routes: reconcile,
  },
  hooks: { about: 'Being told of changes as they happen.', routes: hooks },
  mcp: { about: 'Tools for machines, by the Model Context Protocol.', routes: mcp },
  watches: { about: 'Following records, places, sources, kinds and searches.', routes: watches },
  changes: {
    about: 'What has become of public records, for mirrors and harvesters.',
    routes: changes,
  },
  oai: { about: 'Harvesting by OAI-PMH 2.0.', routes: oai },
  exports: { about: 'Files of all that is published.', routes: exports },
  health: { about: 'Probes, metrics and the link index.', routes: health },
  documents: { about: 'This document and its page.', routes: documents },
}
