import { kinds, recordKinds } from '../lib/domain/kinds/index.ts'
import { pascalCase } from '../lib/domain/kinds/keys.ts'
import type { KindName } from './contract/contract.ts'

/** The names of all kinds of record in the document. */
export const kindNames: readonly KindName[] = recordKinds.map((key) => ({
  segment: kinds[key].segment,
  name: pascalCase(key),
}))
