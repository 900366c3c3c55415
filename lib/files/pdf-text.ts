import { type Language, type Reading, readText, Unreadable } from './ocr-engine.ts'
import { type PageImage, pdfPages } from './pdf-pages.ts'

/** So many pages are looked at for text that the file holds; of a scan so many are read as images, as large as this. */
const MOST_PAGES = 100
const MOST_SCANNED = 5
const SIDE = 2400
/** What looking for the text of a file may take, in seconds. */
const LOOKING = 30

/**
 * The text of a PDF: what it holds as text, page by page; where it holds none, it is a scan, and its first five pages are
 * read as images are. Fails with `Unreadable` where it cannot be opened, or reading takes longer than `seconds`.
 */
export async function readPdf(bytes: Uint8Array, languages: readonly Language[], seconds: number): Promise<Reading> {
  const end = performance.now() + seconds * 1000
  const held = await pdfPages(bytes, { texts: MOST_PAGES, images: 0, side: 0, gray: true }, LOOKING)
  if (!held) throw new Unreadable('The PDF cannot be opened.')
  const text = held.texts.map(plain).filter(Boolean).join('\n\n')
  if (text !== '') return { text, confidence: 1, words: wordsIn(text) }
  const scan = await pdfPages(bytes, { texts: 0, images: MOST_SCANNED, side: SIDE, gray: true }, LOOKING)
  const read: Reading[] = []
  for (const page of scan?.images ?? [])
    read.push(await readText(portable(page), languages, (end - performance.now()) / 1000))
  return {
    text: read
      .map((it) => it.text)
      .filter(Boolean)
      .join('\n\n'),
    confidence: Math.min(1, ...read.map((it) => it.confidence)),
    words: read.flatMap((it) => it.words),
  }
}

/** Lines as they stand on the page; what is no text is left out. */
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
