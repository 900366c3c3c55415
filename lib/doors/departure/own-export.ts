import * as v from 'valibot'
import { later, newId, now } from '../../base/clock.ts'
import { isDone } from '../../base/errors.ts'
import * as s from '../../base/shapes.ts'
import { createLinks, forgetLooseFile, markLoose, putObject, withFile } from '../../engines/bucket/index.ts'
import { commitWrites } from '../../engines/table/immediate.ts'
import { defineItem, get, parse, put, type UnitOfWork, walk, withNextVersion } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { loadUser, mayActFor, storedOwnership, type User } from '../../platform/users/users.ts'
import { gatherOwnData } from './own-data.ts'

/** The file with all that the service keeps of a person. There is one at a time, and it is kept for a week. */
const OwnExport = v.object({
  user_id: v.string(),
  ownership: storedOwnership,
  /** Null until the file is made. */
  object_key: v.nullable(v.string()),
  bytes: v.number(),
  asked_at: v.string(),
  made_at: v.nullable(v.string()),
  /** When the file is deleted. */
  until: v.nullable(v.string()),
  version: v.number(),
})
type OwnExport = v.InferOutput<typeof OwnExport>

const WAITING = 'ACCOUNT_EXPORT'
const ownExport = defineItem({
  type: 'account_export',
  schema: OwnExport,
  key: ({ user_id }: { user_id: string }) => key.accountExport(user_id),
  indexes: (it) => (it.made_at === null ? { gsi2: { pk: WAITING, sk: `${it.asked_at}#${it.user_id}` } } : {}),
})

/** Seconds for which a file is kept. */
const KEPT_S = 7 * 86_400

/** Asks for a person's file. It takes the place of an earlier one. Safe to repeat while one is being made. */
export async function askForExport(unit: UnitOfWork, { id, ownership }: User): Promise<OwnExport> {
  unit.retryOn('conflict')
  const old = await get(ownExport, { user_id: id })
  if (old?.made_at === null) return old
  const asked: OwnExport = {
    ...{ user_id: id, ownership, object_key: null, bytes: 0, asked_at: now(), made_at: null, until: null },
    version: (old?.version ?? 0) + 1,
  }
  unit.add([put(ownExport, asked, old), ...(old?.object_key ? [markLoose(old.object_key)] : [])])
  return asked
}

/** Loads a person's file, unless it has been deleted or an earlier owner of the account asked for it. */
export async function loadExport({ id, ownership }: User): Promise<OwnExport | undefined> {
  const found = await get(ownExport, { user_id: id })
  if (found?.ownership !== ownership) return undefined
  return found.until !== null && found.until <= now() ? undefined : found
}

/** Files that one visit makes. */
const FILES_IN_VISIT = 20

/** Makes the files that people wait for. Returns how many. Safe to repeat: a file that was broken off is made again. */
export async function makeOwnExports(): Promise<number> {
  const waiting = await walk({ index: 'gsi2', pk: WAITING, forward: true, limit: FILES_IN_VISIT })
  let made = 0
  for (const { user_id } of waiting.map((it) => parse(ownExport, it))) if (await makeExport(user_id)) made += 1
  return made
}

async function makeExport(user_id: string): Promise<boolean> {
  const [asked, user] = await Promise.all([get(ownExport, { user_id }), loadUser(user_id)])
  if (asked?.made_at !== null || !mayActFor(user, asked)) return false
  const made_at = now()
  const text = JSON.stringify({ made_at, ...(await gatherOwnData(user)) }, null, 2)
  const bytes = Buffer.from(text)
  return withFile(`account-exports/${user_id}/${newId()}.json`, async (expected) => {
    const { object_key } = expected
    await putObject(object_key, bytes, 'application/json')
    const until = later(KEPT_S)
    const next = withNextVersion<OwnExport>(asked, { object_key, bytes: bytes.length, made_at, until })
    // The note of the file stays: with the end of its time the sweeper deletes it.
    const isOurs = await isDone(commitWrites([put(ownExport, next, asked), forgetLooseFile(expected)]))
    if (isOurs) await commitWrites([markLoose(object_key, until)])
    return isOurs
  })
}

export const OwnExportView = s.shape('OwnExport', () =>
  v.object({
    state: s.oneOf(['none', 'waiting', 'ready']),
    asked_at: s.maybe(s.time),
    made_at: s.maybe(s.time),
    expires_at: s.maybe(s.time),
    bytes: s.maybe(s.whole),
    url: s.maybe(s.text),
  }),
)

/** A person's file as the person sees it. The address is good for a quarter of an hour. */
export async function exportView(it: OwnExport | undefined) {
  const { object_key = null, asked_at = null, made_at = null, until = null, bytes = 0 } = it ?? {}
  const state = it === undefined ? ('none' as const) : object_key === null ? ('waiting' as const) : ('ready' as const)
  const url =
    object_key === null
      ? null
      : (await createLinks())(object_key, {
          type: 'application/json',
          disposition: 'attachment; filename="my-data.json"',
        })
  return { state, asked_at, made_at, expires_at: until, bytes: object_key === null ? null : bytes, url: await url }
}
