import { phrase } from '../../../base/language/languages.ts'
import { parseFrame } from './mp3-frame.ts'
import { type Source, UnfitFile } from './source.ts'

/**
 * Fails with `UnfitFile` if a part of a file looks like another container. It is for parts in which the format allows
 * any bytes: comments, metadata, padding. A file that is valid as two formats hides the second one there.
 */
export function checkForeign(slack: Buffer, may: { hold?: 'JPEG' | 'pictures' } = {}): void {
  const allowed = may.hold === undefined ? [] : may.hold === 'JPEG' ? ['JPEG'] : ['JPEG', 'PNG', 'WebP', 'GIF']
  for (const { name, holds } of signs) {
    if (!allowed.includes(name) && holds(slack)) throw new UnfitFile(`There is ${name} hidden in the file.`)
  }
}

type Sign = { name: string; holds: (slack: Buffer) => boolean }

/** Whether the bytes contain one of the patterns at a position that `fits` accepts. */
function contains(
  slack: Buffer,
  patterns: readonly (string | Buffer)[],
  fits: (position: number) => boolean = () => true,
) {
  return patterns.some((pattern) => {
    const bytes = typeof pattern === 'string' ? Buffer.from(pattern, 'latin1') : pattern
    for (let at = slack.indexOf(bytes); at >= 0; at = slack.indexOf(bytes, at + 1)) if (fits(at)) return true
    return false
  })
}

const isSynchsafe = (bytes: Buffer) => bytes.length === 4 && bytes.every((byte) => byte < 0x80)
const textAt = (slack: Buffer, from: number, to: number) => slack.subarray(from, to).toString('latin1')

const signs: readonly Sign[] = [
  { name: 'PDF', holds: (slack) => contains(slack, ['%PDF-']) },
  { name: 'PNG', holds: (slack) => contains(slack, ['\x89PNG\r\n\x1a\n']) },
  { name: 'GIF', holds: (slack) => contains(slack, ['GIF87a', 'GIF89a']) },
  {
    name: 'WebP',
    holds: (slack) => contains(slack, ['WEBP'], (at) => at >= 8 && textAt(slack, at - 8, at - 4) === 'RIFF'),
  },
  {
    name: 'JPEG',
    holds: (slack) =>
      contains(
        slack,
        ['\xff\xd8\xff'],
        (at) => [0xdb, 0xee, 0xfe, 0xc0, 0xc2].includes(slack[at + 3] ?? 0) || ((slack[at + 3] ?? 0) & 0xf0) === 0xe0,
      ),
  },
  {
    name: 'MP4',
    holds: (slack) =>
      contains(
        slack,
        ['ftyp'],
        (at) => at >= 4 && slack.readUInt32BE(at - 4) >= 16 && slack.readUInt32BE(at - 4) <= 512,
      ),
  },
  {
    name: 'MP3',
    holds: (slack) =>
      contains(slack, ['ID3\x02', 'ID3\x03', 'ID3\x04'], (at) => isSynchsafe(slack.subarray(at + 6, at + 10))) ||
      contains(slack, [Buffer.from([0xff])], (at) => startsFrames(slack, at)),
  },
  {
    name: phrase('an archive'),
    holds: (slack) => contains(slack, ['PK\x03\x04', 'PK\x05\x06', 'Rar!\x1a\x07', '7z\xbc\xaf\x27\x1c']),
  },
  { name: phrase('a program'), holds: (slack) => contains(slack, ['\x7fELF', '#!/bin/']) },
  {
    name: phrase('markup'),
    holds: (slack) => /<(?:html|script|svg|!doctype|\?php|iframe)\b/i.test(slack.toString('latin1')),
  },
]

/** Whether three sound frames follow each other from `at` on. Players treat three in a row as an MP3. */
function startsFrames(slack: Buffer, at: number): boolean {
  for (let frames = 0; frames < 3; frames += 1) {
    const frame = at + 4 <= slack.length ? parseFrame(slack.readUInt32BE(at)) : undefined
    if (!frame) return false
    at += frame.length
  }
  return true
}

/**
 * Fails with `UnfitFile` on containers that programs find without reading from the start. Programs find a PDF near the beginning, an
 * archive by its end, and images of disks and tapes by a mark at a fixed position.
 */
export function checkElsewhere(source: Source, type: string): void {
  const head = source.read(0, Math.min(1024 + 4, source.size))
  if (type !== 'application/pdf' && head.includes('%PDF-')) throw new UnfitFile('There is PDF hidden in the file.')
  for (const { at, mark, name } of marks) {
    if (source.size >= at + mark.length && source.read(at, mark.length).toString('latin1') === mark)
      throw new UnfitFile(`There is ${name} hidden in the file.`)
  }
  const tail = Math.min(source.size, LONGEST_COMMENT + 22)
  const end = source.read(source.size - tail, tail)
  for (let at = end.indexOf(END_OF_ARCHIVE); at >= 0; at = end.indexOf(END_OF_ARCHIVE, at + 1)) {
    // The comment of the archive reaches to the end of the file. Some programs also accept a shorter one.
    const left = end.length - at - 22
    if (left >= 0 && end.readUInt16LE(at + 20) <= left && end.readUInt16LE(at + 8) === end.readUInt16LE(at + 10))
      throw new UnfitFile('There is an archive hidden in the file.')
  }
}

const END_OF_ARCHIVE = Buffer.from('PK\x05\x06', 'latin1')
const LONGEST_COMMENT = 65_535
const marks = [
  { at: 257, mark: 'ustar', name: phrase('an archive') },
  { at: 32_769, mark: 'CD001', name: 'a disk image' },
]
