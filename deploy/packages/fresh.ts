import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A lock older than this, in milliseconds, belongs to a process that died: the next one takes it. */
const LONGEST_MS = 300_000

type Made = {
  root: string
  /** The sources, as paths below `root`. The lock file stands for `node_modules`, which is not read. */
  sources: readonly string[]
  /** A file below `root` whose time says when the thing was made. */
  mark: string
}

/**
 * Makes something unless it was made after the last change of its sources. One process makes it; others that ask at the same time wait,
 * and find it made.
 */
export async function unlessFresh({ root, sources, mark }: Made, make: () => Promise<void>): Promise<void> {
  const file = join(root, mark)
  await mkdir(dirname(file), { recursive: true })
  await alone(`${file}.lock`, async () => {
    const changed = await lastChange(sources.map((each) => join(root, each)))
    if ((await writtenAt(file)) > changed) return
    const begun = new Date()
    await rm(file, { force: true })
    await make()
    await writeFile(file, '', { flag: 'a' })
    // The mark gets the time at which the work began, so a source that changes meanwhile is newer.
    await utimes(file, begun, begun)
  })
}

/** When something below these paths was last added, removed or changed, in milliseconds. Reads ctime, since an unpacked file keeps an old mtime. */
export async function lastChange(paths: readonly string[]): Promise<number> {
  const times = await Promise.all(
    paths.map(async (path) => {
      const it = await stat(path)
      if (!it.isDirectory()) return it.ctimeMs
      // Markdown files are in no bundle.
      const inside = (await readdir(path)).filter((name) => name !== 'node_modules' && !name.endsWith('.md'))
      return Math.max(it.ctimeMs, await lastChange(inside.map((name) => join(path, name))))
    }),
  )
  return Math.max(0, ...times)
}

/** When a file was written, in milliseconds; 0 if it does not exist. */
export const writtenAt = async (path: string): Promise<number> =>
  (await stat(path).catch(() => undefined))?.mtimeMs ?? 0

/** Runs `work` under a lock. The lock is a folder, since only one process can make a folder. */
async function alone(lock: string, work: () => Promise<void>): Promise<void> {
  while (!(await takeLock(lock))) await sleep(100)
  try {
    await work()
  } finally {
    await rm(lock, { recursive: true, force: true })
  }
}

/** Takes a lock. Returns false if another process has it. */
export async function takeLock(lock: string): Promise<boolean> {
  try {
    await mkdir(lock)
    return true
  } catch (error) {
    if (Object(error).code !== 'EEXIST') throw error
    const made = await writtenAt(lock)
    if (made > 0 && Date.now() - made > LONGEST_MS) await rm(lock, { recursive: true, force: true })
    return false
  }
}
