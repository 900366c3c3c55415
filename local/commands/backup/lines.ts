import { createHash, type Hash } from 'node:crypto'
import { createReadStream, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'

/** A file as the manifest describes it. A restore compares it with the file. */
export type Described = { file: string; bytes: number; lines: number; sha256: string }

/** Only the operator may read a backup: it holds email addresses and password hashes. */
export const PRIVATE = 0o600

/** Writes lines to a new file. Returns its description. */
export async function writeLines(
  folder: string,
  file: string,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<Described> {
  const target = await open(join(folder, file), 'wx', PRIVATE)
  const sum = { file, bytes: 0, lines: 0, hash: createHash('sha256') }
  try {
    let waiting: string[] = []
    let size = 0
    const flush = async () => {
      await append(target, Buffer.from(waiting.join('')), sum)
      waiting = []
      size = 0
    }
    for await (const line of lines) {
      waiting.push(`${line}\n`)
      size += line.length
      sum.lines += 1
      if (size > CHUNK) await flush()
    }
    await flush()
    await target.sync()
  } finally {
    await target.close()
  }
  return { file, bytes: sum.bytes, lines: sum.lines, sha256: sum.hash.digest('hex') }
}

async function append(target: FileHandle, bytes: Buffer, sum: { bytes: number; hash: Hash }): Promise<void> {
  sum.hash.update(bytes)
  sum.bytes += bytes.length
  await target.writeFile(bytes)
}

const CHUNK = 1 << 20

/** The lines of a file. Only a line feed ends a line, since texts hold other separators such as U+2028. */
export async function* readBackupLines(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: CHUNK })) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest) yield rest
}

/** The description of an existing file. */
export async function describeFile(folder: string, file: string): Promise<Described> {
  const hash = createHash('sha256')
  let bytes = 0
  let lines = 0
  for await (const chunk of createReadStream(join(folder, file), { highWaterMark: CHUNK })) {
    hash.update(chunk)
    bytes += chunk.length
    for (const byte of chunk) if (byte === LINE_FEED) lines += 1
  }
  return { file, bytes, lines, sha256: hash.digest('hex') }
}

const LINE_FEED = 10

/**
 * Sorts any number of lines. Each `most` characters are sorted and written to a file in `folder`, then the files are merged. So a table
 * gives one text, whatever the order in which it was read.
 */
export function sorter(folder: string, most = 64 << 20) {
  const runs: string[] = []
  let lines: string[] = []
  let size = 0
  const layDown = () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const run = join(folder, `${runs.length}.jsonl`)
    writeFileSync(run, `${lines.sort(byText).join('\n')}\n`, { mode: PRIVATE })
    runs.push(run)
    lines = []
    size = 0
  }
  return {
    add: (line: string) => {
      lines.push(line)
      size += line.length
      if (size > most) layDown()
    },
    sorted: async function* (): AsyncGenerator<string> {
      if (runs.length === 0) return yield* lines.sort(byText)
      if (lines.length > 0) layDown()
      yield* mergeLines(runs.map(readBackupLines))
      rmSync(folder, { recursive: true })
    },
  }
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

async function* mergeLines(sources: AsyncGenerator<string>[]): AsyncGenerator<string> {
  const heads: { line: string; source: AsyncGenerator<string> }[] = []
  for (const source of sources) {
    const { value, done } = await source.next()
    if (!done) heads.push({ line: value, source })
  }
  while (heads.length > 0) {
    const least = heads.reduce((a, b) => (b.line < a.line ? b : a))
    yield least.line
    const { value, done } = await least.source.next()
    if (done) heads.splice(heads.indexOf(least), 1)
    else least.line = value
  }
}
