import type { AccessRecord, Roles } from '../access/judge.ts'

export type Finding = { used: number; explained: string[]; idle: string[]; denied: string[] }

/**
 * Why a right may be unused in a run that is whole: it is for what a rehearsal cannot bring about at will. By the file
 * whose code asks for it, so that no function is excused of anything else.
 */
const circumstances: Readonly<Record<string, string>> = {
  'lib/table/two-phase/staged.ts': 'a large merge is at work on what is read',
  'lib/table/two-phase/commit.ts': 'a large merge is at work on what is written',
  'lib/search/model/snapshot.ts': 'whoever searches finds no snapshot that can be read, and makes one',
  'lib/search/model/rebuild.ts': 'whoever searches finds no snapshot that can be read, and makes one',
  'lib/search/log.ts': 'a new snapshot makes old entries of the log needless',
  'lib/table/scan.ts': 'whoever searches finds no snapshot that can be read, and makes one',
}

/** What each role grants, held against what was used and denied. `originsOf` names the files whose code asks for a use. */
export function compare(
  roles: Roles,
  { used, denied }: AccessRecord,
  originsOf: (name: string, action: string, resource: string) => readonly string[],
): Finding {
  const found: Finding = { used: 0, explained: [], idle: [], denied: [...denied] }
  for (const [name, statements] of roles) {
    for (const { Action, Resource } of statements) {
      for (const action of Action) {
        for (const resource of Resource) {
          const line = `${name} ${action} ${resource}`
          if (used.has(line)) found.used += 1
          else {
            const why = [...new Set(originsOf(name, action, resource).map((file) => circumstances[file]))]
            if (why.length > 0 && !why.includes(undefined)) found.explained.push(`${line}: ${why.join('; ')}`)
            else found.idle.push(line)
          }
        }
      }
    }
  }
  return found
}
