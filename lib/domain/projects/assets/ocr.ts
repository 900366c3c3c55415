import { later, now } from '../../../base/clock.ts'
import { cut } from '../../../engines/matching/index.ts'
import { parse, put, walk, withNextVersion } from '../../../engines/table/index.ts'
import { inUnit } from '../../../platform/unit-of-work.ts'
import { type Asset, asset } from '../items.ts'
import { loadAsset } from './assets.ts'

type AssetIds = { project_id: string; id: string }

/** The most attempts to read one file. */
const MAX_ATTEMPTS = 3
/** Seconds after which a reader is taken for dead. A reader runs for five minutes at most. */
const STOPPED_AFTER_S = 6 * 60
/** Seconds after which the reader is called again for an asset that still waits. */
const FORGOTTEN_AFTER_S = 30 * 60
/** The longest stored text, in characters. An item holds 400 KB, and a project is read with all of its assets. */
const LONGEST_TEXT = 20_000

/**
 * Takes an asset to read its text. Undefined if another reader has it, or if it is read already or deleted. An asset that failed
 * in all attempts becomes `failed`.
 */
export const beginOcr = (it: AssetIds): Promise<Asset | undefined> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict')
    const before = await loadAsset(it.project_id, it.id)
    if (!before?.ocr_since) return undefined
    if (before.ocr_status === 'processing' && before.ocr_since > secondsAgo(STOPPED_AFTER_S)) return undefined
    if (before.ocr_attempts >= MAX_ATTEMPTS) {
      unit.add([put(asset, endedAsset(before, 'failed', { ocr_error: GIVEN_UP }), before)])
      return undefined
    }
    const next = withNextVersion<Asset>(before, {
      ocr_status: 'processing',
      ocr_since: now(),
      ocr_attempts: before.ocr_attempts + 1,
    })
    unit.add([put(asset, next, before)])
    return next
  })

const GIVEN_UP = 'The image could not be read in three attempts.'

export type OcrResult = Pick<Asset, 'ocr_text' | 'entity_suggestions'>

/** Stores the text and the suggestions of an asset. */
export const finishOcr = (it: Asset, { ocr_text, entity_suggestions }: OcrResult): Promise<void> =>
  endAttempt(it, 'completed', {
    ocr_text: cut(ocr_text.normalize('NFC'), LONGEST_TEXT),
    entity_suggestions,
    ocr_error: '',
  })

/** Stores why no text could be read. */
export const failOcr = (it: Asset, ocr_error: string): Promise<void> => endAttempt(it, 'failed', { ocr_error })

/** Ends the attempt that began with `begun`. Does nothing if a later attempt has begun. */
const endAttempt = (begun: Asset, status: 'completed' | 'failed', changes: Partial<Asset>): Promise<void> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict')
    const before = await loadAsset(begun.project_id, begun.id)
    if (before?.ocr_since !== begun.ocr_since) return undefined
    unit.add([put(asset, endedAsset(before, status, changes), before)])
  })

const endedAsset = (before: Asset, ocr_status: 'completed' | 'failed', changes: Partial<Asset>): Asset =>
  withNextVersion<Asset>(before, { ...changes, ocr_status, ocr_since: null, ocr_attempts: 0, updated_at: now() })

/** The most assets that one visit of the sweeper moves. */
const ASSETS_PER_VISIT = 100

/**
 * Sends assets that have waited too long to OCR again. An asset without an attempt left becomes `failed` instead. Returns the number of all
 * these assets. It only writes a new `ocr_since`: `asset-files` sees that and calls the reader. Safe to run twice at once.
 */
export async function sweepOcr(): Promise<number> {
  const waiting = await walk({ index: 'gsi2', pk: 'OCR', forward: true, limit: ASSETS_PER_VISIT })
  const forgotten = waiting
    .map((item) => parse(asset, item))
    .filter((it) => (it.ocr_since ?? '') < secondsAgo(FORGOTTEN_AFTER_S))
  const moved = await Promise.all(forgotten.map(rescue))
  return moved.filter(Boolean).length
}

const rescue = (it: Asset): Promise<boolean> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict')
    const before = await loadAsset(it.project_id, it.id)
    if (!before || before.ocr_since !== it.ocr_since) return false
    const next =
      before.ocr_attempts >= MAX_ATTEMPTS
        ? endedAsset(before, 'failed', { ocr_error: GIVEN_UP })
        : withNextVersion<Asset>(before, {
            ocr_status: 'pending',
            ocr_since: now(),
            ocr_attempts: before.ocr_attempts + (before.ocr_status === 'pending' ? 1 : 0),
          })
    unit.add([put(asset, next, before)])
    return true
  })

const secondsAgo = (seconds: number) => later(-seconds)
