import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** A file system in memory, where there is one: every write of the emulator waits for the disk. */
const MEMORY = '/dev/shm'

/** Where what a run of tests keeps lies: in memory if that can be. */
export const quickFolder = existsSync(MEMORY) ? MEMORY : tmpdir()
