import { countKeys, getMany, parse, sumOf, walk } from '../../engines/table/index.ts'
import { type Actor, maySee } from '../../platform/permissions.ts'
import { type DataSource, dataSource, IN_QUESTION } from '../sources/sources.ts'
import { rulingList } from './items.ts'

/** A source in question, and how many of the values that rest on it were decided on. */
export type SourceBatch = { source: DataSource; decided: number }

/** The most sources in question that are listed beside the queue. */
const MOST_BATCHES = 20

/** Lists the sources in question that the caller may see, the oldest question first. Two calls, one if there are none. */
export async function listSourceBatches(actor: Actor): Promise<SourceBatch[]> {
  const items = await walk({ index: 'gsi3', pk: IN_QUESTION, forward: true, limit: MOST_BATCHES })
  const sources = items
    .map((item) => parse(dataSource, item))
    .filter((it) => it.question && !it.question.is_restoring && !it.deleted_at && maySee(actor, it))
  const found = await getMany(countKeys(sources.map(({ id }) => rulingList(id))))
  return sources.map((source) => ({ source, decided: sumOf([rulingList(source.id)], found) }))
}
