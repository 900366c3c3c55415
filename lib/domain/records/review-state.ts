import { addressOf } from '../../base/ids/address.ts'
import { type Kind, kindOfCode, kinds } from '../kinds/index.ts'
import type { RecordItem } from './items.ts'

/** Returns the kind of the record with this review identity. `entity` for an id of no known kind. */
export const kindOfRecord = (entity_id: string): Kind => kindOfCode(addressOf(entity_id)?.kindCode ?? 0) ?? kinds.entity

/** Returns the members of a record on which the rules of `rules/status.ts` depend. */
export const reviewStateOf = (record: RecordItem) => ({
  status: record.status,
  public: record.public,
  deleted: record.deleted_at !== null,
})
