import { CUT_SHORT, type Source, UnfitFile } from './source.ts'

/** A box of the file: where it begins, where its body does, and where both end. */
export type Box = { type: string; at: number; body: number; end: number }

type Range = { from: number; to: number }

/**
 * The parts of the media boxes that no track plays, by its tables of chunks and samples. Fails with `UnfitFile` if a
 * track plays what lies outside of them. Files in fragments have their tables elsewhere, and count as played
 * throughout.
 */
export function unplayedRanges(source: Source, boxes: readonly Box[], media: readonly Box[]): Range[] {
  if (boxes.some(({ type }) => type === 'moof')) return []
  const tables = boxes.filter(({ type }) => type === 'stbl')
  const chunks = tables.flatMap((table) =>
    chunksOf(source, (type) => boxes.find((box) => box.type === type && within(box, table))),
  )
  const inside = ({ from, to }: Range) => media.some(({ body, end }) => from >= body && to <= end)
  if (!chunks.every(inside)) throw new UnfitFile(CUT_SHORT)
  chunks.sort((a, b) => a.from - b.from)
  return media.flatMap(({ body, end }) => gaps(chunks, body, end))
}

const within = (inner: Box, around: Box) => inner.at >= around.body && inner.end <= around.end
const MOST_SAMPLES = 3_000_000

/** Where each chunk of a track lies, from its offset and the sizes of the samples in it. */
function chunksOf(source: Source, box: (type: string) => Box | undefined): Range[] {
  const [sizes, runs, short, long] = [box('stsz'), box('stsc'), box('stco'), box('co64')]
  const places = short ?? long
  if (!sizes || !runs || !places) throw new UnfitFile(CUT_SHORT)
  const same = number(source, sizes, 4)
  const samples = number(source, sizes, 8)
  const many = number(source, places, 4)
  const kinds = number(source, runs, 4)
  if (Math.max(samples, many, kinds) > MOST_SAMPLES) throw new UnfitFile('The file is built too intricately.')
  const made: Range[] = []
  let sample = 0
  let run = 0
  for (let chunk = 1; chunk <= many; chunk += 1) {
    while (run + 1 < kinds && number(source, runs, 8 + 12 * (run + 1)) <= chunk) run += 1
    const from = short ? number(source, short, 8 + 4 * (chunk - 1)) : Number(long8(source, places, 8 + 8 * (chunk - 1)))
    const count = number(source, runs, 8 + 12 * run + 4)
    let length = 0
    for (let i = 0; i < count && sample < samples; i += 1, sample += 1)
      length += same || number(source, sizes, 12 + 4 * sample)
    if (length > 0) made.push({ from, to: from + length })
  }
  if (sample !== samples) throw new UnfitFile(CUT_SHORT)
  return made
}

function number(source: Source, { body, end }: Box, at: number): number {
  if (body + at + 4 > end) throw new UnfitFile(CUT_SHORT)
  return source.read(body + at, 4).readUInt32BE()
}

function long8(source: Source, { body, end }: Box, at: number): bigint {
  if (body + at + 8 > end) throw new UnfitFile(CUT_SHORT)
  return source.read(body + at, 8).readBigUInt64BE()
}

function gaps(sorted: readonly Range[], from: number, to: number): Range[] {
  const made: Range[] = []
  let at = from
  for (const chunk of sorted) {
    if (chunk.from < from || chunk.to > to) continue
    if (chunk.from > at) made.push({ from: at, to: chunk.from })
    at = Math.max(at, chunk.to)
  }
  return at < to ? [...made, { from: at, to }] : made
}
