import { sizeOf } from '../../files/blobs.ts'
import { loadPointer } from './snapshot.ts'

/** Whether search processes that start now find the snapshot that counts as it was stored. How much it holds would tell of what is hidden. */
export async function snapshotHealth(): Promise<{ healthy: boolean; message: string }> {
  const pointer = await loadPointer()
  if (!pointer) return { healthy: true, message: 'There is no snapshot yet: whoever searches reads the table.' }
  const { key, bytes } = pointer.current
  if (pointer.unreadable || (await sizeOf(key)) !== bytes)
    return {
      healthy: false,
      message: 'The snapshot cannot be read: whoever searches starts from an older one, or the table.',
    }
  return { healthy: true, message: 'There is a snapshot, and it can be read.' }
}
