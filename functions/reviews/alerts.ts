import '../../lib/domain/composition.ts'
import * as v from 'valibot'
import { invalid } from '../../lib/base/errors.ts'
import type { AlertSubject } from '../../lib/domain/alerts/alerts.ts'
import { CuratorAlertView, ReconciledLinkView } from '../../lib/domain/alerts/view-shape.ts'
import { alertIssues, alertStatuses, authorities } from '../../lib/domain/alerts/words.ts'
import { creation, empty, listOf, ok } from '../../lib/platform/http/answer.ts'
import { choice, line, members, optional, orEmpty, REQUIRED } from '../../lib/platform/http/body.ts'
import { listBody } from '../../lib/platform/http/page.ts'
import { ById, OptionalBoolean, optionalQueryChoice, queryWord } from '../../lib/platform/http/params.ts'
import { replyCreated, replyNoContent } from '../../lib/platform/http/reply.ts'
import { actorRoute, changeRoute, publicRoute, type Routes, readRoute } from '../../lib/platform/http/route.ts'
import { peopleOf } from '../../lib/platform/users/people.ts'

/** Loaded with the first question about a link. Verdicts are much more frequent and do not need this code. */
const links = () => import('../../lib/domain/alerts/alerts.ts')
const edits = () => import('../../lib/domain/alerts/edit-links.ts')
const views = () => import('../../lib/domain/alerts/view.ts')

const ofAlert = async ({ id }: { id: string }) => (await links()).loadAlert(id)
const ofLink = async ({ id }: { id: string }) => (await links()).loadLink(id)
async function showAlert(it: AlertSubject, origin: string) {
  const [people, { alertView }] = await Promise.all([peopleOf([it.alert.resolved_by]), views()])
  return alertView(it, people, origin)
}

const matchTypes = ['exact', 'close', 'broad'] as const
const ONLY_EXACT = 'Only exact links are kept: same_as says that two things are one.'
const matchType = v.pipe(
  choice(matchTypes),
  v.check((it) => it === 'exact', ONLY_EXACT),
)
const address = v.pipe(v.string(REQUIRED), line(2000), v.trim(), v.nonEmpty(REQUIRED))
const NewLink = members({
  entity_uri: address,
  target_uri: address,
  target_label: orEmpty(line(500)),
  match_type: v.nullish(matchType, 'exact'),
})
const LinkChanges = members({
  target_uri: v.exactOptional(address),
  target_label: optional(line(500)),
  match_type: v.exactOptional(matchType),
  is_stale: v.exactOptional(v.boolean('Give true or false.')),
})
const AFTER_REVIEW = 'Another target waits for a reviewer. Change this once it is accepted.'
/** Fails with `invalid` for a label, or for `is_stale`: they would be those of the old target. */
function refuseBesideTarget(beside: { target_label?: string | undefined; is_stale?: boolean | undefined }): void {
  const refused = Object.entries(beside).filter(([, value]) => value)
  if (refused.length > 0) throw invalid(Object.fromEntries(refused.map(([name]) => [name, [AFTER_REVIEW]])))
}

const end = (status: 'resolved' | 'ignored', summary: string) =>
  changeRoute({
    permission: 'alert.end',
    summary,
    answer: ok(CuratorAlertView),
    errors: [409],
    params: ById,
    subject: ofAlert,
    idempotent: '24h',
    handle: async ({ unit, subject, actor, request }) =>
      showAlert((await links()).endAlert(unit, subject, status, actor), request.origin),
  })

