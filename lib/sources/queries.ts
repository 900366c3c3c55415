import * as v from 'valibot'
import { QueryText, RecordOrdering } from '../http/params.ts'

/** What the list of data sources is asked for. */
export const SourceQuery = v.object({
  search: QueryText,
  name: QueryText,
  source_type: QueryText,
  access_tier: QueryText,
  ingest_status: QueryText,
  ordering: RecordOrdering,
})
