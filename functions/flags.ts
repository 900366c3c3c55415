import * as v from 'valibot'
import { notFound } from '../lib/base/errors.ts'
import type { Say } from '../lib/base/language/catalogue.ts'
import { flagTypes } from '../lib/domain/records/items.ts'
import { ReviewFlagView } from '../lib/domain/records/views/entity.ts'
import * as flags from '../lib/domain/review/flags.ts'
import { flagRow } from '../lib/domain/review/views/flag.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import { cut } from '../lib/engines/matching/index.ts'
import { creation, empty, listOf, ok } from '../lib/platform/http/answer.ts'

import { choice, members, prose, REQUIRED, uuidOf } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { listBody } from '../lib/platform/http/page.ts'
import { ById, lenientChoice, OptionalBoolean } from '../lib/platform/http/params.ts'
import { replyCreated, replyNoContent } from '../lib/platform/http/reply.ts'
import { actorRoute, changeRoute, type Routes, readRoute } from '../lib/platform/http/route.ts'
import { documentAs } from '../lib/platform/http/schema-notes.ts'
import type { Actor } from '../lib/platform/permissions.ts'

/** An invalid type or state is ignored, with a warning. An unknown record has no flags. */
const Filter = v.object({
  flag_type: v.pipe(
    lenientChoice(flagTypes),
    v.transform((it) => it || undefined),
  ),
  is_resolved: OptionalBoolean,
  entity: v.pipe(
    v.optional(v.string(), ''),
    v.transform((it) => cut(it.trim().toLowerCase(), 36) || undefined),
    documentAs({ type: 'string', format: 'uuid' }),
  ),
})

const Raised = members({
  entity: uuidOf(REQUIRED),
  flag_type: choice(flagTypes),
  reason: prose(5000),
})
const is_resolved = v.exactOptional(v.boolean('Give true or false.'))
const Whole = members({ flag_type: choice(flagTypes), reason: prose(5000), is_resolved })
const Part = members({
  flag_type: v.exactOptional(choice(flagTypes)),
  reason: v.exactOptional(prose(5000)),
  is_resolved,
})

const subject = ({ id }: { id: string }) => flags.loadFlag(id)

const change = (body: typeof Whole | typeof Part) =>
  changeRoute({
    permission: 'flag.change',
    summary: body === Whole ? 'Replace a flag' : 'Change a flag',
    answer: ok(ReviewFlagView),
    translatedPaths: [],
    params: ById,
    subject,
    body,
    handle: async ({ unit, subject, actor, body, request: { say } }) => {
      const next = await flags.amendFlag(unit, subject, actor, body)
      return viewOf(next, actor, say)
    },
  })

/** Flags: doubts about records. People or the service raise them, and reviewers resolve them. */
export const routes = withTables({
  'GET /data/review-flags/': actorRoute({
    permission: 'flag.list',
    summary: 'List the flags',
    description:
      'Of a record that the caller does not work on, only the type of the flag and its state are told. A likeness to a record that the caller may not see is told to reviewers alone.',
    answer: listOf(ReviewFlagView),
    translatedPaths: [],
    query: Filter,
    handle: async ({ query, actor, page, request }) => {
      const { people, results, ...listed } = await flags.listFlags(query, actor, page)
      return listBody(request, page, {
        ...listed,
        results: results.map((it) => flagRow(it, people, actor, request.say)),
      })
    },
  }),

  'POST /data/review-flags/': actorRoute({
    permission: 'flag.create',
    summary: 'Raise a flag',
    answer: creation(ReviewFlagView),
    errors: [409],
    translatedPaths: [],
    body: Raised,
    idempotent: '24h',
    handle: async ({ unit, actor, body: { entity, ...said }, request: { say } }) => {
      const made = await flags.raiseFlag(unit, entity, actor, said)
      return replyCreated(await viewOf(made, actor, say))
    },
  }),

  'GET /data/review-flags/{id}/': readRoute({
    permission: 'flag.read',
    summary: 'Read a flag',
    answer: ok(ReviewFlagView),
    translatedPaths: [],
    params: ById,
    subject,
    handle: async ({ subject, actor, request: { say } }) => viewOf(subject, actor, say),
  }),

  'PUT /data/review-flags/{id}/': change(Whole),
  'PATCH /data/review-flags/{id}/': change(Part),

  'DELETE /data/review-flags/{id}/': changeRoute({
    permission: 'flag.delete',
    summary: 'Delete a flag',
    description: 'So whoever raised it withdraws it.',
    answer: empty,
    params: ById,
    subject,
    handle: async ({ unit, subject }) => {
      await flags.deleteFlag(unit, subject)
      return replyNoContent()
    },
  }),

  'POST /data/review-flags/{id}/resolve/': changeRoute({
    permission: 'flag.resolve',
    summary: 'Resolve a flag',
    answer: ok(ReviewFlagView),
    translatedPaths: [],
    params: ById,
    subject,
    handle: async ({ unit, subject, actor, request: { say } }) => {
      const next = await flags.resolveFlag(unit, subject, actor)
      return viewOf(next, actor, say)
    },
  }),
} satisfies Routes)

export const handler = endpoint(routes)

async function viewOf(it: flags.FlagWithRecord, actor: Actor | null, say: Say) {
  const known = await flags.showFlag(it, actor)
  if (!known) throw notFound()
  return flagRow(known.shown, known.people, actor, say)
}
