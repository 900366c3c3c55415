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

/** A cache that takes longer is a miss. */
export const SLOW_MS = 500
/** Runs calls of the table, which are aborted after that time. */
export const limitTime = <T>(ask: () => Promise<T>): Promise<T> => runWithSignal(AbortSignal.timeout(SLOW_MS), ask)

/** The newest version of a sort, and when it was raised, in milliseconds since 1970. Both are 0 if it never was. */
export type Standing = { version: number; changed: number }

/** The key of all versions. If a request has read it by `getManyOnce`, the next read costs no call. */
export const versionsAt = key.versions

/** The attribute with the time at which a version was raised. */
export const changedAttribute = (name: string) => `${name}_changed`

/** The attributes of the standing of a sort. */
export const attributesOf = (name: string): string[] => [name, changedAttribute(name)]

/** Loads the standing of a sort from the table, strongly consistent, whichever store keeps the answers. One call, or none. */
export async function loadStanding(name: string): Promise<Standing> {
  const at = versionsAt()
  return standingIn(name, onceRead(at) ?? itemAt(await limitTime(() => getMany([at], true)), at))
}

/** The standing of a sort in the item of versions. */
export const standingIn = (name: string, versions: Stored | undefined): Standing => ({
  version: Number(versions?.[name] ?? 0),
  changed: Number(versions?.[changedAttribute(name)] ?? 0),
})

/** Loads the newest version of a sort. */
export const loadVersion = async (name: string): Promise<number> => (await loadStanding(name)).version

/** Runs work of a cache. If it fails, logs that and returns undefined: no answer fails with a cache. */
export const undefinedIfFailed = <T>(work: () => Promise<T>): Promise<T | undefined> =>
  work().catch((error: unknown) => {
    log({ level: 'error', message: 'cache', error: error instanceof Error ? error.name : 'unknown' })
    return undefined
  })
