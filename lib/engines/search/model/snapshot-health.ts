import { objectSize } from '../../bucket/index.ts'
import { loadPointer } from './snapshot.ts'

/**
 * Whether a new process can fetch the current snapshot as it was stored. The message contains no number of documents, since that would
 * reveal hidden documents.
 */
export async function snapshotHealth(): Promise<{ healthy: boolean; message: string }> {
  const pointer = await loadPointer()
  if (!pointer) return { healthy: true, message: 'There is no snapshot yet: whoever searches reads the table.' }
  const { key, bytes } = pointer.current
  if (pointer.unreadable || (await objectSize(key)) !== bytes)
    return {
      healthy: false,
      message: 'The snapshot cannot be read: whoever searches starts from an older one, or the table.',
    }
  return { healthy: true, message: 'There is a snapshot, and it can be read.' }
}
