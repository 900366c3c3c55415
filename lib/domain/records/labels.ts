import { put, type UnitOfWork, withNextVersion } from '../../engines/table/index.ts'
import type { Actor } from '../../platform/permissions.ts'
import { changeLabels, type LabelInput } from '../labels/input.ts'
import { onPicture } from '../labels/labels.ts'
import { picturesIn } from '../pictures/items.ts'
import { type RecordItem, recordItem } from './items.ts'
import { queueWrites } from './queue-entry.ts'

/**
 * Replaces all labels of a record, of its values and of its pictures by `inputs`, in their order. Fails with `invalid` if a label is on
 * something that the record does not have. Fails with `refused` if the caller may not set a label.
 */
export async function labelRecord(
  unit: UnitOfWork,
  old: RecordItem,
  inputs: readonly LabelInput[],
  actor: Actor,
): Promise<RecordItem> {
  const labels = await changeLabels({ labels: old.labels, isPublic: old.public, parts: partsOf(old) }, inputs, actor)
  const next = withNextVersion<RecordItem>(old, { labels })
  unit.add([put(recordItem, next, old), ...queueWrites(old, next)])
  return next
}

/** The parts of a record that a label can be on: the properties that have a value, and the pictures. */
const partsOf = ({ data }: RecordItem): string[] => [
  ...Object.keys(data),
  ...picturesIn(data).map(({ id }) => onPicture(id)),
]
