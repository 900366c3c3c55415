import { scan } from '../table/index.ts'
import { type DocumentChange, documentSource, isGone } from './document.ts'

/** Reads all items of the table that are documents, or were. `progress` gets the number of items that were read, and of documents. */
export async function* changesInTable(
  progress: (items: number, documents: number) => void,
): AsyncGenerator<DocumentChange> {
  let [itemsRead, documents] = [0, 0]
  const { types, documentOf } = await documentSource()
  const pages = scan(types, (items) => {
    itemsRead += items
  })
  for await (const page of pages) {
    for (const stored of page) {
      const change = documentOf(stored)
      if (!change) continue
      if (!isGone(change)) documents += 1
      yield change
    }
    progress(itemsRead, documents)
  }
}
