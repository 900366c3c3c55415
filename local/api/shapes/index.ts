import * as account from './account.ts'
import * as cluster from './cluster.ts'
import * as comment from './comment.ts'
import * as common from './common.ts'
import * as dates from './dates.ts'
import * as entity from './entity.ts'
import * as imports from './imports.ts'
import * as linked from './linked.ts'
import * as picture from './picture.ts'
import * as project from './project.ts'
import * as record from './record.ts'
import * as review from './review.ts'
import * as search from './search.ts'
import * as service from './service.ts'
import * as standing from './standing.ts'
import * as submission from './submission.ts'

/** Every named shape: what is exported under a capital is a component of the document. */
export const shapes = named(
  ...[
    account,
    cluster,
    comment,
    common,
    dates,
    entity,
    imports,
    linked,
    picture,
    project,
    record,
    review,
    search,
    service,
    standing,
    submission,
  ],
  record.ofKinds,
)

function named(...modules: readonly object[]) {
  const all = modules.flatMap((module) => Object.entries(module)).filter(([name]) => /^[A-Z]/.test(name))
  const twice = all.filter(([name], at) => all.findIndex(([other]) => other === name) !== at)
  if (twice.length > 0) throw new Error(`two shapes have the name ${twice.map(([name]) => name).join(', ')}`)
  return Object.fromEntries(all)
}
