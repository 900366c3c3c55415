import type { PageRequest, PageResult } from '../../engines/table/index.ts'
import type { RecordItem } from '../records/items.ts'
import type { Import, RowOutcome } from './items.ts'
import { loadHeads } from './known.ts'
import { loadResults, loadRuns, type RowResult, type RunResult } from './results.ts'

export type ListedRow = { result: RowResult; run: RunResult | undefined; head: RecordItem | undefined }

/**
 * One page of the rows of an import, of one outcome or of all. Reads two objects of the bucket for each 500 rows, and the heads of
 * the page's records.
 */
export async function listRows(
  it: Import,
  filter: { outcome?: RowOutcome | undefined },
  { limit, offset }: PageRequest,
): Promise<PageResult<ListedRow>> {
  const sizeOf = (counts: Import['chunks'][number]) =>
    filter.outcome ? (counts[filter.outcome] ?? 0) : Object.values(counts).reduce((sum, n) => sum + n, 0)
  const results: ListedRow[] = []
  let before = 0
  for (const [chunk, counts] of it.chunks.entries()) {
    const size = sizeOf(counts)
    if (before + size > offset && results.length < limit) {
      const rows = (await loadResults(it.id, chunk)).filter(
        ({ outcome }) => !filter.outcome || outcome === filter.outcome,
      )
      const runs = new Map((await loadRuns(it.id, chunk)).map((each) => [each.row, each]))
      const some = rows.slice(Math.max(0, offset - before)).slice(0, limit - results.length)
      results.push(...some.map((result) => ({ result, run: runs.get(result.row), head: undefined })))
    }
    before += size
  }
  return { count: before, results: await withHeads(results) }
}

async function withHeads(rows: readonly ListedRow[]): Promise<ListedRow[]> {
  const idOf = ({ run, result }: ListedRow) => run?.entity_id ?? result.entity_id ?? ''
  const heads = await loadHeads(rows.map(idOf).filter(Boolean))
  return rows.map((it) => ({ ...it, head: heads.get(idOf(it)) }))
}
