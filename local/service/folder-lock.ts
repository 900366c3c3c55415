import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as v from 'valibot'

/** Who holds a folder. Only for the message to whoever comes second: the lock decides. */
const Holder = v.object({
  command: v.string(),
  process: v.number(),
  address: v.optional(v.string()),
  since: v.string(),
})
type Holder = v.InferOutput<typeof Holder>

const LOCK = 'lock'
/** The file that says who holds the folder. */
export const HOLDER = 'holder.json'

/** The command that starts a service without demonstration records, into which a backup is restored. */
export const EMPTY_START = 'npm start -- --empty'

/** Another process holds the folder. The message says which, and what to do. */
export class FolderInUse extends Error {}

/**
 * Locks a folder for this process, and returns a function that unlocks it. The lock is one of SQLite's: when the process
 * dies, even by `kill -9`, the system ends it. Throws `FolderInUse` if another process holds it.
 */
export function holdFolder(folder: string, by: Pick<Holder, 'command' | 'address'>): () => void {
  const database = new DatabaseSync(join(folder, LOCK), { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (!isBusy(error)) throw error
    throw new FolderInUse(inUse(folder, readHolder(folder)))
  }
  const holder: Holder = { ...by, process: process.pid, since: new Date().toISOString() }
  writeFileSync(join(folder, HOLDER), JSON.stringify(holder))
  return () => {
    if (database.isOpen) database.close()
  }
}

/** Who holds a folder now. Undefined if nobody does. */
export function holderOf(folder: string): Partial<Holder> | undefined {
  if (!existsSync(join(folder, LOCK))) return undefined
  const database = new DatabaseSync(join(folder, LOCK), { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
    return undefined
  } catch (error) {
    if (!isBusy(error)) throw error
    return readHolder(folder) ?? {}
  } finally {
    database.close()
  }
}

const SQLITE_BUSY = 5
const isBusy = (error: unknown) => error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY

/** Says who holds a folder, and what to do. */
export function inUse(folder: string, holder: Partial<Holder> | undefined): string {
  const who = holder?.command
    ? `\`${holder.command}\` (${[`process ${holder.process}`, holder.address, `since ${holder.since}`].filter(Boolean).join(', ')})`
    : 'another process'
  return `${folder} is in use by ${who}. Stop it first (Ctrl-C ends it), or set LOCAL_DATA to another folder.`
}

/** Who holds the folder. Undefined if the holder has not written its name yet. */
function readHolder(folder: string): Holder | undefined {
  try {
    return v.parse(Holder, JSON.parse(readFileSync(join(folder, HOLDER), 'utf8')))
  } catch {
    return undefined
  }
}
