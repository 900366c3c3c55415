import { kinds, recordKinds } from '../../lib/kinds/index.ts'
import type { KindName } from './contract/contract.ts'
import { titled } from './shapes/record.ts'

/** Today's kinds of record, as documents name them. */
export const kindNames: readonly KindName[] = recordKinds.map((key) => ({
  segment: kinds[key].segment,
  name: titled(key),
}))
