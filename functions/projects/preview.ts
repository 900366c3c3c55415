import '../../lib/domain/composition.ts'
import type { ForeseenRecord } from '../../lib/domain/projects/merge-preview.ts'
import { loadWhole } from '../../lib/domain/projects/projects.ts'
import { ForeseenRecordView, mergePreview } from '../../lib/domain/projects/views/preview-shape.ts'
import type { History } from '../../lib/domain/records/history.ts'
import { showRecords } from '../../lib/domain/records/shown.ts'
import { listOf } from '../../lib/platform/http/answer.ts'
import { listBody, sliceOf } from '../../lib/platform/http/page.ts'
import { BySlug } from '../../lib/platform/http/params.ts'
import { type Routes, readRoute } from '../../lib/platform/http/route.ts'
import { peopleOf } from '../../lib/platform/users/people.ts'

/** The preview of a merge. */
export const preview = {
  'GET /data/projects/{slug}/merge-preview/': readRoute({
    permission: 'project.preview',
    summary: 'See what a merge would do',
    description:
      'For each linked record what it becomes, what it contradicts, what it looks like and what stands in the way, planned by the same code as the merge, as if the caller merged now. `blockers`, `size` and `seconds` are of the whole project; of a large one that cannot be planned within 10 seconds they are reckoned from the records in `size.planned`. Nothing is written.',
    answer: listOf(ForeseenRecordView, mergePreview()),
    params: BySlug,
    subject: ({ slug }) => loadWhole(slug),
    handle: async ({ subject, actor, page, request }) => {
      // The permission requires a role, so the caller is signed in.
      if (!actor) throw new Error('a preview for nobody')
      // A preview runs the code of a merge, which a process loads with its first preview.
      const [{ previewMerge }, { foreseenView }, { loadKnownSources }] = await Promise.all([
        import('../../lib/domain/projects/merge-preview.ts'),
        import('../../lib/domain/projects/views/preview.ts'),
        import('../../lib/domain/review/known-sources.ts'),
      ])
      const { rows, ...whole } = await previewMerge(subject, actor, sliceOf(subject.entities, page))
      const [people, shown] = await Promise.all([
        peopleOf(rows.map((it) => it.link.added_by)),
        showRecords(actor, rows.flatMap(afterwards)),
      ])
      const { evidenceOf } = await loadKnownSources(...shown)
      const after = new Map(shown.map((it) => [it.entity_id, it]))
      const results = rows.map((it) => foreseenView(it, after.get(it.link.entity_id), actor, people, evidenceOf))
      return { ...whole, ...listBody(request, page, { count: subject.entities.length, results }) }
    },
  }),
} satisfies Routes

/** A record with its values after the merge. */
const afterwards = ({ plan }: ForeseenRecord): History[] =>
  plan ? [{ ...plan.old, ...('accepted' in plan && { proposed: plan.accepted.after.head.data }) }] : []
