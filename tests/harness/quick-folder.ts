import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system in memory on Linux. On a disk each write of the emulator would wait. */
const MEMORY = '/dev/shm'
const parent = existsSync(MEMORY) ? MEMORY : tmpdir()

/**
 * A new folder for the files of this process, in memory if the machine has such a file system. It is called
 * `heritage-<name>-<process>-<random>`. Folders of processes that were killed are deleted first: their tables would fill the memory.
 */
export async function makeQuickFolder(name: string): Promise<string> {
  const folders = await readdir(parent)
  const left = folders.filter((folder) => {
    const owner = /^heritage-[a-z]+-(\d+)-/.exec(folder)?.[1]
    return owner && !isAlive(Number(owner))
  })
  await Promise.all(left.map((folder) => rm(join(parent, folder), { recursive: true, force: true })))
  return mkdtemp(join(parent, `heritage-${name}-${process.pid}-`))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: the process is there and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
