import type { AccessRecord, Roles } from '../access/judge.ts'

/** `explained` holds the functions with an unused right, by the reason; `idle` are unused rights without one. */
export type Finding = { used: number; explained: Map<string, string[]>; idle: string[]; denied: string[] }

/**
 * Why a run leaves a right unused, by the file whose code asks for it and the action. Rights are derived file by file: a function that
 * needs one part of a file gets the rights of its other parts too. A right is excused only if the function has used `beside`, which shows
 * that it runs that file. No function is named here, so none is excused as a whole.
 */
const circumstances: Readonly<Record<string, { why: string; beside: string }>> = {
  'lib/engines/table/write.ts dynamodb:UpdateItem': {
    why: 'a transaction counts what is in lists, and what these write is in none',
    beside: 'dynamodb:PutItem',
  },
  'lib/engines/table/write.ts dynamodb:PutItem': {
    why: 'whoever reads may keep an answer, and what these read nobody keeps',
    beside: 'dynamodb:BatchGetItem',
  },
  'lib/engines/table/read.ts dynamodb:Query': {
    why: 'lists share one way of reading a page; these all lie in the table, or all in an index',
    beside: 'dynamodb:Query',
  },
}

type OriginsOf = (name: string, action: string, resource: string) => readonly string[]

/** Compares what each role grants with what was used and denied. `originsOf` names the files whose code asks for a right. */
export function compareRights(roles: Roles, { used, denied }: AccessRecord, originsOf: OriginsOf): Finding {
  const found: Finding = { used: 0, explained: new Map(), idle: [], denied: [...denied] }
  for (const [name, statements] of roles) {
    for (const { Action, Resource } of statements) {
      for (const action of Action) {
        // The name of an index is data, so all indexes are granted together. One that is used stands for all.
        const places = Resource.every((it) => it.includes('/index/')) ? [Resource] : Resource.map((it) => [it])
        for (const place of places) {
          if (place.some((resource) => used.has(`${name} ${action} ${resource}`))) found.used += 1
          else explain(found, { name, action, resource: place[0] ?? '' }, { used, originsOf })
        }
      }
    }
  }
  return found
}

type Right = { name: string; action: string; resource: string }

type Grounds = { used: ReadonlySet<string>; originsOf: OriginsOf }

function explain(found: Finding, { name, action, resource }: Right, { used, originsOf }: Grounds): void {
  const hasUsed = (beside: string) => [...used].some((it) => it.startsWith(`${name} ${beside} `))
  const reasons = originsOf(name, action, resource).map((file) => circumstances[`${file} ${action}`])
  if (reasons.length === 0 || reasons.some((it) => !it || !hasUsed(it.beside))) {
    found.idle.push(`${name} ${action} ${resource}`)
    return
  }
  const place = /\/index|\/[^/]+\/\*$/.exec(resource)?.[0] ?? ''
  const reason = `${action}${place}: ${[...new Set(reasons.map((it) => it?.why))].join('; ')}`
  found.explained.set(reason, [...(found.explained.get(reason) ?? []), name])
}
