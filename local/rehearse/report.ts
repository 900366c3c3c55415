import type { AccessRecord, Roles } from '../access/judge.ts'

/** `explained` holds unused rights by what would use them. */
export type Finding = { used: number; explained: Map<string, string[]>; idle: string[]; denied: string[] }

/**
 * What would use a right that a whole run has not used, since a rehearsal cannot bring it about at will: by the file whose
 * code asks for it, and by the action where the file asks for several. No function is named, so none is excused.
 */
const circumstances: Readonly<Record<string, string>> = {
  'lib/table/two-phase/staged.ts': 'a large merge is at work on what is read',
  'lib/table/two-phase/commit.ts': 'a large merge is at work on what is written',
  'lib/search/model/snapshot.ts': 'whoever searches finds no snapshot that can be read, and makes one',
  'lib/table/scan.ts': 'whoever searches finds no snapshot that can be read, and makes one',
  'lib/table/write.ts dynamodb:BatchWriteItem': 'a new snapshot makes old entries of the log of search needless',
  'lib/table/write.ts dynamodb:UpdateItem': 'what is written is counted in a list, or makes kept answers stale',
  'lib/table/write.ts dynamodb:PutItem': 'an answer is kept in the cache',
  'lib/table/item.ts dynamodb:DeleteItem': 'what is kept for a while is over, such as an upload that nobody completes',
  'lib/table/item.ts dynamodb:UpdateItem': 'figures of a board are behind what they count',
  'lib/table/read.ts dynamodb:Query':
    'lists share one way of reading a page, and some lie in the table, others in an index',
  'lib/exports/listing.ts s3:DeleteObject': 'files of exports have been replaced for more than an hour',
  'functions/sources.ts s3:DeleteObject': 'a source is refused when its file is stored already',
}
/** Who reads may meet a gap, and a gap is 403 to those who may not list. */
const gap = 'an object that should be there is not'

type OriginsOf = (name: string, action: string, resource: string) => readonly string[]

/** What each role grants, held against what was used and denied. `originsOf` names the files whose code asks for a use. */
export function compare(roles: Roles, { used, denied }: AccessRecord, originsOf: OriginsOf): Finding {
  const found: Finding = { used: 0, explained: new Map(), idle: [], denied: [...denied] }
  for (const [name, statements] of roles) {
    for (const { Action, Resource } of statements) {
      for (const action of Action) {
        // The indexes of the table are granted together: which of them a list is in is data.
        const places = Resource.every((it) => it.includes('/index/')) ? [Resource] : Resource.map((it) => [it])
        for (const place of places) {
          if (place.some((resource) => used.has(`${name} ${action} ${resource}`))) found.used += 1
          else explain(found, { name, action, resource: place[0] ?? '' }, originsOf)
        }
      }
    }
  }
  return found
}

type Right = { name: string; action: string; resource: string }

function explain(found: Finding, { name, action, resource }: Right, originsOf: OriginsOf): void {
  const origins = originsOf(name, action, resource)
  const why = origins.map((file) => circumstances[`${file} ${action}`] ?? circumstances[file])
  const reasons = action === 's3:ListBucket' && origins.length > 0 ? [gap] : why
  if (reasons.length === 0 || reasons.includes(undefined)) {
    found.idle.push(`${name} ${action} ${resource}`)
    return
  }
  const place = /\/index|\/[^/]+\/\*$/.exec(resource)?.[0] ?? ''
  const reason = `${action}${place}: ${[...new Set(reasons)].join('; ')}`
  found.explained.set(reason, [...(found.explained.get(reason) ?? []), name])
}
