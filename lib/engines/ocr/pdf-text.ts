import { type OcrLanguage, readImageText, type TextReading, UnreadableFile } from './engine.ts'
import { type PageImage, readPdfPages } from './pdf-pages.ts'

/**
 * The most pages that are looked at for text. Of a scan: the most pages that are read as images, and the pixels of
 * their longer side.
 */
const MOST_PAGES = 100
const MOST_SCANNED = 5
const SIDE = 2400
/** Seconds for one look into the file. */
const LOOKING = 30

/**
 * The text of a PDF, page by page. A file without text is a scan: its first five pages are read as images. Fails with
 * `UnreadableFile` if it cannot be opened, or reading takes longer than `seconds`.
 */
export async function readPdfText(
  bytes: Uint8Array,
  languages: readonly OcrLanguage[],
  seconds: number,
): Promise<TextReading> {
  const end = performance.now() + seconds * 1000
  const held = await readPdfPages(bytes, { texts: MOST_PAGES, images: 0, side: 0, gray: true }, LOOKING)
  if (!held) throw new UnreadableFile('The PDF cannot be opened.')
  const text = held.texts.map(plain).filter(Boolean).join('\n\n')
  if (text !== '') return { text, confidence: 1, words: wordsIn(text) }
  const scan = await readPdfPages(bytes, { texts: 0, images: MOST_SCANNED, side: SIDE, gray: true }, LOOKING)
  const read: TextReading[] = []
  for (const page of scan?.images ?? [])
    read.push(await readImageText(portable(page), languages, (end - performance.now()) / 1000))
  return {
    text: read
      .map((it) => it.text)
      .filter(Boolean)
      .join('\n\n'),
    confidence: Math.min(1, ...read.map((it) => it.confidence)),
    words: read.flatMap((it) => it.words),
  }
}

/** Lines as they stand on the page, without control characters. */
const plain = (text: string) =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{C}\n\t]/gu, '')
    .trim()

const wordsIn = (text: string) =>
  text
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => ({ text: word, confidence: 1 }))

/** A gray image as the reader takes it: portable graymap. */
const portable = ({ width, height, pixels }: PageImage): Uint8Array =>
  Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), pixels])
