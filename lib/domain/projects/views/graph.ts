import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import { mediaClasses } from '../../../engines/media/index.ts'
import { type Actor, mayInspect } from '../../../platform/permissions.ts'
import { kindKeys, kinds } from '../../kinds/index.ts'
import type { RecordItem } from '../../records/items.ts'
import { publicEdges } from '../../records/links.ts'
import { recordStatuses } from '../../records/rules/status.ts'
import type { Visible } from '../../records/shown.ts'
import { publicStatus, recordRow } from '../../records/views/record.ts'
import { assetRoles, ocrStatuses } from '../items.ts'
import type { WholeProject } from '../projects.ts'

/** Records in one drawing at most. */
export const MOST_DRAWN = 300

const drawnEntries = () => ({
  id: s.text,
  label: s.text,
  description: s.text,
  apiEndpoint: s.text,
  roleInProject: s.text,
})
/** A linked record as a node; `rawData` is its row in the list of its kind. */
const DrawnRecordView = s.shape('DrawnRecord', () =>
  v.object({
    ...drawnEntries(),
    category: s.text,
    entityType: s.oneOf(kindKeys),
    status: s.oneOf(recordStatuses),
    rawData: s.Values,
  }),
)
/** An asset as a node. */
const DrawnAssetView = s.shape('DrawnAsset', () =>
  v.object({
    ...drawnEntries(),
    category: v.literal('asset'),
    entityType: s.oneOf(mediaClasses),
    roleInProject: s.oneOf(assetRoles),
    status: s.oneOf(ocrStatuses),
    rawData: v.object({
      id: s.uuid,
      role: s.oneOf(assetRoles),
      media_type: s.oneOf(mediaClasses),
      version_label: s.text,
    }),
  }),
)
export const ProjectGraphView = s.shape('ProjectGraph', () =>
  v.object({
    nodes: v.array(v.union([DrawnRecordView, DrawnAssetView])),
    edges: v.array(
      v.object({ id: s.text, source: s.uuid, target: s.uuid, label: s.text, edgeType: v.literal('relation') }),
    ),
    isDemo: v.boolean(),
    truncated: v.boolean(),
  }),
)

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
