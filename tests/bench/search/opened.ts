import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SearchDocument } from '../../../lib/engines/search/document.ts'
import { buildSnapshot } from '../../../lib/engines/search/index/build.ts'
import { openSnapshotFile } from '../../../lib/engines/search/index/snapshot-file.ts'
import { Corpus } from '../../../lib/engines/search/model/corpus.ts'
import { createModel } from '../../../lib/engines/search/model/engine.ts'
import type { Model } from '../../../lib/engines/search/query.ts'
import { type Finder, finderOf } from './relevance.ts'

const weights = { text: 0.8, recency: 0.15, popularity: 0.05 }

/** A model of documents in a file of its own. */
export async function opened(
  all: Iterable<SearchDocument>,
): Promise<{ model: Model; find: Finder; close: () => void }> {
  const directory = mkdtempSync(join(tmpdir(), 'heritage-judged-'))
  const path = join(directory, 'model.sqlite')
  await buildSnapshot(path, all, 0)
  const corpus = new Corpus(openSnapshotFile(path))
  const model = createModel(corpus, weights, () => 'judged')
  return {
    model,
    find: finderOf(model),
    close: () => {
      corpus.close()
      rmSync(directory, { recursive: true })
    },
  }
}
