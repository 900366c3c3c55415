import * as v from 'valibot'
import { OptionalBoolean, QueryText, RecordOrdering } from '../../platform/http/params.ts'

/** The query of the list of clusters. */
export const ClusterQuery = v.object({
  search: QueryText,
  type_scope: QueryText,
  locked: OptionalBoolean,
  ordering: RecordOrdering,
})
