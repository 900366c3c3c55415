import { later, now } from '../../../base/clock.ts'
import { cut } from '../../../engines/matching/index.ts'
import { parse, put, walk, withNextVersion } from '../../../engines/table/index.ts'
import { inUnit } from '../../../platform/unit-of-work.ts'

import { type Asset, asset } from '../items.ts'
import { loadAsset } from './assets.ts'

type AssetIds = { project_id: string; id: string }

/** Attempts to read one image at most. */
const MOST_ATTEMPTS = 3
/** Seconds after which a reader is taken for dead. It may run for five minutes. */
const STOPPED_AFTER = 6 * 60
/** Seconds after which a waiting asset is taken for lost by its queue. */
const FORGOTTEN_AFTER = 30 * 60
/** An item holds 400 KB, and a project is read with all of its assets. */
const LONGEST_TEXT = 20_000

/**
 * Takes an image to read it. Undefined if there is nothing to do: another reader is at it, it is read, or it is deleted. An image
 * that failed in all its attempts is given up.
 */
export const beginOcr = (it: AssetIds): Promise<Asset | undefined> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict')
    const before = await loadAsset(it.project_id, it.id)
    if (!before?.ocr_since) return undefined
    if (before.ocr_status === 'processing' && before.ocr_since > ago(STOPPED_AFTER)) return undefined
    if (before.ocr_attempts >= MOST_ATTEMPTS) {
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

export type Read = Pick<Asset, 'ocr_text' | 'entity_suggestions'>

/** Stores the text of an image. */
export const finishOcr = (it: Asset, { ocr_text, entity_suggestions }: Read): Promise<void> =>
  endAttempt(it, 'completed', {
    ocr_text: cut(ocr_text.normalize('NFC'), LONGEST_TEXT),
    entity_suggestions,
    ocr_error: '',
  })

/** Stores why no text could be read. */
export const failOcr = (it: Asset, ocr_error: string): Promise<void> => endAttempt(it, 'failed', { ocr_error })

/** Ends only the attempt that was begun. A later attempt has its own end. */
const endAttempt = (begun: Asset, status: 'completed' | 'failed', changes: Partial<Asset>): Promise<void> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict')
    const before = await loadAsset(begun.project_id, begun.id)
    if (before?.ocr_since !== begun.ocr_since) return undefined
    unit.add([put(asset, endedAsset(before, status, changes), before)])
  })

const endedAsset = (before: Asset, ocr_status: 'completed' | 'failed', changes: Partial<Asset>): Asset =>
  withNextVersion<Asset>(before, { ...changes, ocr_status, ocr_since: null, ocr_attempts: 0, updated_at: now() })

const MOST_AT_ONCE = 100

/**
 * Puts lost assets back into the queue, and gives up those with no attempt left. Returns how many. Writing a waiting asset is
 * enough, since each new `ocr_since` sends it to the queue. Safe to run twice at once.
 */
export async function sweepOcr(): Promise<number> {
  const waiting = await walk({ index: 'gsi2', pk: 'OCR', forward: true, limit: MOST_AT_ONCE })
  const forgotten = waiting
    .map((item) => parse(asset, item))
    .filter((it) => (it.ocr_since ?? '') < ago(FORGOTTEN_AFTER))
  const moved = await Promise.all(forgotten.map(rescue))
  return moved.filter(Boolean).length
}

const rescue = (it: Asset): Promise<boolean> =>
  inUnit(async (unit) => {
    unit.retryOn('conflict')
    const before = await loadAsset(it.project_id, it.id)
    if (!before || before.ocr_since !== it.ocr_since) return false
    const next =
      before.ocr_attempts >= MOST_ATTEMPTS
        ? endedAsset(before, 'failed', { ocr_error: GIVEN_UP })
        : withNextVersion<Asset>(before, {
            ocr_status: 'pending',
            ocr_since: now(),
            ocr_attempts: before.ocr_attempts + (before.ocr_status === 'pending' ? 1 : 0),
          })
    unit.add([put(asset, next, before)])
    return true
  })

const ago = (seconds: number) => later(-seconds)
