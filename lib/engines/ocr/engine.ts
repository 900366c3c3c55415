import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createWorker, type Worker } from 'tesseract.js'

/** A box in pixels, from the upper left: left, top, right, bottom. */
export type Box = readonly [number, number, number, number]
/** A word without blanks, with the box in which it stands. */
export type BoxedWord = { text: string; confidence: number; box: Box }
/** One page: its lines from top to bottom. `width` and `height` are 0 if the OCR does not give them. */
export type TextPage = { width: number; height: number; confidence: number; lines: readonly (readonly BoxedWord[])[] }

/** The text of an image, line by line. `confidence` is from 0 to 1, for the whole text and for each word. */
export type TextReading = {
  text: string
  confidence: number
  words: readonly { text: string; confidence: number }[]
  pages: readonly TextPage[]
}

const UNREADABLE = 'The image cannot be read.'

/** The file cannot be read. `message` is a sentence for the person who sent it. */
export class UnreadableFile extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UnreadableFile'
  }
}

const languages = ['eng', 'nep'] as const
export type OcrLanguage = (typeof languages)[number]

/** Finds the languages in a free text such as "ne", "nepali" or "eng+nep". All languages if it names none. */
export function parseLanguages(text: string): readonly OcrLanguage[] {
  const words = text.toLowerCase().split(/[^a-z]+/)
  const named = languages.filter((code) => words.some((word) => word.length > 1 && code.startsWith(word.slice(0, 2))))
  return named.length > 0 ? named : languages
}

/**
 * Reads the text of an image. Fails with `UnreadableFile` if the image cannot be read, or if reading takes longer than
 * `seconds`. The worker and its folder are removed in any case.
 */
// prove: image-text
export async function readImageText(
  image: Uint8Array,
  languagesToRead: readonly OcrLanguage[],
  seconds: number,
): Promise<TextReading> {
  const directory = await mkdtemp(join(tmpdir(), 'reading-'))
  const broken = Promise.withResolvers<never>()
  // A rejection that comes after the result has no handler. Without this line it would end the process.
  broken.promise.catch(() => undefined)
  const timer = setTimeout(() => broken.reject(new UnreadableFile('Reading the image takes too long.')), seconds * 1000)
  let worker: Worker
  try {
    await Promise.all(languagesToRead.map((code) => symlink(dataPath(code), join(directory, `${code}.traineddata.gz`))))
    worker = await createWorker([...languagesToRead], 1, {
      langPath: directory,
      cacheMethod: 'none',
      // Without a handler an error in the worker would end this process.
      errorHandler: () => broken.reject(new UnreadableFile(UNREADABLE)),
    })
  } catch (error) {
    // The image is not to blame if the worker does not start.
    await rm(directory, { recursive: true, force: true })
    clearTimeout(timer)
    throw new Error('the reader does not start', { cause: error })
  }
  try {
    const { data } = await Promise.race([
      worker.recognize(Buffer.from(image), { rotateAuto: false }, { text: true, blocks: true }),
      broken.promise,
    ])
    const lines = (data.blocks ?? [])
      .flatMap((block) => block.paragraphs.flatMap((paragraph) => paragraph.lines))
      .map((line) =>
        line.words.map(({ text, confidence, bbox }): BoxedWord => {
          const box: Box = [bbox.x0, bbox.y0, bbox.x1, bbox.y1]
          return { text, confidence: confidence / 100, box }
        }),
      )
    const confidence = data.confidence / 100
    return {
      text: data.text.trim(),
      confidence,
      words: lines.flat().map(({ text, confidence: sure }) => ({ text, confidence: sure })),
      pages: [{ width: 0, height: 0, confidence, lines }],
    }
  } catch (error) {
    throw error instanceof UnreadableFile ? error : new UnreadableFile(UNREADABLE)
  } finally {
    clearTimeout(timer)
    await worker.terminate()
    await rm(directory, { recursive: true, force: true })
  }
}

const requireHere = createRequire(import.meta.url)
/** The path of a language's data, which is part of its package. So nothing is downloaded. */
const dataPath = (language: OcrLanguage) =>
  join(
    dirname(requireHere.resolve(`@tesseract.js-data/${language}/package.json`)),
    '4.0.0_best_int',
    `${language}.traineddata.gz`,
  )
