import { mapAtOnce } from '../../base/concurrency.ts'
import { isProblem } from '../../base/errors.ts'
import { appendChanges } from '../../engines/search/index.ts'
import type { Images, Stored } from '../../engines/table/index.ts'
import { changesBehind, getMany, itemAt, scan } from '../../engines/table/index.ts'
import { feedChangeOf, followChanges } from '../feed/follow.ts'
import { followGraph, graphChangeOf } from '../graph/keep.ts'
import { applyAnew, applyEffects, doSharedWork, noSharedWork, sendMessages } from './apply.ts'
import type { PendingNotice } from './notify.ts'
import { listParked, unparkChange } from './parked.ts'
import { followedTypes } from './project.ts'
import { changeOf, documentOf } from './search-documents.ts'

/** The part of the table to replay. An absent member does not narrow it. */
export type ReplayPart = {
  /** Types of items. */
  types?: readonly string[] | undefined
  /** A kind of record, as the registry names it. */
  kind?: string | undefined
  /** The beginning of partition keys. */
  prefix?: string | undefined
  /** Only items that were created or changed since then, ISO 8601. */
  since?: string | undefined
  /** Also sends notifications and messages that were not sent yet. */
  messages?: boolean | undefined
}

/** Items that are applied in parallel. */
const ITEMS_AT_ONCE = 12

/**
 * Applies the effects of all items of a part of the table again: links, comments, figures, search. Safe to repeat, to
 * interrupt, and to run beside the projector. Returns the number of items.
 */
export async function replay(part: ReplayPart, progress?: (so_far: number) => void): Promise<number> {
  const types = (part.types ?? followedTypes).filter((it) => followedTypes.includes(it))
  const people = new Set<string>()
  const reviewers: string[] = []
  const notices: PendingNotice[] = []
  let count = 0
  for await (const page of scan(types)) {
    const items = page.filter((item) => isIn(part, item))
    const footed: string[] = []
    await mapAtOnce(items, ITEMS_AT_ONCE, async (item) => {
      const common = await applyAnew(item)
      for (const user_id of common.people) people.add(user_id)
      reviewers.push(...common.reviewers)
      footed.push(...common.footed)
      if (part.messages) notices.push(...(await sendMessages({ before: undefined, after: item })))
    })
    await doSharedWork({ ...noSharedWork, footed })
    await appendChanges(items.flatMap((item) => documentOf(item) ?? []))
    count += items.length
    if (items.length > 0) progress?.(count)
  }
  await doSharedWork({ ...noSharedWork, people: [...people], reviewers, notices })
  return count
}

function isIn({ kind, prefix, since }: ReplayPart, item: Stored): boolean {
  const at = String(item.updated_at ?? item.created_at ?? '')
  return (
    (kind === undefined || item.kind === kind) &&
    (prefix === undefined || String(item.pk).startsWith(prefix)) &&
    (since === undefined || at >= since)
  )
}

type Only = readonly string[] | undefined
const isAmong = (only: Only, id: string) => only === undefined || only.includes(id)

/**
 * Applies parked changes in the order of the stream, with all their effects. It skips a change if its item was deleted since, if
 * something that it is about is gone, or if no visible change is behind it. It removes applied and skipped changes, and keeps those that
 * fail. `only` names the changes by id. Returns how many were applied and skipped, and the errors of those that failed.
 */
export async function replayParked(only?: Only): Promise<{ applied: number; skipped: number; failures: string[] }> {
  const failures: string[] = []
  let applied = 0
  let skipped = 0
  for (const { id, images } of (await listParked()).filter((it) => isAmong(only, it.id))) {
    try {
      const isApplied = await applyParked(images)
      await unparkChange(id)
      if (isApplied) applied += 1
      else skipped += 1
    } catch (error) {
      failures.push(`${id}: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`)
    }
  }
  return { applied, skipped, failures }
}

/** Applies the changes behind parked images, which `careful.ts` parks as the stream holds them. Returns whether any was applied. */
async function applyParked(parked: Images): Promise<boolean> {
  const [changes = []] = await changesBehind([parked])
  let isApplied = false
  for (const images of changes) if (!(await isDeletedSince(images)) && (await applyChange(images))) isApplied = true
  return isApplied
}

/** Applies a change with all its effects. Returns false if something that it is about is gone. */
async function applyChange(images: Images): Promise<boolean> {
  try {
    const change = changeOf(images)
    const feedChange = feedChangeOf(images)
    await doSharedWork(await applyEffects(images))
    await appendChanges(change ? [change] : [])
    await followChanges(feedChange ? [feedChange] : [])
    await followGraph([graphChangeOf(images) ?? []].flat())
    return true
  } catch (error) {
    if (isProblem(error, 'not_found')) return false
    throw error
  }
}

/** Whether the item of a change was deleted after it. */
async function isDeletedSince({ after }: Images): Promise<boolean> {
  if (!after) return false
  const at = { pk: String(after.pk), sk: String(after.sk) }
  return itemAt(await getMany([at]), at) === undefined
}

/** Forgets parked changes without applying them. Returns the id of each with the error for which it was parked. */
export async function discardParked(only?: Only): Promise<string[]> {
  const parked = (await listParked()).filter((it) => isAmong(only, it.id))
  for (const { id } of parked) await unparkChange(id)
  return parked.map(({ id, error }) => `${id}: ${error}`)
}
