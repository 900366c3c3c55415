import { rankName, ranks } from '../../lib/platform/permissions.ts'
import { type Base, reviewers } from './base.ts'
import { type Documented, documented, placed, STATES, type State, valid } from './document.ts'
import { violations, wrongFigures } from './invariants/all.ts'
import { count, isNamed, isOwn, note, type Share, type Tally, tally } from './report.ts'
import { type Answer, type Request, send } from './requests.ts'
import { dice } from './world/chance.ts'
import { hash } from './world/table.ts'
import type { World } from './world/world.ts'

/**
 * Every operation of the API document by callers of every sort on things in every state. What the document says about who may is
 * held against what happens, what is hidden against every answer, and what was refused has changed nothing.
 */
const CALLERS = [
  { name: 'nobody', who: null, role: null },
  { name: 'a bad token', who: null, role: null, headers: { authorization: 'Bearer not.a.token' } },
  { name: 'an unknown person', who: 'nobody-there', role: null },
  { name: 'the contributor', who: 'dev', role: 'user' },
  { name: 'another', who: 'other', role: 'user' },
  ...ranks.map((role) => ({ name: `the ${rankName(role)}` as const, who: reviewers[role], role })),
  { name: 'staff', who: 'staff', role: 'staff' },
] as const
type Caller = (typeof CALLERS)[number]

/** Words that stand in what only some may see, and in nothing else. */
const SECRETS: readonly { word: string; from: readonly Caller['name'][] }[] = [
  ...[
    'Pending mandap',
    'Not seen by all',
    'A second thought',
    'Rejected hut',
    'Revising well',
    'Deleted gate',
    'Waiting tradition',
  ].map((word) => ({
    word,
    from: ['nobody', 'a bad token', 'an unknown person', 'another'] as const,
  })),
  { word: 'Quiet shrine', from: ['nobody', 'a bad token', 'an unknown person'] },
  { word: 'approved-survey', from: ['nobody', 'a bad token', 'an unknown person', 'another'] },
  { word: 'Deleted gate', from: ['the contributor'] },
]

/** What a request may leave although it was refused or only reads: how often somebody asked, answers that are kept, figures that nobody has asked for before, numbers nobody uses. */
const PASSING = /^(BOARD#USER#|RATE#|CACHE#|VERSIONS|SEQUENCE#|REPLY#|LOCK#|SEARCH|TOKEN#)/
const NOTHING = /^$/
/** Where something has changed since the stream began, but for what passes. */
export const changed = (world: World, passing = PASSING): string[] =>
  world.shards
    .flat()
    .flatMap(({ dynamodb }) =>
      passing.test(String(dynamodb?.Keys?.pk?.S)) ? [] : [`${dynamodb?.Keys?.pk?.S} ${dynamodb?.Keys?.sk?.S}`],
    )

/** What is wrong with an answer, by what the document says of the operation and by what is hidden. */
function wrongIn(operation: Documented, caller: Caller, answer: Answer, path: string): string[] {
  const isDone = answer.status >= 200 && answer.status < 300
  const wrong: string[] = []
  if (answer.undocumented !== undefined) wrong.push(answer.undocumented)
  if (answer.status >= 500) wrong.push(`gave ${answer.status}: ${answer.text}`)
  if (isDone && caller.role === null && !operation.open) wrong.push(`was done for ${caller.name}: ${answer.status}`)
  if (isDone && caller.role !== null && operation.roles && !operation.roles.includes(caller.role))
    wrong.push(`was done for ${caller.name}, who has not that role`)
  for (const { word, from } of SECRETS)
    if ((from as readonly string[]).includes(caller.name) && !path.includes(word) && answer.text.includes(word))
      wrong.push(`tells ${caller.name} of "${word}"`)
  return wrong
}

export async function cells(
  world: World,
  base: Base,
  {
    seed,
    until,
    some,
    share,
    only,
  }: { seed: number; until: number; some: number; share: Share; only?: string | undefined },
): Promise<Tally> {
  const into = tally('cells', 'cells')
  const began = Date.now()
  into.kinds = documented.length
  const inTurn = documented.flatMap((operation) =>
    STATES.flatMap((state) => CALLERS.map((caller) => ({ operation, state, caller }))),
  )
  const step = Math.max(1, Math.round(1 / some))
  for (let at = seed % step; at < inTurn.length && Date.now() < until; at += step) {
    const cell = inTurn[at]
    if (!isOwn(share, Math.floor(at / step))) continue
    if (!cell || (!cell.operation.path.includes('{') && cell.state !== 'open')) continue
    const operation = `${cell.operation.method} ${cell.operation.path}`
    const name = `${operation}/${cell.caller.name}/${cell.state}`
    if (only !== undefined && ![name, operation].some((it) => isNamed(it, only))) continue
    into.tried += 1
    world.restore(base.saved, seed + at)
    const { request, what, isDone } = await tried(world, base, cell, dice(seed + at)).catch((error: unknown) => ({
      request: { method: cell.operation.method, path: cell.operation.path },
      what: [error instanceof Error ? (error.stack ?? '') : String(error)],
      isDone: false,
    }))
    if (isDone) count(into, 'done')
    into.digest ^= hash(`${name} ${world.digest}`)
    if (what.length > 0)
      note(into, {
        where: `${request.method} ${request.path} by ${cell.caller.name}, ${cell.state}`,
        seed,
        again: `npm run prove -- --only cells --at '${name}' --seed ${seed}`,
        what,
      })
  }
  into.milliseconds = Date.now() - began
  return into
}

async function tried(
  world: World,
  base: Base,
  { operation, state, caller }: { operation: Documented; state: State; caller: Caller },
  chance: ReturnType<typeof dice>,
): Promise<{ request: Request; what: string[]; isDone: boolean }> {
  const path = placed(base, operation, state)
  const headers = 'headers' in caller ? caller.headers : undefined
  const body = operation.body && valid(operation.body, chance, base)
  const request: Request = {
    who: caller.who,
    method: operation.method,
    path,
    sent: { ...(body !== undefined && { body }), ...(headers && { headers }) },
  }
  const answer = await send(world, request)
  const what = wrongIn(operation, caller, answer, path)
  const left = changed(world)
  const isDone = answer.status < 300
  if (!isDone && answer.status < 500 && left.length > 0)
    what.push(`gave ${answer.status}, and changed ${left.slice(0, 3).join(', ')}`)
  // A GET may keep figures that nobody has asked for before, and only as they are.
  if (operation.method === 'GET' && changed(world, NOTHING).some((place) => place.startsWith('BOARD#USER#')))
    what.push(...(await world.run({ name: 'invariants', process: 1 }, () => wrongFigures(world))))
  if (operation.method === 'GET' && left.length > 0) what.push(`a GET changed ${left.slice(0, 3).join(', ')}`)
  if (left.length > 0)
    what.push(...(await world.run({ name: 'invariants', process: 1 }, () => violations(world, false))))
  return { request, what, isDone }
}
