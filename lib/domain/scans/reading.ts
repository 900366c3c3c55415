import { later, now } from '../../base/clock.ts'
import { cut } from '../../engines/matching/index.ts'
import { get, type Images, parse, put, walk, withNextVersion } from '../../engines/table/index.ts'
import { inUnit } from '../../platform/unit-of-work.ts'
import { extractFields } from './extract.ts'
import { type Page, READING, type Scan, scan } from './items.ts'
import { putReading } from './scans.ts'

/** How a worker reads the text of a document. `lib/domain/projects/assets/ocr.ts` does the same for files of projects. */

const MAX_ATTEMPTS = 3
/** Seconds after which a run of OCR is taken for dead, and a waiting document for lost. */
const STOPPED_AFTER_S = 6 * 60
const FORGOTTEN_AFTER_S = 30 * 60
/** The most characters of text that the item holds. */
const LONGEST_TEXT = 20_000
const GIVEN_UP = 'The document could not be read in three attempts.'

/** The id of the document that has to be read after this change. Only a new `ocr_since` is a new request. */
export function findScanWork({ before, after }: Images): { scan_id: string } | undefined {
  if (after?.type !== scan.type) return undefined
  const it = parse(scan, after)
  return it.status === 'pending' && before?.ocr_since !== it.ocr_since ? { scan_id: it.id } : undefined
}

/**
 * Takes a document to read it. Undefined if another run of OCR has it, or if it was read. A document that failed in all attempts becomes
 * `failed`.
 */
export const beginReading = (id: string): Promise<Scan | undefined> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict')
    const before = await get(scan, { id })
    if (!before?.ocr_since) return undefined
    if (before.status === 'processing' && before.ocr_since > later(-STOPPED_AFTER_S)) return undefined
    if (before.ocr_attempts >= MAX_ATTEMPTS) {
      unit.add([put(scan, endedScan(before, 'failed', { error: GIVEN_UP }), before)])
      return undefined
    }
    const at = now()
    const next = withNextVersion<Scan>(before, {
      status: 'processing',
      ocr_since: at,
      started_at: at,
      ocr_attempts: before.ocr_attempts + 1,
    })
    unit.add([put(scan, next, before)])
    return next
  })

/** Stores the text that was read from a document, and the values that are found in it. */
export async function finishReading(
  begun: Scan,
  { text, confidence, pages, isDigital }: { text: string; confidence: number; pages: Page[]; isDigital: boolean },
): Promise<void> {
  const sized = pages.map((page) => ({
    ...page,
    width: page.width || (begun.width ?? 0),
    height: page.height || (begun.height ?? 0),
  }))
  await putReading(begun.id, { pages: sized, fields: await extractFields(sized) })
  await endReading(begun, 'completed', {
    raw_text: cut(text.normalize('NFC'), LONGEST_TEXT),
    confidence,
    page_count: pages.length,
    error: '',
    ...(isDigital && { document_type: 'pdf_digital' }),
    found_at: now(),
  })
}

/** Stores why no text could be read. */
export const failReading = (begun: Scan, error: string): Promise<void> => endReading(begun, 'failed', { error })

/** Ends the attempt that began with `begun`. Does nothing if a later attempt has begun. */
const endReading = (begun: Scan, status: 'completed' | 'failed', changes: Partial<Scan>): Promise<void> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict')
    const before = await get(scan, { id: begun.id })
    if (before?.ocr_since !== begun.ocr_since) return
    unit.add([put(scan, endedScan(before, status, changes), before)])
  })

function endedScan(before: Scan, status: 'completed' | 'failed', changes: Partial<Scan>): Scan {
  const at = now()
  return withNextVersion<Scan>(before, {
    ...changes,
    status,
    ocr_since: null,
    ocr_attempts: 0,
    ended_at: at,
    updated_at: at,
  })
}

/** Documents of one visit of the sweeper. */
const MOST_SWEPT = 100

/**
 * Sends lost documents to OCR again. A document without attempts left becomes `failed` instead. Returns the number of all these documents.
 * Safe to run twice at once.
 */
export async function sweepScans(): Promise<number> {
  const waiting = await walk({ index: 'gsi2', pk: READING, forward: true, limit: MOST_SWEPT })
  const lost = waiting.map((item) => parse(scan, item)).filter((it) => (it.ocr_since ?? '') < later(-FORGOTTEN_AFTER_S))
  const sent = await Promise.all(lost.map(sendAgain))
  return sent.filter(Boolean).length
}

const sendAgain = (it: Scan): Promise<boolean> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict')
    const before = await get(scan, { id: it.id })
    if (!before || before.ocr_since !== it.ocr_since) return false
    const next =
      before.ocr_attempts >= MAX_ATTEMPTS
        ? endedScan(before, 'failed', { error: GIVEN_UP })
        : withNextVersion<Scan>(before, {
            status: 'pending',
            ocr_since: now(),
            ocr_attempts: before.ocr_attempts + (before.status === 'pending' ? 1 : 0),
          })
    unit.add([put(scan, next, before)])
    return true
  })
