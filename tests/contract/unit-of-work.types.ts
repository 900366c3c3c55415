import * as table from '../../lib/engines/table/index.ts'

/** What must not compile: the type check fails when one of these lines stops being an error. */

// @ts-expect-error items are stored by a unit of work: the engine hands out no transaction
export const stored = table.transact([])
// @ts-expect-error only `runUnit` makes a unit: the class is a type to everybody else
export const unit = new table.UnitOfWork(1, [], new Map())
// @ts-expect-error what writes without a unit has an entry of its own, immediate.ts
export const written = table.commitWrites([])
// @ts-expect-error only immediate.ts opens a unit
export const opened = table.runUnit(() => undefined)
// @ts-expect-error single items are written by immediate.ts alone
export const put = table.putItem({ pk: 'A', sk: 'B' }, {})
