import type * as v from 'valibot'
import { cut, didYouMean } from '../../engines/matching/index.ts'
import { entriesOf, type FaultOf, type Members, queryFaultOf } from './schema-notes.ts'
import type { Warning } from './warnings.ts'

/** Finds the members of a request that have no effect. The schemas of the route name the members that are read. */

const MOST_WARNINGS = 50

/** Finds the members of a body, at any depth, that nothing reads. */
export function unreadMembers(members: Members, body: unknown, path = ''): Warning[] {
  if (Array.isArray(body))
    return body.slice(0, MOST_WARNINGS).flatMap((item, i) => unreadMembers(members, item, `${path}${i}.`))
  if (typeof body !== 'object' || body === null || body instanceof File) return []
  const warnings: Warning[] = []
  for (const [name, value] of Object.entries(body)) {
    // Each warning compares its name with all names that are read, and a body may have 100,000 members.
    if (warnings.length >= MOST_WARNINGS) break
    const inner = members[name]
    if (!Object.hasOwn(members, name))
      warnings.push(unreadWarning(`${path}${name}`, 'member', name, Object.keys(members)))
    else if (inner) warnings.push(...unreadMembers(inner, value, `${path}${name}.`))
  }
  return warnings.slice(0, MOST_WARNINGS)
}

/** Warns that nothing reads a name. Suggests the nearest name that is read. */
export const unreadWarning = (
  member: string,
  what: 'member' | 'parameter',
  name: string,
  readNames: readonly string[],
): Warning => ({
  member: cut(member, 200),
  message: `This ${what} is not read; it has no effect.${didYouMean(name, readNames)}`,
})

/**
 * Finds what has no effect in a query: unread names, values without meaning, and repeated members. `repeated` names the members
 * that may be sent several times. `also` holds members that the schema does not have, such as those of pages.
 */
export function queryFaults(
  schema: v.GenericSchema | undefined,
  rawQuery: string,
  { repeated = [], also }: { repeated?: readonly string[] | undefined; also: Readonly<Record<string, FaultOf>> },
): Warning[] {
  const entries = entriesOf(schema)
  const readNames = [...Object.keys(entries), ...Object.keys(also)]
  const sent = new URLSearchParams(rawQuery)
  return [...new Set(sent.keys())].flatMap((name): Warning[] => {
    const values = sent.getAll(name)
    const last = values.at(-1) ?? ''
    if (!readNames.includes(name)) return [unreadWarning(name, 'parameter', name, readNames)]
    const message = entries[name] ? queryFaultOf(entries[name], last) : also[name]?.(last)
    const isRepeated = values.length > 1 && !repeated.includes(name)
    return [
      ...(message === undefined ? [] : [{ member: name, message }]),
      ...(isRepeated ? [{ member: name, message: 'It was sent several times; the last one counts.' }] : []),
    ]
  })
}
