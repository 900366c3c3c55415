import { checkElsewhere } from './foreign.ts'
import { checkJpeg } from './jpeg.ts'
import { checkMp3 } from './mp3.ts'
import { parseFrame } from './mp3-frame.ts'
import { checkMp4 } from './mp4.ts'
import { checkPdf } from './pdf.ts'
import { checkPng } from './png.ts'
import { type CheckedFormat, limitReads, type Source, UnfitFile } from './source.ts'
import { type ContentType, contentTypes } from './types.ts'
import { checkWebp } from './webp.ts'

/** A file that was checked as one type to its last byte, with the pieces that readers get. */
export type CheckedContent = CheckedFormat & { content_type: ContentType }

/**
 * Detects the type of a file and checks the whole file as that type. Fails with `UnfitFile` if the type is not
 * accepted, or if the file is truncated, damaged, or also valid as another format. The message is written for the
 * sender.
 */
export async function checkContent(file: Source, accepted: readonly string[] = contentTypes): Promise<CheckedContent> {
  if (file.size === 0) throw new UnfitFile('The file is empty.')
  const source = limitReads(file)
  const content_type = sniffType(source)
  if (!content_type) throw new UnfitFile(`The file is none of ${accepted.join(', ')}.`)
  checkElsewhere(source, content_type)
  return { ...(await checks[content_type](source)), content_type }
}

const checks: Readonly<Record<ContentType, (source: Source) => CheckedFormat | Promise<CheckedFormat>>> = {
  'image/jpeg': checkJpeg,
  'image/png': checkPng,
  'image/webp': checkWebp,
  'application/pdf': checkPdf,
  'audio/mpeg': checkMp3,
  'video/mp4': checkMp4,
}

/** Finds the type by the first bytes. Does not check the rest of the file. */
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
