import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import * as v from 'valibot'

/** A page as pixels, from the upper left: one byte each where it is gray, else red, green, blue and opacity. */
export type PageImage = { width: number; height: number; pixels: Uint8Array }

/**
 * What is wanted of a PDF: the text of its first `texts` pages, and images of its first `images` pages, `side` pixels
 * on the longer side.
 */
type Wanted = { texts: number; images: number; side: number; gray: boolean }
export type PdfPages = { pages: number; texts: readonly string[]; images: readonly PageImage[] }

/**
 * Reads pages of a PDF in a thread of its own, which is ended after `seconds`. So a file that breaks the reader (PDFium
 * as WebAssembly) breaks no process. Undefined if the file cannot be read, or not in time.
 */
export async function readPdfPages(bytes: Uint8Array, wanted: Wanted, seconds: number): Promise<PdfPages | undefined> {
  const reader = createRequire(import.meta.url).resolve('@hyzyla/pdfium')
  const worker = new Worker(work, { eval: true, workerData: { reader, bytes, ...wanted } })
  const ended = Promise.withResolvers<unknown>()
  const patience = setTimeout(() => ended.resolve(undefined), seconds * 1000)
  worker.once('message', ended.resolve)
  worker.once('error', () => ended.resolve(undefined))
  worker.once('exit', () => ended.resolve(undefined))
  try {
    const told = v.safeParse(ThreadAnswer, await ended.promise)
    return told.success ? told.output : undefined
  } finally {
    clearTimeout(patience)
    await worker.terminate()
  }
}

const ThreadAnswer = v.object({
  pages: v.number(),
  texts: v.array(v.string()),
  images: v.array(v.object({ width: v.number(), height: v.number(), pixels: v.instance(Uint8Array) })),
})

/**
 * What the thread runs, as a text: bundles of functions have no file for it. Each page is loaded anew for its image,
 * since drawing closes it.
 */
const work = `
const { parentPort, workerData: { reader, bytes, texts, images, side, gray } } = require('node:worker_threads')
const first = (many, pages) => Array.from({ length: Math.min(many, pages) }, (_, i) => i)
async function read() {
  const library = await require(reader).PDFiumLibrary.init()
  const document = await library.loadDocument(bytes)
  const pages = document.getPageCount()
  const told = { pages, texts: first(texts, pages).map((i) => document.getPage(i).getText()), images: [] }
  for (const i of first(images, pages)) {
    const page = document.getPage(i)
    const { originalWidth, originalHeight } = page.getOriginalSize()
    const scale = side / Math.max(originalWidth, originalHeight)
    const [width, height] = [originalWidth, originalHeight].map((it) => Math.max(1, Math.round(it * scale)))
    const { data } = await page.render({ width, height, render: 'bitmap', colorSpace: gray ? 'Gray' : 'BGRA' })
    told.images.push({ width, height, pixels: data })
  }
  parentPort.postMessage(told)
}
read().catch((error) => { throw error })
`
