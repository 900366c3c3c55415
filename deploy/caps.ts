import type { Stage } from './stages.ts'

/** The indexes of the table, in the order of serverless.yml. */
const INDEXES = 4

/**
 * The most units a second that the table and each of its indexes may spend, so that abuse has a price limit. CloudFormation takes no
 * number for "no cap", so what has none is left out. The other properties of the table are in serverless.yml.
 */
export function caps({ tableReads, tableWrites }: Pick<Stage, 'tableReads' | 'tableWrites'>): { Resources: object } {
  if (tableReads === 0 && tableWrites === 0) return { Resources: {} }
  const OnDemandThroughput = {
    ...(tableReads > 0 && { MaxReadRequestUnits: tableReads }),
    ...(tableWrites > 0 && { MaxWriteRequestUnits: tableWrites }),
  }
  const GlobalSecondaryIndexes = Array.from({ length: INDEXES }, () => ({ OnDemandThroughput }))
  return { Resources: { Table: { Properties: { OnDemandThroughput, GlobalSecondaryIndexes } } } }
}
