import { log } from '../../base/telemetry/log.ts'
import type { Write } from '../table/index.ts'
import { type DocumentChange, type DocumentSource, isGone, type SearchDocument, sourceIfProvided } from './document.ts'
import { appendToLog } from './log.ts'

/**
 * Appends to the change log what these writes have hidden: documents that are deleted, unpublished, or now for fewer readers. Call
 * it after their commit and before the answer. Then no search that begins after the answer finds them, although the projector
 * appends the same change a second later. All other changes wait for the projector.
 *
 * Makes no call if nothing is hidden, as is usual. Else one read and one transaction; writers of the same moment share them. If the
 * log cannot be written, the failure is logged, since the change itself is stored, and the projector hides the documents.
 */
export async function withholdHidden(writes: readonly Write[]): Promise<void> {
  // A new item hides nothing, so the source is not loaded for it.
  if (!writes.some(({ replaces }) => replaces)) return
  const source = await sourceIfProvided()
  const changes = source ? writes.flatMap((write) => hidingChange(source, write) ?? []) : []
  if (changes.length === 0) return
  appending ??= appendSoon()
  appending.changes.push(...changes)
  await appending.appended
}

/** The append that has not begun, to which writers add their changes. */
// prove: memory
let appending: { changes: DocumentChange[]; appended: Promise<void> } | undefined
/** The append that began last. */
// prove: memory
let lastAppended: Promise<void> | undefined

/** Collects changes until the append before it is over, so that the writers of one process never race for the end of the log. */
function appendSoon(): NonNullable<typeof appending> {
  const changes: DocumentChange[] = []
  const appended = Promise.resolve(lastAppended).then(async () => {
    appending = undefined
    await appendToLog(changes).catch((error: unknown) => {
      log({ level: 'error', message: 'search log', error: error instanceof Error ? error.name : 'unknown' })
    })
  })
  lastAppended = appended
  return { changes, appended }
}

/** The change of the document behind a write. Undefined unless it hides the document, or a member of it, from a reader. */
function hidingChange(source: DocumentSource, { type, action, replaces }: Write): DocumentChange | undefined {
  if (!replaces || !type || !source.types.includes(type)) return undefined
  const old = source.documentOf(replaces())
  const after = action.Put?.Item
  // Only its contributor and staff read an unpublished document.
  if (!old || isGone(old) || !old.is_published) return undefined
  const next = (after && source.documentOf(after)) ?? { id: old.id, gone: true as const, version: old.version + 1 }
  return isGone(next) || hasOtherReaders(old, next) ? next : undefined
}

/** Whether a change alters who reads a document, or replaces or removes its picture. */
const hasOtherReaders = (old: SearchDocument, next: SearchDocument): boolean =>
  !next.is_published ||
  next.access_tier !== old.access_tier ||
  (old.picture !== undefined && old.picture.image !== next.picture?.image)
