import { append } from '../search/log.ts'
import type { Stored } from '../table/read.ts'
import { scan } from '../table/scan.ts'
import { applyAnew, applyEffects, finish, sendMessages } from './apply.ts'
import type { Telling } from './notify.ts'
import { parked, unpark } from './parked.ts'
import { followedTypes } from './project.ts'
import { changeOf, documentOf } from './search-documents.ts'

/** Which part of the table; what is not named does not narrow it. */
export type Part = {
  /** Types of items. */
  types?: readonly string[] | undefined
  /** A kind of record, as the registry names it. */
  kind?: string | undefined
  /** The beginning of partition keys. */
  prefix?: string | undefined
  /** Only what was created or changed since, ISO 8601. */
  since?: string | undefined
  /** Tells people and receivers as well, of what they have not been told yet. */
  messages?: boolean | undefined
}

/** So many items are applied at the same time. */
const AT_ONCE = 12

/**
 * Applies the effects of all items of a part of the table anew, as they are now: links, places of comments, figures, and what
 * search knows. Nothing is done twice that is done already, so it may be repeated, interrupted, and run beside the
 * projector. Answers how many items there were.
 */
export async function replay(part: Part, told?: (so_far: number) => void): Promise<number> {
  const types = (part.types ?? followedTypes).filter((it) => followedTypes.includes(it))
  const people = new Set<string>()
  const reviewers: string[] = []
  const news: Telling[] = []
  let count = 0
  for await (const page of scan(types)) {
    const items = page.filter((item) => isIn(part, item))
    for (let start = 0; start < items.length; start += AT_ONCE)
      await Promise.all(
        items.slice(start, start + AT_ONCE).map(async (item) => {
          const common = await applyAnew(item)
          for (const user_id of common.people) people.add(user_id)
          reviewers.push(...common.reviewers)
          if (part.messages) news.push(...(await sendMessages({ before: undefined, after: item })))
        }),
      )
    await append(items.flatMap((item) => documentOf(item) ?? []))
    count += items.length
    if (items.length > 0) told?.(count)
  }
  await finish({ people: [...people], reviewers, told: news })
  return count
}

function isIn({ kind, prefix, since }: Part, item: Stored): boolean {
  const at = String(item.updated_at ?? item.created_at ?? '')
  return (
    (kind === undefined || item.kind === kind) &&
    (prefix === undefined || String(item.pk).startsWith(prefix)) &&
    (since === undefined || at >= since)
  )
}

/** Applies the changes that were put aside, in the order of the stream; each is forgotten once it is applied. Answers how many were, and what is wrong with the others. */
export async function replayParked(): Promise<{ applied: number; failures: string[] }> {
  const failures: string[] = []
  let applied = 0
  for (const { id, images } of await parked()) {
    try {
      const change = changeOf(images)
      await finish(await applyEffects(images))
      await append(change ? [change] : [])
      await unpark(id)
      applied += 1
    } catch (error) {
      failures.push(`${id}: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`)
    }
  }
  return { applied, failures }
}
