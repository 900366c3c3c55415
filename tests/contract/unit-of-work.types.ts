import * as table from '../../lib/engines/table/index.ts'

/** What must not compile: the type check fails when one of these lines stops being an error. */

// @ts-expect-error items are stored by a unit of work: the engine hands out no transaction
export const stored = table.transact([])
// @ts-expect-error only `runUnit` makes a unit: the class is a type to everybody else
export const unit = new table.UnitOfWork(1, [], new Map())
