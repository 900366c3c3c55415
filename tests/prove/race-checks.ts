import type { Base } from './base.ts'
import { viewOf } from './invariants/view.ts'
import type { Answer, Request } from './requests.ts'
import type { Step } from './steps.ts'
import type { Item } from './world/expressions.ts'
import type { World } from './world/world.ts'

/** Who does what at once, and what must come of it beside what always holds. */
export type Race = {
  name: string
  requests: (base: Base, made: readonly Answer[]) => readonly Request[]
  /** What is done before, one after the other. */
  before?: ((base: Base) => readonly Step[]) | undefined
  /** Functions that time starts beside them, or what such a function does in the end, each in a process of its own. */
  beside?: readonly Beside[] | undefined
  check: (answers: readonly Answer[], world: World, base: Base) => string[]
}

export type Beside = string | ((process: number) => Promise<unknown>)

/** What must come of requests that are made at once. */
const isDone = ({ status }: Pick<Answer, 'status'>) => status >= 200 && status < 300
const done = (answers: readonly Answer[]) => answers.filter(isDone).length
const told = (answers: readonly Answer[]) => answers.map(({ status }) => status).join(', ')

/** So many of the requests have an effect; the others are refused. */
export const exactly = (many: number) => (answers: readonly Answer[]) =>
  done(answers) === many ? [] : [`${done(answers)} of them were done instead of ${many}: ${told(answers)}`]
export const all = (answers: readonly Answer[]) => exactly(answers.length)(answers)
export const atLeast = (many: number) => (answers: readonly Answer[]) =>
  done(answers) >= many ? [] : [`only ${done(answers)} were done: ${told(answers)}`]
/** So many at least have an effect; the others were told that somebody was faster, and may ask again. */
export const orConflict = (many: number) => (answers: readonly Answer[]) => [
  ...atLeast(many)(answers),
  ...(answers.every((it) => isDone(it) || it.status === 409)
    ? []
    : [`one was refused for another reason than a conflict: ${told(answers)}`]),
]

/** Each verdict that was taken is kept as one decision, and at most one of those that end the review was. */
export const decided =
  (it: keyof Base & ('waiting' | 'pending'), ends: readonly number[]) =>
  (answers: readonly Answer[], world: World, base: Base): string[] => {
    const kept = items(world, 'decision', ({ pk }) => pk?.S === `ENTITY#${base[it].cultural_entity_id}`)
    const final = ends.filter((at) => isDone(answers[at] ?? { status: 0 })).length
    return [
      ...(kept === done(answers) ? [] : [`${done(answers)} verdicts were taken, and ${kept} are kept`]),
      ...(final <= 1 ? [] : [`${final} verdicts ended one review`]),
    ]
  }
/** Who says what of a record: the request at this place among the answers, or a row of a table. */
type Saying = { at: number | 'row'; field: string; value: string }
/** What was told to be done stands in the record in the end, and what was told to be refused does not. */
export const allKept =
  (it: keyof Base & ('second' | 'edited'), said: readonly Saying[]) =>
  (answers: readonly Answer[], world: World, base: Base): string[] => {
    const view = viewOf(world, false)
    const { cultural_entity_id } = base[it]
    const head = view.at(`ENTITY#${cultural_entity_id}`)
    const row = view.of('import_row').some(({ entity_id }) => entity_id === cultural_entity_id)
    return said.flatMap(({ at, field, value }) => {
      const isTold = at === 'row' ? row : isDone(answers[at] ?? { status: 0 })
      const stands = head?.proposed?.[field]
      return (stands === value) === isTold
        ? []
        : [`${field} is ${stands}, and ${isTold ? '' : 'not '}${value} was written`]
    })
  }
/** Every link of a record of this name leads to a record that is there. */
export const linksStand =
  (name: string): Race['check'] =>
  (_, world) => {
    const view = viewOf(world, false)
    const targets = view
      .of('record')
      .filter((it) => it.name === name && !it.deleted_at)
      .flatMap(({ data }) => data.has_current_location ?? [])
    return targets.flatMap(({ entity_id }: { entity_id: string }) =>
      view.at(`ENTITY#${entity_id}`)?.deleted_at ? [`${name} links to ${entity_id}, which is deleted`] : [],
    )
  }
export const anything = () => []

/** How many have how many points, as texts by the tree in which it is kept. */
function treesIn(items: Iterable<Item>): Map<string, string> {
  const nodes = [...items].flatMap((it) => {
    const [pk, sk] = [String(it.pk?.S), String(it.sk?.S)]
    const counts = Object.entries(it).flatMap(([name, n]) => (/^\d\d$/.test(name) ? [`${name}: ${n?.N}`] : []))
    return pk.startsWith('BOARD#TREE#overall') && counts.length > 0
      ? [{ pk, says: `${sk} { ${counts.sort().join(', ')} }` }]
      : []
  })
  const trees = Map.groupBy(nodes, ({ pk }) => pk)
  const textOf = (own: typeof nodes) => own.map(({ says }) => says).sort()
  return new Map([...trees].map(([pk, own]) => [pk, textOf(own).join(' ')]))
}
/** Of the month that has ended the ranks are kept as they were before anything was counted in the new one. */
export const closedAsItWas: Race['check'] = (_, world, base) => {
  const cells = [...base.saved.table.values()].flat()
  const before = treesIn(cells.flatMap(({ item }) => (item ? [item] : [])))
  const kept = [...treesIn(world.items())].filter(([pk]) => pk.includes('@') && !before.has(pk))
  const was = before.get('BOARD#TREE#overall')
  if (kept.length === 0) return ['no month was closed']
  return kept.flatMap(([pk, is]) => (is === was ? [] : [`${pk} is ${is} instead of ${was}`]))
}

const items = (
  world: World,
  type: string,
  fits: (it: Record<string, { S?: string } | undefined>) => boolean = () => true,
) => world.items().filter((it) => it.type?.S === type && fits(it as never)).length
/** There are so many of a type that are so. */
export const thereAre =
  (many: number, type: string, fits?: Parameters<typeof items>[2]) =>
  (_: readonly Answer[], world: World): string[] => {
    const found = items(world, type, fits)
    return found === many ? [] : [`there are ${found} of ${type} instead of ${many}`]
  }
export const both =
  (...checks: readonly Race['check'][]): Race['check'] =>
  (answers, world, base) =>
    checks.flatMap((check) => check(answers, world, base))
