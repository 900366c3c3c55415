import { key } from '../table/keys.ts'
import { getMany, itemAt } from '../table/read.ts'

/** Where answers are kept, by place. `look` gives the newest version of a sort of answer and what is kept at the place of that version. */
export type Store = {
  read: (at: string) => Promise<string | undefined>
  look: (name: string, place: (version: number) => string) => Promise<CachedText>
  keep: (at: string, text: string, seconds: number) => Promise<void>
}
export type CachedText = { version: number; text: string | undefined }

/** A cache that takes longer than this is none. */
export const SLOW_MS = 500

/** The newest version of a sort of answer, from the table, whatever else keeps the answers. One call. */
export async function versionOf(name: string): Promise<number> {
  const found = await getMany([key.versions()], true, AbortSignal.timeout(SLOW_MS))
  return Number(itemAt(found, key.versions())?.[name] ?? 0)
}
