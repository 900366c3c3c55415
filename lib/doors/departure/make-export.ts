import { later, newId, now } from '../../base/clock.ts'
import { isDone } from '../../base/errors.ts'
import { keepLooseUntil, putObject, withFile } from '../../engines/bucket/index.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import { get, put, withNextVersion } from '../../engines/table/index.ts'
import { loadUser, mayActFor } from '../../platform/users/users.ts'
import { gatherOwnData } from './own-data.ts'
import { listWaiting, type OwnExport, ownExport } from './own-export.ts'
import { gatherScattered, type Scattered } from './scattered.ts'

/** Seconds for which a file is kept. */
const KEPT_S = 7 * 86_400

/** The most files that one visit makes. */
const FILES_IN_VISIT = 20

/**
 * Makes the files that people wait for. Returns how many. Safe to repeat: a file that was broken off is made again. Reads the whole table once
 * if somebody waits.
 */
export async function makeOwnExports(): Promise<number> {
  const waiting = await listWaiting(FILES_IN_VISIT)
  if (waiting.length === 0) return 0
  const scattered = await gatherScattered(waiting.map(({ user_id }) => user_id))
  let made = 0
  for (const [user_id, theirs] of scattered) if (await makeExport(user_id, theirs)) made += 1
  return made
}

async function makeExport(user_id: string, scattered: Scattered): Promise<boolean> {
  const [asked, user] = await Promise.all([get(ownExport, { user_id }), loadUser(user_id)])
  if (asked?.made_at !== null || !mayActFor(user, asked)) return false
  const made_at = now()
  const text = JSON.stringify({ made_at, ...(await gatherOwnData(user)), ...scattered }, null, 2)
  const bytes = Buffer.from(text)
  return withFile(`account-exports/${user_id}/${newId()}.json`, async (expected) => {
    const { object_key } = expected
    await putObject(object_key, bytes, 'application/json')
    const until = later(KEPT_S)
    const next = withNextVersion<OwnExport>(asked, { object_key, bytes: bytes.length, made_at, until })
    // The sweeper deletes the file at `until`.
    return isDone(commitWrites([put(ownExport, next, asked), keepLooseUntil(expected, until)]))
  })
}
