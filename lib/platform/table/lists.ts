import { audiences } from '../../base/visibility.ts'
import { type CountPlace, provideCountLayout, sizesOfGroup, sizesOfParts } from '../../engines/table/index.ts'

/*
 * The layout of counters. Lists that change together share one item for their sizes, since a transaction pays for each item.
 * `keys.ts` imports this file, so every process with a key of the table has the layout, too.
 */

/** Rules by the name of the list. A list without a rule has its own item. */
const rules: readonly [pattern: RegExp, place: (...parts: string[]) => CountPlace][] = [
  // Lists of one person share an item.
  [
    /^(OWNER|REVISION|DECISION|FLAGGED|FORKS)#([^#]+)(.*)$/,
    (list, user, rest) => ({ group: `USER#${user}`, name: `${list}${rest}` }),
  ],
  [
    /^ACTIVITY#([^#]+)#USER#([^#]+)(.*)$/,
    (audience, user, rest) => ({ group: `USER#${user}`, name: `ACTIVITY#${audience}${rest}` }),
  ],
  // Lists of all people, by audience: one list for each standing and type.
  [
    /^(ACTIVITY|ASSERTION)#([^#]+)((?:#TYPE)?(?:#[^#]+)?)$/,
    (list, audience, rest) => ({ group: `ALL#${audience}`, name: `${list}${rest}` }),
  ],
  [/^RECORD#(.+)$/, (visibility) => ({ group: `ALL#${audienceNamed(visibility)}`, name: `RECORD#${visibility}` })],
  [/^(QUEUE#[^#]+)$/, (list) => ({ group: `ALL#${INSIDERS}`, name: `${list}` })],
  [/^(FLAG#[^#]+)(.*)$/, (list, filter) => ({ group: `${list}`, name: `${filter}` })],
  [/^QUEUE#([^#]+)#IN#(.*)$/, (type, category) => ({ group: `QUEUE#IN#${category}`, name: `${type}` })],
  // The lists of all kinds. Their sizes are read together, like those of the records that name a record (last rule).
  [/^KIND#([^#]+)#(.*)$/, (kind, standing) => ({ group: 'KIND', ...(kind && { sk: kind }), name: `${standing}` })],
  // Notes of visitors: the sizes of all their lists are read together.
  [/^NOTE(#.*)?$/, (rest) => ({ group: 'NOTE', name: rest || 'ALL' })],
  // The records of a batch that wait, and those that each verdict has decided.
  [/^(BATCH#[^#]+)(.*)$/, (batch, rest) => ({ group: `${batch}`, name: `${rest}` })],
  // Values that rest on a source, by audience, kind and support.
  [/^RESTS#([^#]+)#(.*)$/, (reference, rest) => ({ group: `RESTS#${reference}`, name: `${rest}` })],
  [/^RELATED#([^#]+)#(.*)$/, (record, kind) => ({ group: `RELATED#${record}`, name: `${kind}` })],
]

/** The audience of records that are not published: the people who work on them. */
const INSIDERS = 'withheld'
const audienceNamed = (visibility: string | undefined) => audiences.find((it) => it === visibility) ?? INSIDERS

provideCountLayout((list) => {
  for (const [pattern, place] of rules) {
    const [whole, ...parts] = pattern.exec(list) ?? []
    if (whole !== undefined) return place(...parts)
  }
  return undefined
})

/** The number of records by kind, then by standing. */
export const countsOfKinds = (): Promise<Map<string, Map<string, number>>> => sizesOfParts('KIND')

/** The number of records that name a record, by their kind. */
export const countsOfRelated = (record: string): Promise<Map<string, number>> => sizesOfGroup(`RELATED#${record}`)
