import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import * as v from 'valibot'

/**
 * A page as pixels, from the upper left. A gray page has one byte for each pixel, others have four: red, green, blue,
 * opacity.
 */
export type PageImage = { width: number; height: number; pixels: Uint8Array }

/**
 * The parts of a PDF to read: the text of its first `texts` pages, and its first `images` pages as images. The longer
 * side of an image has `side` pixels.
 */
type PagesToRead = { texts: number; images: number; side: number; gray: boolean }
export type PdfPages = { pages: number; texts: readonly string[]; images: readonly PageImage[] }

/**
 * Reads pages of a PDF in a thread of its own, which is ended after `seconds`. So a file that crashes the reader
 * (PDFium as WebAssembly) does not crash the process. Undefined if the file cannot be read in time.
 */
export async function readPdfPages(
  bytes: Uint8Array,
  request: PagesToRead,
  seconds: number,
): Promise<PdfPages | undefined> {
  const reader = createRequire(import.meta.url).resolve('@hyzyla/pdfium')
  const worker = new Worker(threadCode, { eval: true, workerData: { reader, bytes, ...request } })
  const ended = Promise.withResolvers<unknown>()
  const timer = setTimeout(() => ended.resolve(undefined), seconds * 1000)
  worker.once('message', ended.resolve)
  worker.once('error', () => ended.resolve(undefined))
  worker.once('exit', () => ended.resolve(undefined))
  try {
    const result = v.safeParse(ThreadResult, await ended.promise)
    return result.success ? result.output : undefined
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}

const ThreadResult = v.object({
  pages: v.number(),
  texts: v.array(v.string()),
  images: v.array(v.object({ width: v.number(), height: v.number(), pixels: v.instance(Uint8Array) })),
})

/**
 * The code of the thread. It is a text, because the bundle of a function is a single file. Each page is loaded again
 * for its image, because drawing a page closes it.
 */
const threadCode = `
const { parentPort, workerData: { reader, bytes, texts, images, side, gray } } = require('node:worker_threads')
const first = (many, pages) => Array.from({ length: Math.min(many, pages) }, (_, i) => i)
async function read() {
  const library = await require(reader).PDFiumLibrary.init()
  const document = await library.loadDocument(bytes)
  const pages = document.getPageCount()
  const result = { pages, texts: first(texts, pages).map((i) => document.getPage(i).getText()), images: [] }
  for (const i of first(images, pages)) {
    const page = document.getPage(i)
    const { originalWidth, originalHeight } = page.getOriginalSize()
    const scale = side / Math.max(originalWidth, originalHeight)
    const [width, height] = [originalWidth, originalHeight].map((it) => Math.max(1, Math.round(it * scale)))
    const { data } = await page.render({ width, height, render: 'bitmap', colorSpace: gray ? 'Gray' : 'BGRA' })
    result.images.push({ width, height, pixels: data })
  }
  parentPort.postMessage(result)
}
read().catch((error) => { throw error })
`
