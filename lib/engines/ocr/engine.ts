import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createWorker, type Worker } from 'tesseract.js'

/** What was read from an image: its text, line by line, and how sure the reader is of each word, from 0 to 1. */
export type TextReading = { text: string; confidence: number; words: readonly { text: string; confidence: number }[] }

const CANNOT = 'The image cannot be read.'

/** Nothing can be read from the file. `message` says why, in a sentence. */
export class UnreadableFile extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UnreadableFile'
  }
}

const languages = ['eng', 'nep'] as const
export type OcrLanguage = (typeof languages)[number]

/** The languages that a free text means, such as "ne", "nepali" or "eng+nep". Both if it means none. */
export function parseLanguages(text: string): readonly OcrLanguage[] {
  const named = text.toLowerCase().split(/[^a-z]+/)
  const found = languages.filter((one) => named.some((it) => it.length > 1 && one.startsWith(it.slice(0, 2))))
  return found.length > 0 ? found : languages
}

/**
 * Reads the text of an image. Fails with `UnreadableFile` if the image cannot be read, or takes longer than `seconds`.
 * Nothing of the reader is left running, however it ends.
 */
// prove: image-text
export async function readImageText(
  image: Uint8Array,
  wanted: readonly OcrLanguage[],
  seconds: number,
): Promise<TextReading> {
  const directory = await mkdtemp(join(tmpdir(), 'reading-'))
  const broken = Promise.withResolvers<never>()
  // Nobody may be waiting for it any more: without this a late rejection would end the process.
  broken.promise.catch(() => undefined)
  const patience = setTimeout(
    () => broken.reject(new UnreadableFile('Reading the image takes too long.')),
    seconds * 1000,
  )
  let worker: Worker
  try {
    await Promise.all(wanted.map((one) => symlink(dataOf(one), join(directory, `${one}.traineddata.gz`))))
    worker = await createWorker([...wanted], 1, {
      langPath: directory,
      cacheMethod: 'none',
      // Without this a failure inside the reader would end the whole process.
      errorHandler: () => broken.reject(new UnreadableFile(CANNOT)),
    })
  } catch (error) {
    // A reader that does not even start is no fault of the image.
    await rm(directory, { recursive: true, force: true })
    clearTimeout(patience)
    throw new Error('the reader does not start', { cause: error })
  }
  try {
    const { data } = await Promise.race([
      worker.recognize(Buffer.from(image), { rotateAuto: false }, { text: true, blocks: true }),
      broken.promise,
    ])
    const words = (data.blocks ?? []).flatMap((block) =>
      block.paragraphs.flatMap((it) => it.lines.flatMap((line) => line.words)),
    )
    return {
      text: data.text.trim(),
      confidence: data.confidence / 100,
      words: words.map((it) => ({ text: it.text, confidence: it.confidence / 100 })),
    }
  } catch (error) {
    throw error instanceof UnreadableFile ? error : new UnreadableFile(CANNOT)
  } finally {
    clearTimeout(patience)
    await worker.terminate()
    await rm(directory, { recursive: true, force: true })
  }
}

const packageOf = createRequire(import.meta.url)
/** The language's data comes with its package: nothing is fetched. */
const dataOf = (language: OcrLanguage) =>
  join(
    dirname(packageOf.resolve(`@tesseract.js-data/${language}/package.json`)),
    '4.0.0_best_int',
    `${language}.traineddata.gz`,
  )
