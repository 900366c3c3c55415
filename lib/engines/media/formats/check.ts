import { checkElsewhere } from './foreign.ts'
import { checkJpeg } from './jpeg.ts'
import { checkMp3 } from './mp3.ts'
import { parseFrame } from './mp3-frame.ts'
import { checkMp4 } from './mp4.ts'
import { checkPdf } from './pdf.ts'
import { checkPng } from './png.ts'
import { type CheckedFile, limitReads, type Source, UnfitFile } from './source.ts'
import { type ContentType, contentTypes } from './types.ts'
import { checkWebp } from './webp.ts'

/** A file that is wholly of one type, and what is to be served of it. */
export type CheckedContent = CheckedFile & { content_type: ContentType }

/**
 * Reads a file from its first byte to its last as the one type that it shows. Fails with `UnfitFile` if it is of no
 * type that is taken, is cut short or damaged, or is something else besides. The message is for whoever sent it.
 */
export async function checkContent(given: Source): Promise<CheckedContent> {
  if (given.size === 0) throw new UnfitFile('The file is empty.')
  const source = limitReads(given)
  const content_type = sniffType(source)
  if (!content_type) throw new UnfitFile(`The file is none of ${contentTypes.join(', ')}.`)
  checkElsewhere(source, content_type)
  return { ...(await checks[content_type](source)), content_type }
}

const checks: Readonly<Record<ContentType, (source: Source) => CheckedFile | Promise<CheckedFile>>> = {
  'image/jpeg': checkJpeg,
  'image/png': checkPng,
  'image/webp': checkWebp,
  'application/pdf': checkPdf,
  'audio/mpeg': checkMp3,
  'video/mp4': checkMp4,
}

/** The type that the first bytes show; the rest may be anything. */
export function sniffType(source: Source): ContentType | undefined {
  const head = source.read(0, Math.min(16, source.size))
  const text = head.toString('latin1')
  if (/^\xff\xd8\xff/.test(text)) return 'image/jpeg'
  if (/^\x89PNG\r\n\x1a\n/.test(text)) return 'image/png'
  if (/^RIFF[\s\S]{4}WEBP/.test(text)) return 'image/webp'
  if (/^%PDF-/.test(text)) return 'application/pdf'
  if (/^[\s\S]{4}ftyp/.test(text)) return 'video/mp4'
  if (/^ID3/.test(text) || (head.length >= 4 && parseFrame(head.readUInt32BE()))) return 'audio/mpeg'
  return undefined
}
