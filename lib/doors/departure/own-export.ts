import * as v from 'valibot'
import { now } from '../../base/clock.ts'
import * as s from '../../base/shapes.ts'
import { createLinks, markLoose } from '../../engines/bucket/index.ts'
import { defineItem, get, parse, put, type UnitOfWork, walk } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'
import { storedOwnership, type User } from '../../platform/users/users.ts'

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
export type OwnExport = v.InferOutput<typeof OwnExport>

const WAITING = 'ACCOUNT_EXPORT'
export const ownExport = defineItem({
  type: 'account_export',
  schema: OwnExport,
  key: ({ user_id }: { user_id: string }) => key.accountExport(user_id),
  indexes: (it) => (it.made_at === null ? { gsi2: { pk: WAITING, sk: `${it.asked_at}#${it.user_id}` } } : {}),
})

/** Asks for a person's file, which replaces an earlier one. A request of the same owner that still waits is returned unchanged. */
export async function askForExport(unit: UnitOfWork, { id, ownership }: User): Promise<OwnExport> {
  unit.retryOn('conflict')
  const old = await get(ownExport, { user_id: id })
  if (old?.made_at === null && old.ownership === ownership) return old
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

/** Lists the people who wait for their file, longest wait first. One call. */
export const listWaiting = async (limit: number): Promise<OwnExport[]> =>
  (await walk({ index: 'gsi2', pk: WAITING, forward: true, limit })).map((it) => parse(ownExport, it))

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

/** A person's file as the person sees it. The address is good for 10 to 15 minutes. */
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
