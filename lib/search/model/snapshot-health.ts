import { sizeOf } from '../../files/blobs.ts'
import { lastEntry } from '../log.ts'
import { loadPointer } from './snapshot.ts'

/** Whether search processes that start now find the snapshot that counts as it was stored, and how much has changed since. */
export async function snapshotHealth(): Promise<{ healthy: boolean; message: string }> {
  const [pointer, end] = await Promise.all([loadPointer(), lastEntry()])
  if (!pointer) return { healthy: true, message: 'There is no snapshot yet: whoever searches reads the table.' }
  const { key, bytes, documents, changes } = pointer.current
  if (pointer.unreadable || (await sizeOf(key)) !== bytes)
    return {
      healthy: false,
      message: 'The snapshot cannot be read: whoever searches starts from an older one, or the table.',
    }
  return { healthy: true, message: `A snapshot of ${documents} documents, ${end.changes - changes} changes ago.` }
}
