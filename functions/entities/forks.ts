import * as v from 'valibot'
import { notFound } from '../../lib/base/errors.ts'
import { ChildForksView, ForkDiffView, forkTexts, LineageView } from '../../lib/domain/forks/view-shape.ts'
import { recordItem } from '../../lib/domain/records/items.ts'
import { get } from '../../lib/engines/table/index.ts'
import { ok } from '../../lib/platform/http/answer.ts'
import { ByEntity, uuidText } from '../../lib/platform/http/params.ts'
import { type Routes, readRoute } from '../../lib/platform/http/route.ts'

const subject = ({ entity_id }: { entity_id: string }) => get(recordItem, { entity_id })

/** The versions of a record: its forks, the forks of these, and how they differ. The code of forks is loaded with the first answer. */
export const forks = {
  'GET /data/cultural-entities/{entity_id}/lineage/': readRoute({
    permission: 'history.read',
    summary: 'Read the tree of a record and its forks',
    description:
      'From the topmost record that the caller sees. What the caller may not see leaves no trace. Beyond a hundred forks the tree is `truncated`.',
    answer: ok(LineageView),
    params: ByEntity,
    subject,
    handle: async ({ subject, actor }) => {
      const { lineageOf } = await import('../../lib/domain/forks/lineage.ts')
      return lineageOf(subject, actor)
    },
  }),

  'GET /data/cultural-entities/{entity_id}/child-forks/': readRoute({
    permission: 'history.read',
    summary: 'List the forks of a record with its name',
    answer: ok(ChildForksView),
    translatedPaths: forkTexts.map((path) => `forks.*.${path}`),
    params: ByEntity,
    subject,
    handle: async ({ subject, actor }) => {
      const [{ listForks }, { forkRows }] = await Promise.all([
        import('../../lib/domain/forks/load.ts'),
        import('../../lib/domain/forks/view.ts'),
      ])
      const { forks: listed, found } = await listForks(subject.entity_id, actor)
      return { entity_id: subject.entity_id, entity_name: subject.name, forks: await forkRows(listed, found, actor) }
    },
  }),

  'GET /data/cultural-entities/{entity_id}/fork-diff/{fork_entity_id}/': readRoute({
    permission: 'history.read',
    summary: 'Compare a record with a fork of it',
    description:
      'As both are now. Until the fork is accepted its values are for its author, the contributor of the record, and reviewers: others get `values_withheld`.',
    answer: ok(ForkDiffView),
    params: v.object({ ...ByEntity.entries, fork_entity_id: uuidText }),
    subject,
    handle: async ({ subject, actor, params }) => {
      const { compareWithFork } = await import('../../lib/domain/forks/diff.ts')
      const compared = await compareWithFork(subject, params.fork_entity_id, actor)
      if (!compared) throw notFound()
      return compared
    },
  }),
} satisfies Routes
