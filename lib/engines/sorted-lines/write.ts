import { startUpload } from '../bucket/index.ts'

/**
 * A part of an object: a block of lines, or a part of the directory. `begin` sorts after all earlier lines, and not after the first line of
 * the part. `before` is the number of earlier lines. The part has `size` bytes from `at` on.
 */
export type Part = readonly [begin: string, before: number, at: number, size: number]

/** Lines in an object of the bucket. `top` names the parts of the directory, which name the blocks of lines. */
export type SortedLines = { key: string; lines: number; bytes: number; top: readonly Part[] }

/** Characters of a block. */
const BLOCK = 32 << 10
/** Blocks that a part of the directory names. */
const BLOCKS = 128

/** Stores sorted lines in blocks. A directory follows each 128 blocks. Memory holds one block, one directory and the upload's part. */
export async function storeSorted(
  key: string,
  chunks: AsyncIterable<readonly string[]>,
  { block = BLOCK, blocks = BLOCKS } = {},
): Promise<SortedLines> {
  const upload = startUpload(key, 'text/plain; charset=utf-8')
  const top: Part[] = []
  let directory: Part[] = []
  let [lines, at, size] = [0, 0, 0]
  let waiting: string[] = []
  let last = ''

  const write = async (text: string) => {
    await upload.write(text)
    const written = Buffer.byteLength(text)
    at += written
    return written
  }
  const endDirectory = async () => {
    const [first] = directory
    if (!first) return
    const begins = at
    const written = await write(`${JSON.stringify(directory)}\n`)
    top.push([first[0], first[1], begins, written])
    directory = []
  }
  const endBlock = async () => {
    const [first = ''] = waiting
    if (waiting.length === 0) return
    const [begins, before] = [at, lines - waiting.length]
    const written = await write(`${waiting.join('\n')}\n`)
    directory.push([shortest(last, first), before, begins, written])
    last = waiting.at(-1) ?? ''
    waiting = []
    size = 0
    if (directory.length === blocks) await endDirectory()
  }
  for await (const chunk of chunks)
    for (const line of chunk) {
      waiting.push(line)
      lines += 1
      size += line.length + 1
      if (size >= block) await endBlock()
    }
  await endBlock()
  await endDirectory()
  const { bytes } = await upload.end()
  return { key, lines, bytes, top }
}

/** The shortest beginning of `line` that sorts after `before`. */
function shortest(before: string, line: string): string {
  let same = 0
  while (same < before.length && before[same] === line[same]) same += 1
  return line.slice(0, same + 1)
}
