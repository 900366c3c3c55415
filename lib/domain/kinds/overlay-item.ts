import * as v from 'valibot'
import { defineItem, get } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { type KindKey, kindKeys } from './keys.ts'
import type { Kind } from './schema/kind.ts'
import { addedTypes, applyOverlay, noOverlay } from './schema/overlay.ts'

/** What was added to the kinds since the release. One item for the whole table. */
const Stored = v.object({
  fields: v.array(
    v.object({
      kind: v.picklist(kindKeys),
      name: v.string(),
      type: v.picklist(addedTypes),
      label: v.string(),
      description: v.string(),
      multivalued: v.boolean(),
      relation: v.nullable(v.picklist(kindKeys)),
      vocabulary: v.nullable(v.string()),
    }),
  ),
  values: v.array(v.object({ vocabulary: v.string(), value: v.string(), description: v.string() })),
  updated_at: v.string(),
  version: v.number(),
})
export type StoredOverlay = v.InferOutput<typeof Stored>
export const overlayItem = defineItem({
  type: 'schema_overlay',
  schema: Stored,
  key: (_: object) => key.schemaOverlay(),
})

/** The version of the item that this process has added to the kinds; 0 if there is none. */
let version = 0

/** Brings the kinds of this process in step with what was added. One call. */
export async function followOverlay(kinds: Readonly<Record<KindKey, Kind>>): Promise<void> {
  const stored = await get(overlayItem, {})
  if ((stored?.version ?? 0) === version) return
  applyOverlay(kinds, stored ?? noOverlay)
  version = stored?.version ?? 0
}
