import * as v from 'valibot'
import { invalid } from '../../lib/base/errors.ts'
import type { WholeExtension } from '../../lib/domain/extensions/extensions.ts'
import type { Extension } from '../../lib/domain/extensions/items.ts'
import {
  ExtensionRowView,
  ExtensionStepView,
  ExtensionView,
  PublishedExtensionView,
} from '../../lib/domain/extensions/view-shape.ts'
import { creation, ok } from '../../lib/platform/http/answer.ts'
import { line, lines, members, optional, prose, REQUIRED } from '../../lib/platform/http/body.ts'
import { ById } from '../../lib/platform/http/params.ts'
import { replyCreated } from '../../lib/platform/http/reply.ts'
import { actorRoute, changeRoute, type Routes, readRoute } from '../../lib/platform/http/route.ts'
import { seesAllProposals } from '../../lib/platform/permissions.ts'
import { peopleOf } from '../../lib/platform/users/people.ts'

/** Loaded with the first question about proposals. Questions about the registry are much more frequent and do not need this code. */
const proposals = () => import('../../lib/domain/extensions/extensions.ts')
const views = () => import('../../lib/domain/extensions/view.ts')

/** The most characters of a proposal. */
const LONGEST_YAML = 64 * 1024

const title = v.pipe(v.string(REQUIRED), line(255), v.trim(), v.nonEmpty('This field may not be blank.'))
const New = members({ title, description: prose(5000), proposed_yaml: prose(LONGEST_YAML) })
const Changes = members({
  title: v.exactOptional(title),
  description: optional(lines(5000)),
  proposed_yaml: optional(lines(LONGEST_YAML)),
})
const Comment = members({ comment: prose(5000) })
const subject = async ({ id }: { id: string }) => (await proposals()).loadExtension(id)

async function show(about: Extension, proposed_yaml: string) {
  const [{ extensionView }, { summarizeChanges }] = await Promise.all([
    views(),
    import('../../lib/domain/extensions/yaml.ts'),
  ])
  return extensionView(about, await peopleOf([about.author_id]), proposed_yaml, summarizeChanges(proposed_yaml))
}
const showAfter = (about: Extension, { proposed_yaml }: WholeExtension) => show(about, proposed_yaml)

const decide = (action: 'approved' | 'rejected', summary: string) =>
  changeRoute({
    permission: 'extension.decide',
    summary,
    answer: ok(ExtensionView),
    errors: [409],
    params: ById,
    subject,
    body: Comment,
    idempotent: '24h',
    handle: async ({ unit, subject, actor, body: { comment } }) => {
      if (action === 'rejected' && comment.trim() === '')
        throw invalid({ comment: ['Say why, so that the author can act on it.'] })
      return showAfter(await (await proposals()).stepExtension(unit, subject, action, actor, comment), subject)
    },
  })

/** Proposals to extend the schema. */
export const extensions = {
  'GET /data/schema-extension-proposals/': actorRoute({
    permission: 'extension.own',
    summary: 'List the own proposals that the schema should grow',
    description: 'The newest hundred, without their YAML. Domain experts, curators and staff get those of all.',
    answer: ok(v.array(ExtensionRowView)),
    handle: async ({ actor }) => {
      const listed = await (await proposals()).listExtensions(seesAllProposals(actor) ? undefined : actor.id)
      const people = await peopleOf([...new Set(listed.map(({ author_id }) => author_id))])
      const { extensionRow } = await views()
      return listed.map((it) => extensionRow(it, people))
    },
  }),

  'POST /data/schema-extension-proposals/': actorRoute({
    permission: 'extension.own',
    summary: 'Draft a proposal that the schema should grow',
    description: '`proposed_yaml` is LinkML of up to 64 KB.',
    answer: creation(ExtensionView),
    body: New,
    idempotent: '24h',
    throttles: [{ scope: 'extensions', rate: { limit: 200, seconds: 86_400 }, per: 'caller', counts: 'every success' }],
    handle: async ({ unit, actor, body }) =>
      replyCreated(await show((await proposals()).createExtension(unit, actor, body), body.proposed_yaml)),
  }),

  'GET /data/schema-extension-proposals/{id}/': readRoute({
    permission: 'extension.read',
    summary: 'Read a proposal, and in short what it would define',
    answer: ok(ExtensionView),
    params: ById,
    subject,
    handle: async ({ subject }) => showAfter(subject.about, subject),
  }),

  'PATCH /data/schema-extension-proposals/{id}/': changeRoute({
    permission: 'extension.change',
    summary: 'Change a draft',
    answer: ok(ExtensionView),
    errors: [409],
    params: ById,
    subject,
    body: Changes,
    handle: async ({ unit, subject, body }) => {
      const { about, proposed_yaml } = (await proposals()).amendExtension(unit, subject, body)
      return show(about, proposed_yaml)
    },
  }),

  'POST /data/schema-extension-proposals/{id}/submit/': changeRoute({
    permission: 'extension.change',
    summary: 'Submit a draft',
    description: 'What another open proposal defines already is 409.',
    answer: ok(ExtensionView),
    errors: [409],
    params: ById,
    subject,
    idempotent: '24h',
    handle: async ({ unit, subject, actor }) =>
      showAfter(await (await proposals()).submitExtension(unit, subject, actor), subject),
  }),

  'POST /data/schema-extension-proposals/{id}/withdraw/': changeRoute({
    permission: 'extension.change',
    summary: 'Withdraw a proposal that nobody has decided on',
    answer: ok(ExtensionView),
    errors: [409],
    params: ById,
    subject,
    idempotent: '24h',
    handle: async ({ unit, subject, actor }) =>
      showAfter(await (await proposals()).stepExtension(unit, subject, 'withdrawn', actor), subject),
  }),

  'POST /data/schema-extension-proposals/{id}/approve/': decide('approved', 'Approve a proposal'),
  'POST /data/schema-extension-proposals/{id}/reject/': decide('rejected', 'Reject a proposal'),

  'POST /data/schema-extension-proposals/{id}/publish/': changeRoute({
    permission: 'extension.decide',
    summary: 'Publish an approved proposal',
    description:
      'Values of open lists and optional fields are live within ten seconds. What takes a release is 400, which names it; the proposal stays approved.',
    answer: ok(PublishedExtensionView),
    errors: [409],
    params: ById,
    subject,
    idempotent: '24h',
    handle: async ({ unit, subject, actor }) => {
      const { publishExtension } = await import('../../lib/domain/extensions/publish.ts')
      const made = await publishExtension(unit, subject, actor)
      const { published_schema_version: schema_version, published_extension_hash: extension_hash } = made
      return { ...(await showAfter(made, subject)), schema_version, extension_hash }
    },
  }),

  'GET /data/schema-extension-proposals/{id}/audit/': readRoute({
    permission: 'extension.read',
    summary: 'List the steps of a proposal, the oldest first',
    answer: ok(v.array(ExtensionStepView)),
    params: ById,
    subject,
    handle: async ({ subject: { about } }) => {
      const steps = await (await proposals()).listSteps(about.id)
      const people = await peopleOf([...new Set(steps.map(({ actor_id }) => actor_id))])
      const { stepView } = await views()
      return steps.map((it) => stepView(it, people))
    },
  }),
} satisfies Routes
