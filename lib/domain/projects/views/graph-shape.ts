import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import { mediaClasses } from '../../../engines/media/index.ts'
import { kindKeys } from '../../kinds/index.ts'
import { recordStatuses } from '../../records/rules/status.ts'
import { assetRoles, ocrStatuses } from '../items.ts'

/** The most records in one drawing. */
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
