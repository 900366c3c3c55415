import * as v from 'valibot'
import { withTables } from '../lib/exports/list-tables.ts'
import { answering, creating } from '../lib/http/answering.ts'
import { choice, members, prose, REQUIRED, uuidOf } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { listBody } from '../lib/http/page.ts'
import { ById, knownText, OptionalBoolean } from '../lib/http/params.ts'
import { noContent } from '../lib/http/reply.ts'
import { actorRoute, changeRoute, type Routes, readRoute } from '../lib/http/route.ts'
import type { Say } from '../lib/language/catalogue.ts'
import { cut } from '../lib/matching/cut.ts'
import type { Actor } from '../lib/permissions.ts'
import { flagTypes } from '../lib/records/items.ts'
import * as flags from '../lib/review/flags.ts'
import { flagRow } from '../lib/review/views/flag.ts'

/** A filter that says nothing legal asks for nothing, but a record that there is not has no flags. */
const Filter = v.object({
  flag_type: v.pipe(
    knownText(flagTypes),
    v.transform((it) => it || undefined),
  ),
  is_resolved: OptionalBoolean,
  entity: v.pipe(
    v.optional(v.string(), ''),
    v.transform((it) => cut(it.trim().toLowerCase(), 36) || undefined),
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

const subject = ({ id }: { id: string }) => flags.load(id)

const change = (body: typeof Whole | typeof Part) =>
  changeRoute({
    permission: 'flag.change',
    says: [],
    params: ById,
    subject,
    body,
    handle: ({ subject, actor, body, request: { say } }) =>
      answering(
        () => flags.amend(subject, actor, body),
        (next) => viewOf(next, actor, say),
      ),
  })

/** What someone finds wrong with a record, for reviewers to settle. */
export const routes = withTables({
  'GET /data/review-flags/': actorRoute({
    permission: 'flag.list',
    says: [],
    query: Filter,
    handle: async ({ query, actor, page, request }) => {
      const { people, results, ...listed } = await flags.list(query, actor, page)
      return listBody(request, page, {
        ...listed,
        results: results.map((it) => flagRow(it, people, actor, request.say)),
      })
    },
  }),

  'POST /data/review-flags/': actorRoute({
    permission: 'flag.create',
    says: [],
    body: Raised,
    idempotent: '24h',
    handle: ({ actor, body: { entity, ...said }, request: { say } }) =>
      creating(
        () => flags.raise(entity, actor, said),
        (made) => viewOf(made, actor, say),
      ),
  }),

  'GET /data/review-flags/{id}/': readRoute({
    permission: 'flag.read',
    says: [],
    params: ById,
    subject,
    handle: async ({ subject, actor, request: { say } }) => viewOf(subject, actor, say),
  }),

  'PUT /data/review-flags/{id}/': change(Whole),
  'PATCH /data/review-flags/{id}/': change(Part),

  'DELETE /data/review-flags/{id}/': changeRoute({
    permission: 'flag.delete',
    params: ById,
    subject,
    handle: async ({ subject }) => {
      await flags.remove(subject)
      return noContent()
    },
  }),

  'POST /data/review-flags/{id}/resolve/': changeRoute({
    permission: 'flag.resolve',
    says: [],
    params: ById,
    subject,
    handle: ({ subject, actor, request: { say } }) =>
      answering(
        () => flags.resolve(subject, actor),
        (next) => viewOf(next, actor, say),
      ),
  }),
} satisfies Routes)

export const handler = endpoint(routes)

async function viewOf(it: flags.Flagged, actor: Actor | null, say: Say) {
  const { shown, people } = await flags.show(it, actor)
  return flagRow(shown, people, actor, say)
}
