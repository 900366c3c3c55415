import { type Actor, mayInspect } from '../../../platform/permissions.ts'
import { kinds } from '../../kinds/index.ts'
import type { RecordItem } from '../../records/items.ts'
import { publicEdges } from '../../records/links.ts'
import type { Visible } from '../../records/shown.ts'
import { publicStatus, recordRow } from '../../records/views/record.ts'
import type { WholeProject } from '../projects.ts'
import { MOST_DRAWN } from './graph-shape.ts'

/** The records and assets of a project as a graph, with the links between records. It leaves out what the caller may not see. */
export function graphView(
  it: WholeProject,
  head: (entity_id: string) => Visible<RecordItem> | undefined,
  actor: Actor | null,
) {
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
        status: publicStatus(found),
        rawData: recordRow(found, actor),
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
      // In the project's drawing, links of waiting records are drawn too.
      publicEdges({ ...found, public: true })
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
