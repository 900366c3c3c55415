import '../lib/domain/composition.ts'
import * as v from 'valibot'
import { findMentions } from '../lib/domain/projects/assets/mentions.ts'
import { beginOcr, failOcr, finishOcr } from '../lib/domain/projects/assets/ocr.ts'
import type { Asset } from '../lib/domain/projects/items.ts'
import type { Page, Scan } from '../lib/domain/scans/items.ts'
import { beginReading, failReading, finishReading } from '../lib/domain/scans/reading.ts'
import { getObject } from '../lib/engines/bucket/index.ts'
import { parseLanguages, readImageText, readPdfText, UnreadableFile } from '../lib/engines/ocr/index.ts'
import { worker } from '../lib/platform/worker.ts'

/** The most pixels of an image: unpacked, it must fit into the memory of the function, next to the OCR. */
const MOST_PIXELS = 40_000_000
/** The most bytes of a file. */
const MOST_BYTES = 25 * 1024 * 1024
/** The most seconds that reading a file may take. It is less than the time limit of the function, so that a failure can still be stored. */
const SECONDS = 240

/** The asset of a project or the scanned document, as `asset-files` sends it. */
const Wanted = v.union([v.object({ scan_id: v.string() }), v.object({ project_id: v.string(), id: v.string() })])

/**
 * Reads the text of an image or a PDF that waits for it. A faulty file fails alone, with the reason. A fault of the table or the bucket
 * is retried.
 */
export const handler = worker(async (event: unknown): Promise<void> => {
  const wanted = v.parse(Wanted, event)
  if ('scan_id' in wanted) {
    const scan = await beginReading(wanted.scan_id)
    if (scan) await readScan(scan)
    return
  }
  const asset = await beginOcr(wanted)
  if (asset) await read(asset)
})

async function readScan(scan: Scan): Promise<void> {
  if ((scan.width ?? 0) * (scan.height ?? 0) > MOST_PIXELS || scan.size > MOST_BYTES)
    return failReading(scan, TOO_LARGE)
  const file = scan.object_key === null ? undefined : await getObject(scan.object_key)
  if (!file) return failReading(scan, 'The file is not there any more.')
  try {
    const { ocr_language, language = '' } = scan.provenance
    const languages = parseLanguages(ocr_language || language)
    const isImage = scan.media_type === 'image'
    const { text, confidence, pages } = await (isImage
      ? readImageText(file.bytes, languages, SECONDS)
      : readPdfText(file.bytes, languages, SECONDS))
    const copies = pages.map((page) => ({
      ...page,
      lines: page.lines.map((line) =>
        line.map(({ box: [a, b, c, d], ...word }): Word => ({ ...word, box: [a, b, c, d] })),
      ),
    }))
    const isDigital = !isImage && pages.every(({ width }) => width === 0)
    await finishReading(scan, { text, confidence, pages: copies, isDigital })
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    await failReading(scan, error.message)
  }
}

type Word = Page['lines'][number][number]

async function read(asset: Asset): Promise<void> {
  if ((asset.width ?? 0) * (asset.height ?? 0) > MOST_PIXELS || asset.size > MOST_BYTES)
    return failOcr(asset, TOO_LARGE)
  const file = await getObject(asset.object_key)
  if (!file) return failOcr(asset, 'The file is not there any more.')
  try {
    const languages = parseLanguages(asset.ocr_language || asset.language)
    const { text, words } = await (asset.media_type === 'image'
      ? readImageText(file.bytes, languages, SECONDS)
      : readPdfText(file.bytes, languages, SECONDS))
    await finishOcr(asset, { ocr_text: text, entity_suggestions: await findMentions(text, words) })
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    await failOcr(asset, error.message)
  }
}

const TOO_LARGE = 'The file is too large to be read: 40 million pixels and 25 MB are taken.'
