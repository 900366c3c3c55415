import { kinds } from '../../kinds/index.ts'
import { type Actor, mayInspect } from '../../permissions.ts'
import type { RecordItem } from '../../records/items.ts'
import { edgesOf } from '../../records/links.ts'
import type { Shown } from '../../records/shown.ts'
import { rowOf, statusOf } from '../../records/views/record.ts'
import type { Whole } from '../projects.ts'

/** At most this many records are drawn. */
export const MOST_DRAWN = 300

/** The records and assets of a project and how the records name each other, for a drawing. What the caller may not see is not in it. */
export function graphView(it: Whole, head: (entity_id: string) => Shown<RecordItem> | undefined, actor: Actor | null) {
  const drawn = it.entities.slice(0, MOST_DRAWN).flatMap((one) => {
    const found = head(one.entity_id)
    return found && !found.deleted_at && mayInspect(actor, found) ? [{ one, found }] : []
  })
  const there = new Set(drawn.map(({ found }) => found.entity_id))
  return {
    nodes: [
      ...drawn.map(({ one, found }) => ({
        id: found.entity_id,
        label: found.name,
        category: found.category,
        entityType: found.kind,
        description: String(found.data.description ?? found.data.note ?? ''),
        apiEndpoint: `${kinds[found.kind].apiEndpoint}${kinds[found.kind].record ? found.id : found.entity_id}/`,
        roleInProject: one.role_in_project,
        status: statusOf(found),
        rawData: rowOf(found, actor),
      })),
      ...it.assets.map((one) => ({
        id: `asset-${one.id}`,
        label: one.caption || one.file_name,
        category: 'asset',
        entityType: one.media_type,
        description: one.caption,
        apiEndpoint: `/data/projects/${it.about.slug}/assets/${one.id}/`,
        roleInProject: one.role,
        status: one.ocr_status,
        rawData: { id: one.id, role: one.role, media_type: one.media_type, version_label: one.version_label },
      })),
    ],
    edges: drawn.flatMap(({ found }) =>
      // Within the project, what waits is drawn like what is public.
      edgesOf({ ...found, public: true })
        .filter(({ to }) => there.has(to))
        .map(({ from, to, relation }) => ({
          id: `${from}-${relation}-${to}`,
          source: from,
          target: to,
          label: relation,
          edgeType: 'relation',
        })),
    ),
    isDemo: false,
    truncated: it.entities.length > MOST_DRAWN,
  }
}
