import { CUT_SHORT, type Source, UnfitFile } from './source.ts'

/** A box of the file: the positions of its start, its body, and its end. */
export type Mp4Box = { type: string; at: number; body: number; end: number }

type Range = { from: number; to: number }

/**
 * Returns the parts of the media boxes that no track plays, by the tables of chunks and samples. Fails with `UnfitFile`
 * if a track plays bytes outside of them. A fragmented file has its tables elsewhere, so all of it counts as played.
 */
export function unplayedRanges(source: Source, boxes: readonly Mp4Box[], media: readonly Mp4Box[]): Range[] {
  if (boxes.some(({ type }) => type === 'moof')) return []
  const tables = boxes.filter(({ type }) => type === 'stbl')
  const chunks = tables.flatMap((table) =>
    chunksOf(source, (type) => boxes.find((box) => box.type === type && isInside(box, table))),
  )
  const inside = ({ from, to }: Range) => media.some(({ body, end }) => from >= body && to <= end)
  if (!chunks.every(inside)) throw new UnfitFile(CUT_SHORT)
  chunks.sort((a, b) => a.from - b.from)
  return media.flatMap(({ body, end }) => gapsBetween(chunks, body, end))
}

const isInside = (inner: Mp4Box, around: Mp4Box) => inner.at >= around.body && inner.end <= around.end
const MOST_SAMPLES = 3_000_000

/** Returns the ranges of a track's chunks, from their offsets and the sizes of their samples. */
function chunksOf(source: Source, box: (type: string) => Mp4Box | undefined): Range[] {
  const [sizes, runs, short, long] = [box('stsz'), box('stsc'), box('stco'), box('co64')]
  const offsets = short ?? long
  if (!sizes || !runs || !offsets) throw new UnfitFile(CUT_SHORT)
  const commonSize = readU32(source, sizes, 4)
  const samples = readU32(source, sizes, 8)
  const chunks = readU32(source, offsets, 4)
  const runCount = readU32(source, runs, 4)
  if (Math.max(samples, chunks, runCount) > MOST_SAMPLES) throw new UnfitFile('The file is built too intricately.')
  const ranges: Range[] = []
  let sample = 0
  let run = 0
  for (let chunk = 1; chunk <= chunks; chunk += 1) {
    while (run + 1 < runCount && readU32(source, runs, 8 + 12 * (run + 1)) <= chunk) run += 1
    const from = short
      ? readU32(source, short, 8 + 4 * (chunk - 1))
      : Number(readU64(source, offsets, 8 + 8 * (chunk - 1)))
    const count = readU32(source, runs, 8 + 12 * run + 4)
    let length = 0
    for (let i = 0; i < count && sample < samples; i += 1, sample += 1)
      length += commonSize || readU32(source, sizes, 12 + 4 * sample)
    if (length > 0) ranges.push({ from, to: from + length })
  }
  if (sample !== samples) throw new UnfitFile(CUT_SHORT)
  return ranges
}

function readU32(source: Source, { body, end }: Mp4Box, offset: number): number {
  if (body + offset + 4 > end) throw new UnfitFile(CUT_SHORT)
  return source.read(body + offset, 4).readUInt32BE()
}

function readU64(source: Source, { body, end }: Mp4Box, offset: number): bigint {
  if (body + offset + 8 > end) throw new UnfitFile(CUT_SHORT)
  return source.read(body + offset, 8).readBigUInt64BE()
}

/** The parts from `from` to `to` that no range covers. Only ranges wholly inside count. */
function gapsBetween(sorted: readonly Range[], from: number, to: number): Range[] {
  const gaps: Range[] = []
  let at = from
  for (const chunk of sorted) {
    if (chunk.from < from || chunk.to > to) continue
    if (chunk.from > at) gaps.push({ from: at, to: chunk.from })
    at = Math.max(at, chunk.to)
  }
  return at < to ? [...gaps, { from: at, to }] : gaps
}
