import { type Base, PEOPLE } from './base.ts'
import { type Documented, documented, nearly, placed, STATES, valid, wild } from './document.ts'
import { violations } from './invariants/all.ts'
import { count, note, type Share, type Tally, tally } from './report.ts'
import { type Answer, type Request, send } from './requests.ts'
import { type Dice, dice } from './world/chance.ts'
import { hash } from './world/table.ts'
import { PATIENCE, type World } from './world/world.ts'

/** Requests to every operation with values that fit, that nearly fit, and wild ones: no failure of the service, no answer that the document does not know, none beyond its time. */
const CALLERS = [null, ...PEOPLE]
/** So often the world begins anew, and everything stored is looked at. */
const EVERY = 300

function shaped(value: unknown, chance: Dice): unknown {
  const way = chance.below(10)
  if (way < 4) return value
  return way < 8 ? nearly(value, chance) : wild(chance)
}

function asked(operation: Documented, base: Base, chance: Dice): Request {
  const place = placed(base, operation, chance.pick(STATES))
  const wanted = chance.happens(0.1)
    ? place.replace(/[^/]+\/$/, `${encodeURIComponent(written(wild(chance)).slice(0, 300))}/`)
    : place
  // What begins with two slashes is the address of another host.
  const path = wanted.replace(/^\/+/, '/')
  const query: Record<string, string> = {}
  for (const { name, in: where, schema } of operation.parameters)
    if (where === 'query' && chance.happens(0.3))
      query[name] = written(shaped(valid(schema, chance, base), chance)).slice(0, 3000)
  const headers: Record<string, string> = {
    ...(chance.happens(0.1) && {
      accept: chance.pick([
        'application/ld+json',
        'application/geo+json',
        'text/html',
        '*/*',
        ';;',
        'application/json;q=2',
      ]),
    }),
    ...(chance.happens(0.1) && { 'if-none-match': chance.pick(['*', '"x"', 'W/"1"', ',,']) }),
    ...(chance.happens(0.1) && { 'if-match': chance.pick(['*', '"x"', '"1", "2"', '']) }),
    ...(chance.happens(0.1) && { 'idempotency-key': chance.pick(['k', '', 'é', 'x'.repeat(500)]) }),
  }
  const body = operation.body === undefined ? undefined : shaped(valid(operation.body, chance, base), chance)
  const sent = chance.happens(0.03) ? chance.pick(['', '{', '[', 'null', '{"a":', '\u0000', '{"a":1}x']) : body
  return {
    who: chance.pick(CALLERS),
    method: operation.method,
    path,
    sent: { ...(sent !== undefined && { body: sent }), query, headers },
  }
}
/** As a client can send it in an address. */
const written = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()

const faultsIn = (answer: Answer, took: number): string[] => [
  ...(answer.status >= 500 ? [`gave ${answer.status}: ${answer.text}`] : []),
  ...(answer.undocumented === undefined ? [] : [answer.undocumented]),
  ...(answer.status === 0 || took > PATIENCE ? ['was not answered in time'] : []),
]

export async function fuzz(
  world: World,
  base: Base,
  { seed, until, most, share }: { seed: number; until: number; most: number; share: Share },
): Promise<Tally> {
  const into = tally('fuzz', 'requests')
  const began = Date.now()
  const operations = documented.filter(({ multipart }) => !multipart)
  into.kinds = operations.length
  for (let round = 0; into.tried < most && Date.now() < until; round += 1) {
    const own = seed + round * share.of + share.at
    const chance = dice(own)
    world.restore(base.saved, own)
    for (let i = 0; i < EVERY && into.tried < most && Date.now() < until; i += 1) {
      into.tried += 1
      const request = asked(chance.pick(operations), base, chance)
      const from = world.time.now
      const what = await send(world, request).then(
        (answer) => {
          if (answer.status < 400) count(into, 'taken')
          return faultsIn(answer, world.time.now - from)
        },
        (error: unknown) => [error instanceof Error ? (error.stack ?? '') : String(error)],
      )
      if (what.length > 0)
        note(into, {
          where: `${request.method} ${request.path} by ${request.who} ${JSON.stringify(request.sent).slice(0, 600)}`,
          seed: own,
          again: `npm run prove -- --only fuzz --seed ${own}`,
          what,
        })
    }
    into.digest ^= hash(`${own} ${world.digest}`)
    const what = await world.run({ name: 'invariants', process: 1 }, () => violations(world, false))
    if (what.length > 0)
      note(into, {
        where: `after round ${round}`,
        seed: own,
        again: `npm run prove -- --only fuzz --seed ${own}`,
        what,
      })
  }
  into.milliseconds = Date.now() - began
  return into
}
