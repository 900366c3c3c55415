import '../../lib/effects/search-documents.ts'
import { listBody, sliceOf } from '../../lib/http/page.ts'
import { BySlug } from '../../lib/http/params.ts'
import { type Routes, readRoute } from '../../lib/http/route.ts'
import { type Foreseen, previewMerge } from '../../lib/projects/merge-preview.ts'
import { loadWhole } from '../../lib/projects/projects.ts'
import { foreseenView } from '../../lib/projects/views/preview.ts'
import type { History } from '../../lib/records/history.ts'
import { shownTo } from '../../lib/records/shown.ts'
import { peopleOf } from '../../lib/users/people.ts'

/** What a merge would do, before it does it. */
export const preview = {
  'GET /data/projects/{slug}/merge-preview/': readRoute({
    permission: 'project.preview',
    params: BySlug,
    subject: ({ slug }) => loadWhole(slug),
    handle: async ({ subject, actor, page, request }) => {
      // Its permission takes a role, so somebody is signed in.
      if (!actor) throw new Error('a preview for nobody')
      const { rows, ...whole } = await previewMerge(subject, actor, sliceOf(subject.entities, page))
      const [people, shown] = await Promise.all([
        peopleOf(rows.map((it) => it.link.added_by)),
        shownTo(actor, rows.flatMap(afterwards)),
      ])
      const after = new Map(shown.map((it) => [it.entity_id, it]))
      const results = rows.map((it) => foreseenView(it, after.get(it.link.entity_id), actor, people))
      return { ...whole, ...listBody(request, page, { count: subject.entities.length, results }) }
    },
  }),
} satisfies Routes

/** A record with the values that the merge leaves it with. */
const afterwards = ({ plan }: Foreseen): History[] =>
  plan ? [{ ...plan.old, ...('accepted' in plan && { proposed: plan.accepted.after.head.data }) }] : []
