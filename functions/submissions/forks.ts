import '../../lib/domain/composition.ts'
import * as v from 'valibot'
import { type ForkSubject, forkTagNames } from '../../lib/domain/forks/items.ts'
import { listForks, loadFork } from '../../lib/domain/forks/load.ts'
import { ForkView, forkTexts } from '../../lib/domain/forks/view-shape.ts'
import { getMany } from '../../lib/engines/table/index.ts'
import { creation, ok } from '../../lib/platform/http/answer.ts'
import { choice, members, objectOf, prose, REQUIRED, uuidOf } from '../../lib/platform/http/body.ts'
import { ById, MISSING, requiredId } from '../../lib/platform/http/params.ts'
import { replyCreated } from '../../lib/platform/http/reply.ts'
import { actorRoute, changeRoute, listRoute, type Routes, readRoute } from '../../lib/platform/http/route.ts'
import type { Actor } from '../../lib/platform/permissions.ts'
import { keyOf } from '../../lib/platform/users/users.ts'

/** Loaded with the first answer about a fork, since submissions and notes do not need this code. */
const views = () => import('../../lib/domain/forks/view.ts')
const judges = () => import('../../lib/domain/forks/judge.ts')

const OfRecord = v.object({ entity_id: requiredId('Give the id of a record.') }, MISSING)
const NewFork = members({
  entity_id: uuidOf(REQUIRED),
  reason: prose(2000),
  fork_reason_tag: v.pipe(
    v.nullish(v.string('Not a valid text.'), 'other'),
    v.transform((tag) => forkTagNames.find((name) => name === tag) ?? 'other'),
  ),
  changes: v.pipe(
    v.nullish(objectOf(v.string(), v.unknown(), 'Give an object.'), {}),
    v.transform((it): Record<string, unknown> => ({ ...it })),
  ),
})
const Merge = members({ on_conflict: v.optional(choice(['rival', 'refuse']), 'rival') })
const Rejection = members({ reason: prose(5000) })

const subject = ({ id }: { id: string }) => loadFork(id)
const ABOUT_VERDICT =
  'Nobody decides on a fork of their own, or of a record of their own. Of two reviewers who decide at once, one gets 409.'

/** Forks: alternative versions of records, each judged on its own. */
export const forks = {
  'GET /data/forks/': listRoute({
    permission: 'fork.list',
    summary: 'List the forks of a record, newest first',
    description: 'A hundred at most, as a bare array. None for a record that the caller may not see.',
    answer: ok(v.array(ForkView)),
    translatedPaths: forkTexts.map((path) => `*.${path}`),
    query: OfRecord,
    handle: async ({ query, actor }) => {
      const [{ forks: listed, found }, { forkRows }] = await Promise.all([listForks(query.entity_id, actor), views()])
      return forkRows(listed, found, actor)
    },
  }),

  'POST /data/forks/': actorRoute({
    permission: 'fork.create',
    summary: 'Make an alternative version of a record',
    description:
      "It begins with the published values of the record, changed by `changes`, and waits for review. `changes` holds members of the record's kind. An unknown tag counts as `other`.",
    answer: creation(ForkView),
    errors: [404],
    translatedPaths: [...forkTexts],
    body: NewFork,
    idempotent: '24h',
    handle: async ({ unit, actor, body: { fork_reason_tag: tag, ...input } }) => {
      const { createFork } = await import('../../lib/domain/forks/create.ts')
      return replyCreated(await view(await createFork(unit, { ...input, tag }, actor), actor))
    },
  }),

  'GET /data/forks/{id}/': readRoute({
    permission: 'fork.read',
    summary: 'Read a fork',
    answer: ok(ForkView),
    translatedPaths: [...forkTexts],
    params: ById,
    subject,
    handle: async ({ subject, actor }) => view(subject, actor),
  }),

  'POST /data/forks/{id}/merge/': changeRoute({
    permission: 'fork.decide',
    summary: 'Merge a fork into its record',
    description: `What only the fork has changed is taken over at once. What both have changed waits as a rival claim; with \`on_conflict\` \`refuse\` it is 409, with the fields. ${ABOUT_VERDICT}`,
    answer: ok(ForkView),
    errors: [409],
    translatedPaths: [...forkTexts],
    params: ById,
    subject,
    body: Merge,
    idempotent: '24h',
    handle: async ({ unit, subject, actor, body }) => {
      const { mergeFork } = await judges()
      await mergeFork(unit, subject, actor, body.on_conflict)
      return viewAfter(subject, actor)
    },
  }),

  'POST /data/forks/{id}/promote/': changeRoute({
    permission: 'fork.decide',
    summary: 'Put a fork in the place of its record',
    description: `The fork is accepted. The record leaves all lists; its address still answers, with \`superseded_by\`. ${ABOUT_VERDICT}`,
    answer: ok(ForkView),
    errors: [409],
    translatedPaths: [...forkTexts],
    params: ById,
    subject,
    idempotent: '24h',
    handle: async ({ unit, subject, actor }) => {
      const { promoteFork } = await judges()
      await promoteFork(unit, subject, actor)
      return viewAfter(subject, actor)
    },
  }),

  'POST /data/forks/{id}/reject/': changeRoute({
    permission: 'fork.decide',
    summary: 'Turn a fork down',
    description: `With a reason for its author. ${ABOUT_VERDICT}`,
    answer: ok(ForkView),
    errors: [409],
    translatedPaths: [...forkTexts],
    params: ById,
    subject,
    body: Rejection,
    idempotent: '24h',
    handle: async ({ unit, subject, actor, body }) => {
      const { rejectFork } = await judges()
      await rejectFork(unit, subject, actor, body.reason)
      return viewAfter(subject, actor)
    },
  }),
} satisfies Routes

async function view(it: ForkSubject, actor: Actor | null) {
  const people = [it.about.forked_by, it.about.judged_by].flatMap((id) => (id === null ? [] : keyOf(id)))
  const [{ forkRows }, found] = await Promise.all([views(), getMany(people)])
  const [row] = await forkRows([it], found, actor)
  if (!row) throw new Error('a fork without a row')
  return row
}

/** The fork after the verdict. Reads already see what the unit of work will write. */
async function viewAfter({ about }: ForkSubject, actor: Actor) {
  const it = await loadFork(about.id)
  if (!it) throw new Error('a fork that is gone')
  return view(it, actor)
}
