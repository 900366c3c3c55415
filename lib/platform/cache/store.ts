import { clock } from '../../base/clock.ts'
import { runWithSignal } from '../../base/deadline.ts'
import { log } from '../../base/telemetry/log.ts'
import { getMany, itemAt, onceRead, type Stored } from '../../engines/table/index.ts'
import { key } from '../table/keys.ts'

/** The port of a store of texts. `look` returns the newest version of a sort, and the text at the place of that version. */
export type Store = {
  read: (at: string) => Promise<string | undefined>
  look: (name: string, place: (version: number) => string) => Promise<CachedText>
  keep: (at: string, text: string, seconds: number) => Promise<void>
}
export type CachedText = { version: number; text: string | undefined }

/** Milliseconds that a cache may take. A slower cache is a miss. */
export const SLOW_MS = 500
/** Runs calls of the table, which are aborted after `SLOW_MS`. */
export const limitTime = <T>(ask: () => Promise<T>): Promise<T> => runWithSignal(AbortSignal.timeout(SLOW_MS), ask)

/** The key of all versions. If a request has read it by `getManyOnce`, the next read costs no call. */
export const versionsAt = key.versions

/**
 * Loads the versions item by a strongly consistent read, whichever store keeps the answers. Empty if nothing was ever raised. One call, or
 * none if the request has read it.
 */
export async function loadVersions(): Promise<Stored> {
  const at = versionsAt()
  return onceRead(at) ?? itemAt(await limitTime(() => getMany([at], true)), at) ?? {}
}

/** Loads the newest version of a sort. 0 if it was never raised. */
export const loadVersion = async (name: string): Promise<number> => Number((await loadVersions())[name] ?? 0)

/** A stamp for a part that changes now: the time and a random number, since two changes may have the same time. */
export const newStamp = (): number => clock.now().getTime() * CHANCES + clock.random(CHANCES)
/** The stamp of a part in the item of versions. 0 if the part never changed. */
export const stampIn = (versions: Stored, part: string): number => Number(versions[part] ?? 0)
/** When a part with this stamp changed, in milliseconds since 1970. */
export const changedAt = (stamp: number): number => Math.floor(stamp / CHANCES)
const CHANCES = 1000

/** Runs work of a cache. If it fails, logs that and returns undefined, so no request fails because of a cache. */
export const undefinedIfFailed = <T>(work: () => Promise<T>): Promise<T | undefined> =>
  work().catch((error: unknown) => {
    log({ level: 'error', message: 'cache', error: error instanceof Error ? error.name : 'unknown' })
    return undefined
  })
