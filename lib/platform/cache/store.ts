import { runWithSignal } from '../../base/deadline.ts'
import { log } from '../../base/telemetry/log.ts'
import { getMany, itemAt, onceRead, type Stored } from '../../engines/table/index.ts'
import { key } from '../table/keys.ts'

/** Where answers are kept, by place. `look` gives the newest version of a sort of answer and what is kept at the place of that version. */
export type Store = {
  read: (at: string) => Promise<string | undefined>
  look: (name: string, place: (version: number) => string) => Promise<CachedText>
  keep: (at: string, text: string, seconds: number) => Promise<void>
}
export type CachedText = { version: number; text: string | undefined }

/** A cache that takes longer than this is none. */
export const SLOW_MS = 500
/** Asks the table for no longer than that. */
export const limitTime = <T>(ask: () => Promise<T>): Promise<T> => runWithSignal(AbortSignal.timeout(SLOW_MS), ask)

/** The newest version of a sort of answer, and when it was raised, in milliseconds since 1970: 0 where it never was. */
export type Standing = { version: number; changed: number }

/** Where the versions are: who has this read once in a request (`getManyOnce`) spares the next one the call. */
export const versionsAt = key.versions

/** The name of the attribute that says when a version was raised. */
export const changedAttribute = (name: string) => `${name}_changed`

/** The attributes that say how a sort of answer stands. */
export const attributesOf = (name: string): string[] => [name, changedAttribute(name)]

/** How a sort of answer stands, from the table, whatever keeps the answers, strongly consistent. One call, or none. */
export async function loadStanding(name: string): Promise<Standing> {
  const at = versionsAt()
  return standingIn(name, onceRead(at) ?? itemAt(await limitTime(() => getMany([at], true)), at))
}

/** The same where the versions have been read. */
export const standingIn = (name: string, versions: Stored | undefined): Standing => ({
  version: Number(versions?.[name] ?? 0),
  changed: Number(versions?.[changedAttribute(name)] ?? 0),
})

/** The newest version alone. */
export const loadVersion = async (name: string): Promise<number> => (await loadStanding(name)).version

/** Runs work of a cache. If it fails, logs that and returns undefined: no answer fails with a cache. */
export const undefinedIfFailed = <T>(work: () => Promise<T>): Promise<T | undefined> =>
  work().catch((error: unknown) => {
    log({ level: 'error', message: 'cache', error: error instanceof Error ? error.name : 'unknown' })
    return undefined
  })
