import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** A file system in memory on Linux. On a disk each write of the emulator would wait. */
const MEMORY = '/dev/shm'

/** The folder for the files of a test run: in memory if the machine has such a file system. */
export const quickFolder = existsSync(MEMORY) ? MEMORY : tmpdir()
