import { audiences } from '../../base/visibility.ts'
import { type CountPlace, provideCountLayout, sizesOfGroup, sizesOfParts } from '../../engines/table/index.ts'

/*
 * Which lists share an item that holds their sizes. Lists that change together share one, since a transaction pays for items.
 * `keys.ts` imports this file, so whatever has a key in the table has the layout too.
 */

/** By the name of the list. A list that no rule is for has an item of its own. */
const rules: readonly [pattern: RegExp, place: (...parts: string[]) => CountPlace][] = [
  // What one person does.
  [
    /^(OWNER|REVISION|DECISION|FLAGGED)#([^#]+)(.*)$/,
    (list, user, rest) => ({ group: `USER#${user}`, name: `${list}${rest}` }),
  ],
  [
    /^ACTIVITY#([^#]+)#USER#([^#]+)(.*)$/,
    (audience, user, rest) => ({ group: `USER#${user}`, name: `ACTIVITY#${audience}${rest}` }),
  ],
  // What everyone does, by who may know of it: as many lists as there are standings and types.
  [
    /^(ACTIVITY|ASSERTION)#([^#]+)((?:#TYPE)?(?:#[^#]+)?)$/,
    (list, audience, rest) => ({ group: `ALL#${audience}`, name: `${list}${rest}` }),
  ],
  [/^RECORD#(.+)$/, (visibility) => ({ group: `ALL#${audienceNamed(visibility)}`, name: `RECORD#${visibility}` })],
  [/^(QUEUE#[^#]+)$/, (list) => ({ group: `ALL#${INSIDERS}`, name: `${list}` })],
  [/^(FLAG#[^#]+)(.*)$/, (told, filter) => ({ group: `${told}`, name: `${filter}` })],
  [/^QUEUE#([^#]+)#IN#(.*)$/, (type, category) => ({ group: `QUEUE#IN#${category}`, name: `${type}` })],
  // Families that are asked for as a whole: those of all kinds, those of what names a record.
  [/^KIND#([^#]+)#(.*)$/, (kind, standing) => ({ group: 'KIND', ...(kind && { sk: kind }), name: `${standing}` })],
  [/^RELATED#([^#]+)#(.*)$/, (record, kind) => ({ group: `RELATED#${record}`, name: `${kind}` })],
]

/** Who works on what is not published yet. */
const INSIDERS = 'withheld'
const audienceNamed = (visibility: string | undefined) => audiences.find((it) => it === visibility) ?? INSIDERS

provideCountLayout((list) => {
  for (const [pattern, place] of rules) {
    const [whole, ...parts] = pattern.exec(list) ?? []
    if (whole !== undefined) return place(...parts)
  }
  return undefined
})

/** How many published and other things of each kind there are: by kind, then by standing. */
export const countsOfKinds = (): Promise<Map<string, Map<string, number>>> => sizesOfParts('KIND')

/** How many records name this one, by their kind. */
export const countsOfRelated = (record: string): Promise<Map<string, number>> => sizesOfGroup(`RELATED#${record}`)
