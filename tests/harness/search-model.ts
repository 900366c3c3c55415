import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SearchDocument } from '../../lib/engines/search/document.ts'
import { buildSnapshot } from '../../lib/engines/search/index/build.ts'
import { openSnapshotFile } from '../../lib/engines/search/index/snapshot-file.ts'
import { Corpus } from '../../lib/engines/search/model/corpus.ts'
import { createModel } from '../../lib/engines/search/model/engine.ts'
import type { Model } from '../../lib/engines/search/query.ts'

let directory: string | undefined
let files = 0

/** A model of the embedded engine over these documents. Its file goes with the process. */
export async function modelOf(documents: Iterable<SearchDocument>): Promise<Model> {
  if (directory === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'heritage-model-'))
    process.once('exit', () => rmSync(made, { recursive: true }))
    directory = made
  }
  const path = join(directory, `${++files}.sqlite`)
  await buildSnapshot(path, documents, 0)
  return createModel(new Corpus(openSnapshotFile(path)), { text: 0.8, recency: 0.15, popularity: 0.05 }, () => 'state')
}
