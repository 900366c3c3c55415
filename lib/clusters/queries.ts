import * as v from 'valibot'
import { OptionalBoolean, QueryText, RecordOrdering } from '../http/params.ts'

/** What the list of clusters is asked for. */
export const ClusterQuery = v.object({
  search: QueryText,
  type_scope: QueryText,
  locked: OptionalBoolean,
  ordering: RecordOrdering,
})
