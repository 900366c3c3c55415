import { later, now } from '../../clock.ts'
import { commitPlan } from '../../commit.ts'
import { cut } from '../../matching/cut.ts'
import { amended, parse, put } from '../../table/item.ts'
import { walk } from '../../table/read.ts'
import { type Asset, asset } from '../items.ts'
import { loadAsset } from './assets.ts'

type AssetIds = { project_id: string; id: string }

/** How often reading one image is begun. */
const MOST_ATTEMPTS = 3
/** A reader that has said nothing for so long has been stopped: none is given more than five minutes. */
const STOPPED_AFTER = 6 * 60
/** What has waited for so long has been forgotten by its queue. */
const FORGOTTEN_AFTER = 30 * 60
/** An item of the table holds 400 KB, and a project is read with all of its assets. */
const LONGEST_TEXT = 20_000

/**
 * Takes an image to read it; undefined when there is nothing to do: somebody else is at it, it has been read or has been
 * taken away. An image on which readers have been stopped again and again is given up.
 */
export const begin = (it: AssetIds): Promise<Asset | undefined> =>
  commitPlan(async () => {
    const before = await loadAsset(it.project_id, it.id)
    if (!before?.ocr_since) return { result: undefined, writes: [] }
    if (before.ocr_status === 'processing' && before.ocr_since > ago(STOPPED_AFTER))
      return { result: undefined, writes: [] }
    if (before.ocr_attempts >= MOST_ATTEMPTS)
      return { result: undefined, writes: [put(asset, ended(before, 'failed', { ocr_error: GIVEN_UP }), before)] }
    const next = amended<Asset>(before, {
      ocr_status: 'processing',
      ocr_since: now(),
      ocr_attempts: before.ocr_attempts + 1,
    })
    return { result: next, writes: [put(asset, next, before)] }
  })

const GIVEN_UP = 'The image could not be read in three attempts.'

export type Read = Pick<Asset, 'ocr_text' | 'entity_suggestions'>

/** Notes what was read from an image. */
export const finish = (it: Asset, { ocr_text, entity_suggestions }: Read): Promise<void> =>
  close(it, 'completed', {
    ocr_text: cut(ocr_text.normalize('NFC'), LONGEST_TEXT),
    entity_suggestions,
    ocr_error: '',
  })

/** Notes why nothing could be read from an image. */
export const fail = (it: Asset, ocr_error: string): Promise<void> => close(it, 'failed', { ocr_error })

/** Only for the reading that was begun: a later one has its own end. */
const close = (begun: Asset, status: 'completed' | 'failed', changes: Partial<Asset>): Promise<void> =>
  commitPlan(async () => {
    const before = await loadAsset(begun.project_id, begun.id)
    if (before?.ocr_since !== begun.ocr_since) return { result: undefined, writes: [] }
    return { result: undefined, writes: [put(asset, ended(before, status, changes), before)] }
  })

const ended = (before: Asset, ocr_status: 'completed' | 'failed', changes: Partial<Asset>): Asset =>
  amended<Asset>(before, { ...changes, ocr_status, ocr_since: null, ocr_attempts: 0, updated_at: now() })

const MOST_AT_ONCE = 100

/**
 * Puts what has been forgotten back into the queue, and gives up what has been so three times; answers how many. An asset
 * that waits is sent to the queue whenever it changes, so writing it is enough. Safe to run twice at once.
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
  commitPlan(async () => {
    const before = await loadAsset(it.project_id, it.id)
    if (!before || before.ocr_since !== it.ocr_since) return { result: false, writes: [] }
    const next =
      before.ocr_attempts >= MOST_ATTEMPTS
        ? ended(before, 'failed', { ocr_error: GIVEN_UP })
        : amended<Asset>(before, {
            ocr_status: 'pending',
            ocr_since: now(),
            ocr_attempts: before.ocr_attempts + (before.ocr_status === 'pending' ? 1 : 0),
          })
    return { result: true, writes: [put(asset, next, before)] }
  })

const ago = (seconds: number) => later(-seconds)
