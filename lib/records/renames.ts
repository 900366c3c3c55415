import { amended, parse, put } from '../table/item.ts'
import { get, type Stored, walk } from '../table/read.ts'
import { transact } from '../table/write.ts'
import { listsOf, type RecordItem, recordItem, visibilities } from './items.ts'

/** Writes a contributor's new username on their records, page by page; what it is interrupted in it takes up again. */
export async function followRename(user: string, username: string): Promise<void> {
  for (const visibility of visibilities) {
    let beyond: string | undefined
    for (;;) {
      const items = await walk({
        index: 'gsi3',
        pk: listsOf.owner(user, visibility),
        forward: true,
        limit: 100,
        beyond,
      })
      for (const item of items) await setContributor(item, username)
      beyond = items.at(-1) && String(items.at(-1)?.gsi3_sk)
      if (items.length < 100) break
    }
  }
}

async function setContributor(item: Stored, username: string): Promise<void> {
  const old = parse(recordItem, item)
  if (old.contributor === username) return
  const latest = await get(recordItem, old)
  if (latest) await transact([put(recordItem, amended<RecordItem>(latest, { contributor: username }), latest)])
}