/** Links of records to other collections, and what is wrong with them. */
export const alerts = {
  'GET /api/curator-alerts/': actorRoute({
    permission: 'alert.list',
    summary: 'List what is wrong with links to other collections',
    description: 'Newest first. A link has one alert for each issue, however often it is found.',
    answer: listOf(CuratorAlertView),
    query: v.object({ status: queryWord(alertStatuses), issue_type: queryWord(alertIssues) }),
    handle: async ({ query, page, request }) => {
      const [{ listAlerts }, { alertView }] = await Promise.all([links(), views()])
      const { results, ...listed } = await listAlerts(query, page)
      const people = await peopleOf(results.map(({ alert }) => alert.resolved_by))
      const rows = results.map((it) => alertView(it, people, request.origin))
      return listBody(request, page, { ...listed, results: rows })
    },
  }),
  'GET /api/curator-alerts/{id}/': readRoute({
    permission: 'alert.read',
    summary: 'Read an alert',
    answer: ok(CuratorAlertView),
    params: ById,
    subject: ofAlert,
    handle: async ({ subject, request }) => showAlert(subject, request.origin),
  }),
  'POST /api/curator-alerts/{id}/resolve/': end('resolved', 'Say that an alert is dealt with'),
  'POST /api/curator-alerts/{id}/ignore/': end('ignored', 'Ignore an alert for good'),

  'GET /api/reconciled-links/': publicRoute({
    permission: 'link.list',
    summary: 'List the links of public records to other collections',
    answer: listOf(ReconciledLinkView),
    query: v.object({
      authority: queryWord(authorities),
      is_stale: OptionalBoolean,
      match_type: optionalQueryChoice(matchTypes),
    }),
    handle: async ({ query: { match_type, ...filter }, page, request }) => {
      const [{ listLinks }, { linkView }] = await Promise.all([links(), views()])
      // All links are exact matches.
      const isNone = match_type !== undefined && match_type !== 'exact'
      const { results, ...listed } = isNone ? { count: 0, results: [] } : await listLinks(filter, page)
      return listBody(request, page, { ...listed, results: results.map((it) => linkView(it, request.origin)) })
    },
  }),
  'POST /api/reconciled-links/': actorRoute({
    permission: 'link.create',
    summary: 'Link a public record to the same thing in another collection',
    description:
      'An edit of the record, which waits for another reviewer. `entity_uri` is an address of the record, or its review identity. The answer is the link as it will be.',
    answer: creation(ReconciledLinkView),
    errors: [409],
    body: NewLink,
    idempotent: '24h',
    handle: async ({ unit, actor, body: { match_type: _, ...input }, request }) => {
      const [{ addLink }, { linkView }] = await Promise.all([edits(), views()])
      return replyCreated(linkView(await addLink(unit, input, actor), request.origin))
    },
  }),
  'GET /api/reconciled-links/{id}/': readRoute({
    permission: 'link.read',
    summary: 'Read a link to another collection',
    answer: ok(ReconciledLinkView),
    params: ById,
    subject: ofLink,
    handle: async ({ subject, request }) => (await views()).linkView(subject, request.origin),
  }),
  'PATCH /api/reconciled-links/{id}/': changeRoute({
    permission: 'link.change',
    summary: 'Change a link to another collection',
    description:
      'Another target is an edit of the record, which waits for another reviewer. The rest changes at once, and is refused together with another target.',
    answer: ok(ReconciledLinkView),
    errors: [409],
    params: ById,
    subject: ofLink,
    body: LinkChanges,
    handle: async ({ unit, subject, actor, body: { target_uri, target_label, is_stale }, request }) => {
      const [{ amendLink, updateTarget }, { linkView }] = await Promise.all([edits(), views()])
      const isOther = target_uri !== undefined && target_uri !== subject.link.target_uri
      if (isOther) refuseBesideTarget({ target_label, is_stale })
      const changed = isOther
        ? await updateTarget(unit, subject, target_uri, actor)
        : amendLink(unit, subject, { target_label, is_stale })
      return linkView(changed, request.origin)
    },
  }),
  'DELETE /api/reconciled-links/{id}/': changeRoute({
    permission: 'link.change',
    summary: 'Take away a link to another collection',
    description: 'An edit of the record, which waits for another reviewer. Until then the link stays.',
    answer: empty,
    errors: [409],
    params: ById,
    subject: ofLink,
    handle: async ({ unit, subject, actor }) => {
      await (await edits()).removeLink(unit, subject, actor)
      return replyNoContent()
    },
  }),
  'POST /api/reconciled-links/{id}/mark-stale/': changeRoute({
    permission: 'link.change',
    summary: 'Mark a link as stale',
    answer: ok(ReconciledLinkView),
    errors: [409],
    params: ById,
    subject: ofLink,
    idempotent: '24h',
    handle: async ({ unit, subject, request }) => {
      const [{ amendLink }, { linkView }] = await Promise.all([edits(), views()])
      return linkView(amendLink(unit, subject, { is_stale: true }), request.origin)
    },
  }),
  'POST /api/reconciled-links/{id}/update-target/': changeRoute({
    permission: 'link.change',
    summary: 'Replace the target of a link',
    description: 'An edit of the record, which waits for another reviewer. Until then a `target_label` is refused.',
    answer: ok(ReconciledLinkView),
    errors: [409],
    params: ById,
    subject: ofLink,
    idempotent: '24h',
    body: members({
      target_uri: address,
      target_label: orEmpty(line(500)),
    }),
    handle: async ({ unit, subject, actor, body: { target_uri, target_label }, request }) => {
      refuseBesideTarget({ target_label })
      const [{ updateTarget }, { linkView }] = await Promise.all([edits(), views()])
      return linkView(await updateTarget(unit, subject, target_uri, actor), request.origin)
    },
  }),
} satisfies Routes
