import { createWriteStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Sorts more lines than fit into memory: sorted runs in files, which are merged. Lines are compared by their UTF-16 units. */
export type LineSorter = {
  /** Takes lines. No line may have a line end inside. */
  add: (lines: readonly string[]) => Promise<void>
  /** All lines that were added, in order and without repeated ones, some at a time. It can be read once. */
  sorted: () => AsyncGenerator<readonly string[]>
}

/** Characters that wait in memory until they become a run. */
const RUN = 4 << 20
/** Runs of one level that become one run of the next level, so that few files are open. */
const WIDTH = 24

/** Starts to sort, with files in a folder. The name keeps the files of several sorters apart. */
export function startSort(folder: string, name: string, run = RUN, width = WIDTH): LineSorter {
  /** Files of runs by how often their lines were merged. */
  const levels: string[][] = []
  let waiting: string[] = []
  let size = 0
  let files = 0

  const store = async (level: number, chunks: AsyncIterable<readonly string[]> | Iterable<readonly string[]>) => {
    const path = join(folder, `${name}-${files++}`)
    await writeRun(path, chunks)
    const own = [...(levels[level] ?? []), path]
    levels[level] = own
    if (own.length < width) return
    levels[level] = []
    await store(level + 1, mergeRuns(own))
  }
  const flush = async () => {
    const lines = waiting.sort()
    waiting = []
    size = 0
    await store(0, slices(lines))
  }
  return {
    add: async (lines) => {
      for (const line of lines) {
        waiting.push(line)
        size += line.length
      }
      if (size >= run) await flush()
    },
    sorted: async function* () {
      if (levels.length > 0 && waiting.length > 0) await flush()
      const left = levels.flat()
      yield* left.length === 0 ? withoutRepeats(slices(waiting.sort())) : mergeRuns(left)
    },
  }
}

const LINES_AT_ONCE = 4096
function* slices(lines: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) yield lines.slice(at, at + LINES_AT_ONCE)
}

async function writeRun(
  path: string,
  chunks: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
): Promise<void> {
  const out = createWriteStream(path, { highWaterMark: 1 << 20 })
  const failed = new Promise<never>((_, fail) => out.once('error', fail))
  failed.catch(() => undefined)
  for await (const chunk of chunks) {
    if (chunk.length === 0 || out.write(`${chunk.join('\n')}\n`)) continue
    await Promise.race([failed, new Promise<void>((done) => out.once('drain', () => done()))])
  }
  await Promise.race([failed, new Promise<void>((done) => out.end(() => done()))])
}

async function* withoutRepeats(chunks: Iterable<readonly string[]>): AsyncGenerator<readonly string[]> {
  let last: string | undefined
  for (const chunk of chunks)
    yield chunk.filter((line) => {
      const isNew = line !== last
      last = line
      return isNew
    })
}

/** A run that is being read: the lines in memory, and where the merge is in them. */
type Head = { lines: string[]; at: number; more: AsyncGenerator<string[]> }

/** Merges runs into one without repeated lines, and removes their files. */
async function* mergeRuns(paths: readonly string[]): AsyncGenerator<readonly string[]> {
  const heap: Head[] = []
  for (const path of paths) {
    const more = readRun(path)
    const first = await more.next()
    if (!first.done) pushHead(heap, { lines: first.value, at: 0, more })
  }
  let out: string[] = []
  let last: string | undefined
  for (let head = heap[0]; head; head = heap[0]) {
    const line = head.lines[head.at] ?? ''
    if (line !== last) out.push(line)
    last = line
    head.at += 1
    if (head.at === head.lines.length) {
      const next = await head.more.next()
      head.lines = next.value ?? []
      head.at = 0
    }
    if (head.lines.length === 0) removeFirst(heap)
    else sinkFirst(heap)
    if (out.length >= LINES_AT_ONCE) {
      yield out
      out = []
    }
  }
  yield out
  await Promise.all(paths.map((path) => rm(path, { force: true })))
}

const lineOf = (heap: readonly Head[], at: number) => heap[at]?.lines[heap[at]?.at ?? 0] ?? ''

function pushHead(heap: Head[], head: Head): void {
  heap.push(head)
  for (let at = heap.length - 1; at > 0; ) {
    const above = (at - 1) >> 1
    if (lineOf(heap, above) <= lineOf(heap, at)) return
    swap(heap, at, above)
    at = above
  }
}

function removeFirst(heap: Head[]): void {
  const last = heap.pop()
  if (!last || heap.length === 0) return
  heap[0] = last
  sinkFirst(heap)
}

/** Moves the first head down to its place in the heap. */
function sinkFirst(heap: Head[]): void {
  for (let at = 0; ; ) {
    const [left, right] = [2 * at + 1, 2 * at + 2]
    let least = at
    if (left < heap.length && lineOf(heap, left) < lineOf(heap, least)) least = left
    if (right < heap.length && lineOf(heap, right) < lineOf(heap, least)) least = right
    if (least === at) return
    swap(heap, at, least)
    at = least
  }
}

function swap(heap: Head[], one: number, other: number): void {
  const [a, b] = [heap[one], heap[other]]
  if (a && b) [heap[one], heap[other]] = [b, a]
}

const READ = 128 << 10

/** The lines of a run, some at a time, never an empty list. */
async function* readRun(path: string): AsyncGenerator<string[]> {
  const file = await open(path)
  try {
    let rest: Buffer = Buffer.alloc(0)
    for (;;) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(READ), 0, READ)
      if (bytesRead === 0) break
      const bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)])
      const end = bytes.lastIndexOf(10)
      rest = bytes.subarray(end + 1)
      if (end >= 0) yield bytes.toString('utf8', 0, end).split('\n')
    }
  } finally {
    await file.close()
  }
}
