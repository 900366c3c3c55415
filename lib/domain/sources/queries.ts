import * as v from 'valibot'
import { QueryText, RecordOrdering } from '../../platform/http/params.ts'

/** The query of the list of data sources. */
export const SourceQuery = v.object({
  search: QueryText,
  name: QueryText,
  source_type: QueryText,
  access_tier: QueryText,
  ingest_status: QueryText,
  ordering: RecordOrdering,
})
