import { type OcrLanguage, readImageText, type TextPage, type TextReading, UnreadableFile } from './engine.ts'
import { type PageImage, readPdfPages } from './pdf-pages.ts'

/** Pages from which text is taken. */
const MOST_TEXT_PAGES = 100
/** Pages of a scan that are read as images. */
const MOST_SCANNED_PAGES = 5
/** Pixels of the longer side of a page that is read as an image. */
const SCAN_SIDE = 2400
/** Seconds after which PDFium is stopped. */
const PDFIUM_SECONDS = 30

/**
 * Reads the text of a PDF, page by page. A file without text is a scan: its first five pages are read as images. Fails
 * with `UnreadableFile` if the file cannot be opened, or if its images are not read within `seconds`.
 */
export async function readPdfText(
  bytes: Uint8Array,
  languages: readonly OcrLanguage[],
  seconds: number,
): Promise<TextReading> {
  const end = performance.now() + seconds * 1000
  const pages = await readPdfPages(bytes, { texts: MOST_TEXT_PAGES, images: 0, side: 0, gray: true }, PDFIUM_SECONDS)
  if (!pages) throw new UnreadableFile('The PDF cannot be opened.')
  const text = pages.texts.map(plainLines).filter(Boolean).join('\n\n')
  if (text !== '') return { text, confidence: 1, words: wordsIn(text), pages: pages.texts.map(pageOfText) }
  const scan = await readPdfPages(
    bytes,
    { texts: 0, images: MOST_SCANNED_PAGES, side: SCAN_SIDE, gray: true },
    PDFIUM_SECONDS,
  )
  const readings: TextReading[] = []
  for (const page of scan?.images ?? [])
    readings.push(await readImageText(grayMap(page), languages, (end - performance.now()) / 1000))
  return {
    text: readings
      .map((it) => it.text)
      .filter(Boolean)
      .join('\n\n'),
    confidence: Math.min(1, ...readings.map((it) => it.confidence)),
    words: readings.flatMap((it) => it.words),
    pages: readings.flatMap((it, i) =>
      it.pages.map((page) => ({ ...page, width: scan?.images[i]?.width ?? 0, height: scan?.images[i]?.height ?? 0 })),
    ),
  }
}

/** Keeps the lines of a page and drops control characters. */
const plainLines = (text: string) =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{C}\n\t]/gu, '')
    .trim()

/** A page of a PDF with text. The places of its words are not read, so their boxes are empty. */
const pageOfText = (text: string): TextPage => ({
  width: 0,
  height: 0,
  confidence: 1,
  lines: plainLines(text)
    .split('\n')
    .map((line) => wordsIn(line).map((word) => ({ ...word, box: [0, 0, 0, 0] as const })))
    .filter((line) => line.length > 0),
})

const wordsIn = (text: string) =>
  text
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => ({ text: word, confidence: 1 }))

/** A gray page as a portable graymap (PGM), a format that Tesseract reads. */
const grayMap = ({ width, height, pixels }: PageImage): Uint8Array =>
  Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), pixels])
